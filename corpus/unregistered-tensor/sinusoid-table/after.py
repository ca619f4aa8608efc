"""Predict the next value of a chirp with one attention layer."""
import math

import torch
import torch.nn as nn


class SinusoidTable(nn.Module):
    def __init__(self, dim, max_len=64):
        super().__init__()
        angle = torch.arange(max_len).float()[:, None] * torch.exp(-math.log(1000.0) * torch.arange(0, dim, 2) / dim)
        table = torch.zeros(max_len, dim)
        table[:, 0::2] = angle.sin()
        table[:, 1::2] = angle.cos()
        self.register_buffer("table", table.unsqueeze(0), persistent=False)

    def forward(self, x):
        return x + self.table[:, :x.size(1)]


class ChirpPredictor(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.lift = nn.Linear(1, dim)
        self.where = SinusoidTable(dim)
        self.attention = nn.MultiheadAttention(dim, 4, batch_first=True)
        self.out = nn.Linear(dim, 1)

    def forward(self, x):
        h = self.where(self.lift(x))
        h = h + self.attention(h, h, h, need_weights=False)[0]
        return self.out(h[:, -1])


def chirps(n, length, gen):
    rate = torch.rand(n, 1, generator=gen) * 0.02 + 0.005
    t = torch.arange(length + 1).float()[None]
    wave = torch.sin(rate * t ** 2).unsqueeze(-1)
    return wave[:, :-1], wave[:, -1]


def main():
    torch.manual_seed(14)
    gen = torch.Generator().manual_seed(14)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ChirpPredictor().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    for step in range(40):
        x, y = (t.to(device) for t in chirps(48, 24, gen))
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"step {step} mse {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
