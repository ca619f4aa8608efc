"""Forecast the daily demand of a small grid, one step ahead."""
import argparse

import numpy as np
import torch
import torch.nn as nn


class DemandLSTM(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.lstm = nn.LSTM(input_size=1, hidden_size=hidden, batch_first=True)
        self.linear = nn.Linear(hidden, 1)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.linear(out[:, -1]).squeeze(-1)


def demand(days, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(days)
    weekly = np.where(t % 7 < 5, 1.0, 0.6)
    yearly = 0.3 * np.sin(2 * np.pi * t / 365)
    return weekly + yearly + 0.05 * rng.standard_normal(days)


def windows(series, width):
    x = np.stack([series[i:i + width] for i in range(len(series) - width)])
    return x[..., None], series[width:].astype(np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--days", type=int, default=260)
    parser.add_argument("--width", type=int, default=14)
    parser.add_argument("--hidden", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=15)
    args = parser.parse_args()

    torch.manual_seed(90)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    x, y = windows(demand(args.days, 90), args.width)
    inputs = torch.tensor(x).to(device)
    targets = torch.tensor(y).to(device)

    net = DemandLSTM(args.hidden).to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for epoch in range(args.epochs):
        loss = nn.functional.mse_loss(net(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"after {args.epochs} epochs: {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
