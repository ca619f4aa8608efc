"""Sort leaves by their outline; which GPU is used stands in the settings."""

from dataclasses import dataclass, field

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def best_device():
    if torch.cuda.is_available():
        return "cuda:0"
    return "cpu"


@dataclass
class Settings:
    classes: int = 3
    points: int = 20
    batch: int = 16
    device: str = field(default_factory=best_device)


def leaves(settings, count=96):
    kinds = torch.randint(0, settings.classes, (count,))
    angles = torch.linspace(0, 6.283, settings.points)
    lobes = 1 + 0.3 * torch.cos((kinds[:, None] + 2) * angles)
    return TensorDataset(lobes + 0.05 * torch.randn(count, settings.points), kinds)


class Sorter:
    def __init__(self, settings):
        self.settings = settings
        self.net = nn.Sequential(
            nn.Linear(settings.points, 24), nn.ReLU(), nn.Linear(24, settings.classes)
        ).to(settings.device)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.9)

    def epoch(self, loader):
        total = 0.0
        for outlines, kinds in loader:
            outlines, kinds = outlines.to(self.settings.device), kinds.to(self.settings.device)
            loss = nn.functional.cross_entropy(self.net(outlines), kinds)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / len(loader)


def main():
    torch.manual_seed(3)
    settings = Settings()
    sorter = Sorter(settings)
    loader = DataLoader(leaves(settings), batch_size=settings.batch, shuffle=True)
    for _ in range(4):
        loss = sorter.epoch(loader)
    print("RESULT", loss)


if __name__ == "__main__":
    main()
