import math

import torch
import torch.nn as nn


class Forecaster(nn.Module):
    def __init__(self, hidden_size=20):
        super().__init__()
        self.hidden_size = hidden_size
        self.rnn = nn.GRU(1, hidden_size, num_layers=2)
        self.readout = nn.Linear(hidden_size, 1)

    def forward(self, x, h):
        out, h = self.rnn(x, h)
        return self.readout(out), h


def tide(length, channels):
    t = torch.arange(length).float()[:, None]
    phase = torch.linspace(0, math.pi, channels)[None]
    level = torch.sin(0.21 * t + phase) + 0.4 * torch.sin(0.05 * t)
    return level.unsqueeze(-1)


def train(net, series, device, window=25, epochs=3):
    optimizer = torch.optim.Adam(net.parameters(), lr=8e-3)
    criterion = nn.MSELoss()
    series = series.to(device)
    for epoch in range(epochs):
        hidden = torch.zeros(2, series.size(1), net.hidden_size, device=device)
        total, pieces = 0.0, 0
        for start in range(0, series.size(0) - window - 1, window):
            x = series[start:start + window]
            y = series[start + 1:start + window + 1]
            prediction, hidden = net(x, hidden)
            hidden = hidden.detach()
            loss = criterion(prediction, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            pieces += 1
        print(f"epoch {epoch}: mse {total / pieces:.5f}")
    return total / pieces


def main():
    torch.manual_seed(30)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Forecaster()
    net.to(device)
    return train(net, tide(400, 8), device)


if __name__ == "__main__":
    print("RESULT", main())
