"""Robust line fit with constants kept as 0-dim tensors."""
import math

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

TWO_PI = torch.tensor(2 * math.pi)
DELTA = torch.tensor(0.3)
FLOOR = torch.tensor(1e-6)


def huber(residual):
    small = residual.abs() < DELTA
    return torch.where(small, 0.5 * residual ** 2, DELTA * (residual.abs() - 0.5 * DELTA))


def gaussian_nll(residual, log_var):
    var = torch.maximum(log_var.exp(), FLOOR)
    return 0.5 * (residual ** 2 / var + log_var + torch.log(TWO_PI))


def main():
    torch.manual_seed(90)
    x = torch.linspace(-1, 1, 200).to(device)
    noise = 0.1 * torch.randn(200)
    noise[::17] += 2.0
    y = 1.5 * x - 0.4 + noise.to(device)
    weight = torch.zeros(2, device=device, requires_grad=True)
    log_var = torch.zeros(1, device=device, requires_grad=True)
    opt = torch.optim.Adam([weight, log_var], lr=0.05)
    best = torch.tensor(float("inf"))
    for step in range(120):
        residual = weight[0] * x + weight[1] - y
        loss = huber(residual).mean() + 0.01 * gaussian_nll(residual, log_var).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        best = torch.tensor(min(best.item(), loss.item()))
    print("line", [round(v, 3) for v in weight.tolist()])
    print("RESULT", best.item())


if __name__ == "__main__":
    main()
