import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--lr", type=float, default=0.01)
args = parser.parse_args()

torch.manual_seed(0)
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


class SolarNet(nn.Module):
    """Output of a solar panel from hour, cloud cover and tilt."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 32), nn.Softplus(), nn.Linear(32, 1))

    def forward(self, weather):
        return self.net(weather).squeeze(1)


weather = torch.rand(384, 3)
output = torch.sin(3.1416 * weather[:, 0]) * (1 - 0.7 * weather[:, 1]) * (0.6 + 0.4 * weather[:, 2])
loader = DataLoader(TensorDataset(weather, output), batch_size=48)

model = nn.DataParallel(SolarNet().to(device), device_ids=[0] if torch.cuda.is_available() else None)
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
for epoch in range(args.epochs):
    for x, y in loader:
        prediction = model(x)
        loss = (prediction - y.to(prediction.device)).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch} mae {loss.item():.4f}")
print("RESULT", loss.item())
