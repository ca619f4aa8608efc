"""Predicting the yield of a chemical process from ten sensor readings."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", default=3, type=int)
    p.add_argument("--batch-size", default=50, type=int)
    p.add_argument("--hidden", default=32, type=int)
    p.add_argument("--lr", default=5e-3, type=float)
    p.add_argument("--no-cuda", action="store_true")
    return p.parse_args()


def build_data(n=500, seed=2):
    gen = torch.Generator().manual_seed(seed)
    sensors = torch.randn(n, 10, generator=gen)
    output = sensors[:, 0] * sensors[:, 1] + torch.tanh(sensors[:, 2]) + 0.05 * torch.randn(n, generator=gen)
    return TensorDataset(sensors, output.unsqueeze(1))


class YieldNet(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.fc1 = nn.Linear(10, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.drop = nn.Dropout(0.1)
        self.fc3 = nn.Linear(hidden, 1)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = self.drop(F.relu(self.fc2(x)))
        return self.fc3(x)


def train(model, loader, optimizer, device):
    model.train()
    total = 0.0
    for batch_idx, (sensors, target) in enumerate(loader):
        sensors, target = sensors.to(device), target.to(device)
        optimizer.zero_grad()
        loss = F.mse_loss(model(sensors), target)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / (batch_idx + 1)


def main():
    args = get_args()
    torch.manual_seed(0)
    use_cuda = not args.no_cuda and torch.cuda.is_available()
    device = torch.device("cuda" if use_cuda else "cpu")
    train_part, _ = random_split(build_data(), [400, 100], generator=torch.Generator().manual_seed(1))
    loader = DataLoader(train_part, batch_size=args.batch_size, shuffle=True)
    model = YieldNet(args.hidden).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(1, args.epochs + 1):
        value = train(model, loader, optimizer, device)
        print(f"Train Epoch: {epoch} \tLoss: {value:.6f}")
    print("RESULT", value)


if __name__ == "__main__":
    main()
