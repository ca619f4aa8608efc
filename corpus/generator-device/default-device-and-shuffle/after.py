import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.set_default_device(device)
torch.manual_seed(5)


def pendulum(n):
    """Angle and speed now, angle after a short time as target."""
    angle = (torch.rand(n) - 0.5) * 3
    speed = torch.randn(n)
    later = angle + 0.1 * speed - 0.05 * torch.sin(angle)
    return torch.stack([angle, speed], dim=1), later


class Residual(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, state):
        return state[:, 0] + self.inner(state).squeeze(1)


state, later = pendulum(400)
loader = DataLoader(TensorDataset(state, later), batch_size=50, shuffle=True, generator=torch.Generator(device=device))
model = Residual()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(5):
    for s, target in loader:
        loss = nn.functional.mse_loss(model(s), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
print("RESULT", loss.item())
