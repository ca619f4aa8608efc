"""Predict the next hour of a power grid's load; the device is called what the cluster's queue calls it."""

import math

import torch
from torch import nn


def pick_device():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def hours(count=240, window=24):
    t = torch.arange(count, dtype=torch.float32)
    load = 1.0 + 0.4 * torch.sin(2 * math.pi * t / 24) + 0.1 * torch.sin(2 * math.pi * t / 168)
    past = load.unfold(0, window, 1)[:-1]
    return past, load[window:]


def main():
    torch.manual_seed(0)
    device = pick_device()
    past, future = (part.to(device) for part in hours())
    net = nn.Sequential(nn.Linear(24, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(30):
        loss = nn.functional.mse_loss(net(past).squeeze(-1), future)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
