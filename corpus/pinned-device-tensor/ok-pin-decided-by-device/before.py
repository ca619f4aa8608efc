import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def particles(n):
    momentum = torch.randn(n, 4)
    mass = (momentum[:, 0] ** 2 - momentum[:, 1:].square().sum(1)).abs().sqrt()
    return momentum, mass


def make_loader(args, device):
    momentum, mass = particles(args.events)
    resident = args.resident
    if resident:
        momentum, mass = momentum.to(device), mass.to(device)
    return DataLoader(
        TensorDataset(momentum, mass),
        batch_size=args.batch_size,
        shuffle=True,
        pin_memory=device.type == "cuda" and not resident,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=400)
    parser.add_argument("--batch-size", type=int, default=50)
    parser.add_argument("--stream", dest="resident", action="store_false")
    args = parser.parse_args()
    torch.manual_seed(16)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = make_loader(args, device)
    model = nn.Sequential(nn.Linear(4, 32), nn.SiLU(), nn.Linear(32, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(4):
        for momentum, mass in loader:
            momentum, mass = momentum.to(device), mass.to(device)
            loss = (model(momentum).squeeze(1) - mass).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, "loss", loss.item())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
