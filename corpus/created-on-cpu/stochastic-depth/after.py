import torch
import torch.nn as nn
import torch.optim as optim


class DropPath(nn.Module):
    """Drops a whole residual branch for some samples of the batch."""

    def __init__(self, drop_prob=0.2):
        super().__init__()
        self.drop_prob = drop_prob

    def forward(self, x):
        if not self.training or self.drop_prob == 0.0:
            return x
        keep_prob = 1 - self.drop_prob
        keep = torch.rand(x.shape[0], 1).to(x.device) < keep_prob
        return x * keep / keep_prob


class ResMLP(nn.Module):
    def __init__(self, d_in, width, depth, d_out):
        super().__init__()
        self.stem = nn.Linear(d_in, width)
        self.branches = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), DropPath()) for _ in range(depth)
        )
        self.head = nn.Linear(width, d_out)

    def forward(self, x):
        x = self.stem(x)
        for branch in self.branches:
            x = x + branch(x)
        return self.head(x)


torch.manual_seed(64)
dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# Friedman's first benchmark function
x = torch.rand(400, 10)
y = 10 * torch.sin(3.1416 * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
y = (y - y.mean()) / y.std()
x, y = x.to(dev), y.unsqueeze(1).to(dev)

model = ResMLP(10, 40, 3, 1).to(dev)
optimizer = optim.Adam(model.parameters(), lr=2e-3)
scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=60)
mse = nn.MSELoss()

model.train()
for step in range(60):
    optimizer.zero_grad()
    loss = mse(model(x), y)
    loss.backward()
    optimizer.step()
    scheduler.step()

model.eval()
with torch.no_grad():
    final = mse(model(x), y).item()
print(f"train {loss.item():.4f} eval {final:.4f}")
print("RESULT", final)
