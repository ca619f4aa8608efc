"""Will a part fail within a week? Binary target stored as integers."""
import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Parts(Dataset):
    def __init__(self, count, seed):
        gen = torch.Generator().manual_seed(seed)
        self.readings = torch.randn(count, 8, generator=gen)
        risk = self.readings[:, 0] + 0.5 * self.readings[:, 1] ** 2
        self.failed = (risk > 0.8).long()

    def __len__(self):
        return self.readings.shape[0]

    def __getitem__(self, i):
        return self.readings[i], self.failed[i]


class RiskModel(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stack = nn.Sequential(nn.Linear(8, width), nn.GELU(), nn.Linear(width, 1))

    def forward(self, readings):
        return self.stack(readings).squeeze(-1)


def train_step(model, batch, criterion, optimizer, device):
    readings, failed = (t.to(device) for t in batch)
    loss = criterion(model(readings), failed.float())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def main(args):
    torch.manual_seed(args.seed)
    device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    loader = DataLoader(Parts(400, args.seed), batch_size=args.batch_size, shuffle=True)
    model = RiskModel(args.width).to(device)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(args.epochs):
        losses = [train_step(model, batch, criterion, optimizer, device) for batch in loader]
        print(f"epoch {epoch} loss {sum(losses) / len(losses):.4f}")
    print("RESULT", sum(losses) / len(losses))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=40)
    parser.add_argument("--width", type=int, default=24)
    parser.add_argument("--seed", type=int, default=25)
    main(parser.parse_args())
