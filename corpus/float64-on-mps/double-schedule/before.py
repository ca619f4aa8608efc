import argparse

import torch
import torch.nn as nn


def pick_device(name=None):
    if name:
        return torch.device(name)
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def cumulative_alphas(steps, device):
    betas = torch.linspace(1e-4, 0.05, steps, dtype=torch.float64, device=device)
    return torch.cumprod(1 - betas, dim=0).float()


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 40), nn.SiLU(), nn.Linear(40, 2))

    def forward(self, x, level):
        return self.net(torch.cat([x, level], dim=1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device")
    parser.add_argument("--steps", type=int, default=50)
    args = parser.parse_args()
    torch.manual_seed(1)
    device = pick_device(args.device)
    alphas = cumulative_alphas(100, device)
    model = Denoiser().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(args.steps):
        t = torch.randint(0, 100, (64,)).to(device)
        clean = torch.randn(64, 2).sign().to(device)
        noise = torch.randn(64, 2).to(device)
        a = alphas[t].unsqueeze(1)
        loss = (model(a.sqrt() * clean + (1 - a).sqrt() * noise, a) - noise).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
