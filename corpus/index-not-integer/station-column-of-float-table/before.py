"""Temperature of weather stations from one float matrix: station, month, humidity, pressure."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

STATIONS = 9


class WeatherNet(nn.Module):
    def __init__(self, dim=5):
        super().__init__()
        self.station_embedding = nn.Embedding(STATIONS, dim)
        self.month_embedding = nn.Embedding(12, dim)
        self.mlp = nn.Sequential(nn.Linear(2 * dim + 2, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, rows):
        station, month = rows[:, 0], rows[:, 1]
        place = self.station_embedding(station)
        season = self.month_embedding(month)
        return self.mlp(torch.cat([place, season, rows[:, 2:]], dim=1))


def weather_rows(n=480):
    gen = torch.Generator().manual_seed(19)
    station = torch.randint(0, STATIONS, (n,), generator=gen).float()
    month = torch.randint(0, 12, (n,), generator=gen).float()
    weather = torch.randn(n, 2, generator=gen)
    temperature = torch.sin(month / 6 * 3.1416) + 0.2 * station - 0.3 * weather[:, 0]
    return torch.column_stack([station, month, weather]), temperature.unsqueeze(1)


def main():
    torch.manual_seed(19)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(TensorDataset(*weather_rows()), batch_size=48, shuffle=True)
    net = WeatherNet().to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for epoch in range(4):
        for rows, temperature in loader:
            rows = rows.to(device)
            temperature = temperature.to(device)
            loss = nn.functional.mse_loss(net(rows), temperature)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} mse {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
