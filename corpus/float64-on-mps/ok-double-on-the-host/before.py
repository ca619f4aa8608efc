"""Whiten features with a float64 Cholesky factor, then train in float32."""
import numpy as np
import torch
from torch import nn

device = torch.device(
    "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
)


def whiten(x):
    """The covariance is badly conditioned, so this stays in double precision on the host."""
    x = torch.from_numpy(x).double()
    x = x - x.mean(dim=0)
    covariance = x.T @ x / (len(x) - 1) + 1e-9 * torch.eye(x.size(1), dtype=torch.float64)
    factor = torch.linalg.cholesky(covariance)
    return torch.linalg.solve_triangular(factor, x.T, upper=False).T


def main():
    rng = np.random.RandomState(4)
    torch.manual_seed(4)
    raw = rng.randn(300, 5) @ np.diag([1.0, 10.0, 0.01, 100.0, 1.0]) @ rng.randn(5, 5)
    target = torch.from_numpy(np.tanh(raw[:, 0] / raw[:, 0].std()).astype(np.float32)).to(device)
    features = whiten(raw).to(device, torch.float32)
    model = nn.Sequential(nn.Linear(5, 24), nn.Tanh(), nn.Linear(24, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(50):
        loss = (model(features).squeeze(1) - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
