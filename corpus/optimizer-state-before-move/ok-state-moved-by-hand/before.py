import copy

import torch
import torch.nn as nn


def optimizer_to(optimizer, device):
    for state in optimizer.state.values():
        for key, value in state.items():
            if torch.is_tensor(value) and key != "step":
                state[key] = value.to(device)


def make_model():
    return nn.Sequential(nn.Linear(6, 30), nn.SiLU(), nn.Linear(30, 2))


def steps(model, optimizer, n, device, seed):
    g = torch.Generator().manual_seed(seed)
    for _ in range(n):
        x = torch.randn(50, 6, generator=g).to(device)
        target = torch.stack([x[:, 0] * x[:, 1], x[:, 2].abs()], dim=1)
        loss = (model(x) - target).square().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    return loss


torch.manual_seed(4)
device = "cuda" if torch.cuda.is_available() else "cpu"

model = make_model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
steps(model, optimizer, 10, "cpu", seed=0)
saved = copy.deepcopy({"model": model.state_dict(), "optimizer": optimizer.state_dict()})

# a cheap first phase ran on the CPU; go on with it on the accelerator
model = make_model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
model.load_state_dict(saved["model"])
optimizer.load_state_dict(saved["optimizer"])
model.to(device)
optimizer_to(optimizer, device)
loss = steps(model, optimizer, 30, device, seed=1)
print("RESULT", loss.item())
