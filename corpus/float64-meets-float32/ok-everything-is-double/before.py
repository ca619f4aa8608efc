"""Physics model in double precision: the data, the network and the constants."""
import numpy as np
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Pendulum(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))
        self.register_buffer("gravity", torch.tensor(9.81, dtype=torch.float64))

    def forward(self, t):
        return self.net(t)

    def residual(self, t):
        angle = self(t)
        rate = torch.autograd.grad(angle.sum(), t, create_graph=True)[0]
        acceleration = torch.autograd.grad(rate.sum(), t, create_graph=True)[0]
        return acceleration + self.gravity * torch.sin(angle)


def main():
    torch.manual_seed(22)
    model = Pendulum().double().to(device)
    times = torch.from_numpy(np.linspace(0.0, 1.0, 60)[:, None]).to(device).requires_grad_(True)
    start = torch.zeros(1, 1, dtype=torch.float64, device=device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(80):
        loss = model.residual(times).pow(2).mean() + 10 * (model(start) - 0.3).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("residual", loss.item(), loss.dtype)
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
