import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Ecg(Dataset):
    """Heart beats, half of them with an early second wave."""

    def __init__(self, n, device, seed=0):
        g = torch.Generator().manual_seed(seed)
        t = torch.linspace(0, 1, 60)
        self.early = torch.randint(0, 2, (n,), generator=g)
        second = 0.7 - 0.25 * self.early[:, None]
        self.beat = torch.exp(-((t - 0.3) * 30) ** 2) + 0.4 * torch.exp(-((t - second) * 15) ** 2)
        self.beat = self.beat + 0.1 * torch.randn(n, 60, generator=g)
        self.device = device

    def __len__(self):
        return len(self.early)

    def __getitem__(self, index):
        beat = self.beat[index]
        early = self.early[index]
        return beat, early


def run_epoch(net, loader, criterion, optimizer, device):
    total = 0.0
    for beat, early in loader:
        beat, early = beat.to(device), early.to(device)
        loss = criterion(net(beat.unsqueeze(1)), early)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(early)
    return total / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Ecg(192, device), batch_size=args.batch_size, shuffle=True, pin_memory=True)
    net = nn.Sequential(nn.Conv1d(1, 8, 7, stride=3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 18, 2)).to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(args.epochs):
        mean = run_epoch(net, loader, criterion, optimizer, device)
        print(f"epoch {epoch} loss {mean:.4f}")
    print("RESULT", mean)


if __name__ == "__main__":
    main()
