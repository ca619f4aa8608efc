import argparse

import torch
import torch.nn as nn
from torch.optim import Optimizer


class NormalizedMomentum(Optimizer):
    """Momentum on unit-norm gradients; the buffers are made up front so that step() stays short."""

    def __init__(self, params, lr=0.01, beta=0.9):
        super().__init__(params, dict(lr=lr, beta=beta))
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["velocity"] = torch.zeros_like(p)

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                v = self.state[p]["velocity"]
                v.mul_(group["beta"]).add_(p.grad / (p.grad.norm() + 1e-8))
                p.sub_(v, alpha=group["lr"])


def spirals(n, noise=0.05):
    t = torch.rand(n) * 3 + 0.4
    arm = torch.randint(0, 2, (n,))
    angle = t * 2.2 + arm * 3.14159
    xy = torch.stack([t * torch.cos(angle), t * torch.sin(angle)], dim=1)
    return xy + noise * torch.randn(n, 2), arm


parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=150)
parser.add_argument("--lr", type=float, default=0.02)
parser.add_argument("--no-cuda", action="store_true")
args = parser.parse_args()
use_cuda = torch.cuda.is_available() and not args.no_cuda

torch.manual_seed(3)
net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 2))
criterion = nn.CrossEntropyLoss()
x, y = spirals(400)
if use_cuda:
    net.cuda()
    x, y = x.cuda(), y.cuda()
optimizer = NormalizedMomentum(net.parameters(), lr=args.lr)

for step in range(args.steps):
    loss = criterion(net(x), y)
    net.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        acc = (net(x).argmax(1) == y).float().mean().item()
        print(f"{step:4d}  loss {loss.item():.4f}  acc {acc:.3f}")

print("RESULT", loss.item())
