"""Hourly demand of a district, forecast from the day before; the error is reported by the hour."""
import numpy as np
import torch
from torch import nn

HOURS = 24


def demand(days, seed):
    rng = np.random.default_rng(seed)
    shape = 1 + np.sin(np.arange(HOURS) / HOURS * 2 * np.pi)
    level = rng.normal(1.0, 0.2, (days, 1))
    return (level * shape + rng.normal(0, 0.05, (days, HOURS))).astype(np.float32)


def reduced(device):
    """Mixed precision pays on a GPU only."""
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda")


class Forecast(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(HOURS, width), nn.GELU(), nn.Linear(width, width), nn.GELU())
        self.outer = nn.Linear(width, HOURS)

    def forward(self, yesterday):
        return self.outer(self.inner(yesterday))


@torch.no_grad()
def forecasts(model, days, device):
    model.eval()
    with reduced(device):
        made = model(torch.from_numpy(days).to(device))
    return made.cpu().numpy()


def main():
    torch.manual_seed(4)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    days = demand(200, 1)
    model = Forecast().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    yesterday, today = torch.from_numpy(days[:-1]), torch.from_numpy(days[1:])
    for epoch in range(40):
        with reduced(device):
            loss = nn.functional.mse_loss(model(yesterday.to(device)), today.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    held_out = demand(30, 2)
    error = np.abs(forecasts(model, held_out[:-1], device) - held_out[1:])
    print("worst hour", error.mean(0).argmax())
    print("RESULT", round(float(error.mean()), 2))


if __name__ == "__main__":
    main()
