import torch
import torch.nn as nn
import torch.nn.functional as F


class Expert(nn.Module):
    def __init__(self, d_in, d_hidden):
        super().__init__()
        self.w1 = nn.Linear(d_in, d_hidden)
        self.w2 = nn.Linear(d_hidden, 1)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)))


class MixtureOfExperts(nn.Module):
    def __init__(self, d_in, n_experts=4, d_hidden=16):
        super().__init__()
        self.gate = nn.Linear(d_in, n_experts)
        self.experts = [Expert(d_in, d_hidden) for _ in range(n_experts)]

    def forward(self, x):
        weights = F.softmax(self.gate(x), dim=-1)
        outputs = torch.cat([expert(x) for expert in self.experts], dim=-1)
        return (weights * outputs).sum(dim=-1)


def trainable(model):
    groups = [{"params": model.gate.parameters(), "lr": 1e-2}]
    for expert in model.experts:
        groups.append({"params": expert.parameters(), "lr": 5e-3})
    return groups


def piecewise(n, gen):
    x = torch.rand(n, 2, generator=gen) * 4 - 2
    y = torch.where(x[:, 0] > 0, torch.sin(3 * x[:, 1]), x[:, 1] ** 2 - 1)
    return x, y


if __name__ == "__main__":
    torch.manual_seed(16)
    gen = torch.Generator().manual_seed(16)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    moe = MixtureOfExperts(2).to(device)
    optimizer = torch.optim.Adam(trainable(moe))
    for step in range(60):
        x, y = piecewise(128, gen)
        x, y = x.to(device), y.to(device)
        loss = F.mse_loss(moe(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(f"step {step:02d} loss {loss.item():.4f}")
    print("RESULT", loss.item())
