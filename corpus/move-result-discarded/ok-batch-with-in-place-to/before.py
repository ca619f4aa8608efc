from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class Batch:
    """Mutable on purpose: ``to`` changes the fields and returns nothing."""

    prices: torch.Tensor
    volumes: torch.Tensor
    direction: torch.Tensor

    def to(self, device):
        self.prices = self.prices.to(device)
        self.volumes = self.volumes.to(device)
        self.direction = self.direction.to(device)


class TickModel(nn.Module):
    def __init__(self, ticks=10):
        super().__init__()
        self.score = nn.Bilinear(ticks, ticks, 1)
        self.trend = nn.Linear(ticks, 1)

    def forward(self, batch):
        return (self.score(batch.prices, batch.volumes) + self.trend(batch.prices)).squeeze(1)


def market(n, gen):
    returns = torch.randn(n, 10, generator=gen)
    volumes = torch.rand(n, 10, generator=gen)
    return Batch(returns.cumsum(1) / 3, volumes, ((returns * volumes).sum(1) > 0).float())


def main():
    gen = torch.Generator().manual_seed(47)
    torch.manual_seed(47)
    device = "cuda:0" if torch.cuda.is_available() else "cpu"
    model = TickModel().to(device)
    torch.zeros(1).to(device)  # wake the device up before the first step
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(50):
        batch = market(64, gen)
        batch.to(device)
        loss = nn.functional.binary_cross_entropy_with_logits(model(batch), batch.direction)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("step", step, "loss", loss.item())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
