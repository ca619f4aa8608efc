import argparse

import torch
import torch.nn as nn

from data import build_loaders
from engine import train_one_epoch, validate


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--hidden", type=int, default=48)
    args = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_loader, valid_loader = build_loaders(args, device)
    model = nn.Sequential(nn.Linear(24, args.hidden), nn.ReLU(), nn.Linear(args.hidden, 6)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.L1Loss()
    for epoch in range(args.epochs):
        train_loss = train_one_epoch(model, train_loader, criterion, optimizer, device)
        valid_loss = validate(model, valid_loader, criterion, device)
        print(f"epoch {epoch} train {train_loss:.4f} valid {valid_loss:.4f}")
    print("RESULT", valid_loss)


if __name__ == "__main__":
    main()
