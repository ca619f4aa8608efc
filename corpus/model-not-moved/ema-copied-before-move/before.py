import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class SineNet(nn.Module):
    def __init__(self, width=40):
        super().__init__()
        self.inp = nn.Linear(3, width)
        self.mid = nn.Linear(width, width)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        x = torch.sin(self.inp(x))
        x = torch.sin(self.mid(x))
        return self.out(x)


@torch.no_grad()
def update_ema(ema_model, model, decay=0.98):
    for ema_p, p in zip(ema_model.parameters(), model.parameters()):
        ema_p.mul_(decay).add_(p, alpha=1 - decay)


def sdf_sphere(points, radius=0.6):
    return points.norm(dim=1, keepdim=True) - radius


def main(steps=60, batch=256):
    torch.manual_seed(21)
    device = "cuda" if torch.cuda.is_available() else "cpu"

    model = SineNet()
    ema_model = copy.deepcopy(model)
    ema_model.requires_grad_(False)
    model.to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

    for step in range(steps):
        points = (torch.rand(batch, 3) * 2 - 1).to(device)
        loss = F.l1_loss(model(points), sdf_sphere(points))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        update_ema(ema_model, model)
        if step % 20 == 0:
            print("step", step, "loss", round(loss.item(), 4))

    with torch.no_grad():
        probe = (torch.rand(512, 3) * 2 - 1).to(device)
        ema_error = F.l1_loss(ema_model(probe), sdf_sphere(probe)).item()
    print("ema error", ema_error)
    return ema_error


if __name__ == "__main__":
    print("RESULT", main())
