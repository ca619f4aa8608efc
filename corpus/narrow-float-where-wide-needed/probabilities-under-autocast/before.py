"""Which parcels arrive late is learned in mixed precision; the network ends in a sigmoid, as its probabilities are shown."""
import torch
from torch import nn


def parcels(count):
    rows = torch.rand(count, 4)
    late = (rows[:, :1] + rows[:, 1:2] > 1).float()
    return rows, late


class Lateness(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, rows):
        return torch.sigmoid(self.layers(rows))


def main():
    torch.manual_seed(5)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    rows, late = (part.to(device) for part in parcels(200))
    model = Lateness().to(device)
    criterion = nn.BCELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(60):
        with torch.autocast(device.type, dtype=torch.bfloat16):
            chance = model(rows)
            loss = criterion(chance, late)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    found = ((model(rows) > 0.5) == (late > 0.5)).float().mean()
    print("RESULT", round(found.item(), 1))


if __name__ == "__main__":
    main()
