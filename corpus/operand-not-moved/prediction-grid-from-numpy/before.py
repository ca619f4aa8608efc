# %% [markdown]
# ## Fitting an implicit curve
# Exported from the notebook `curve.ipynb`.

# %%
import numpy as np
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
rng = np.random.default_rng(17)
torch.manual_seed(17)

# %%
points = rng.uniform(-1.5, 1.5, size=(600, 2)).astype(np.float32)
inside = ((points ** 2).sum(1) < 1.0).astype(np.float32)

X = torch.from_numpy(points).to(device)
y = torch.from_numpy(inside).to(device)

# %%
net = nn.Sequential(
    nn.Linear(2, 32),
    nn.SiLU(),
    nn.Linear(32, 32),
    nn.SiLU(),
    nn.Linear(32, 1),
).to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
bce = nn.BCEWithLogitsLoss()

# %%
history = []
for step in range(80):
    loss = bce(net(X).squeeze(-1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append(loss.item())
print(f"final loss {history[-1]:.4f}")

# %%
# evaluate on a regular grid
side = 25
axis = np.linspace(-1.5, 1.5, side, dtype=np.float32)
grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
grid_t = torch.from_numpy(grid)

with torch.no_grad():
    field = torch.sigmoid(net(grid_t)).reshape(side, side)

area = field.mean().item() * 9.0
print(f"area of the disc: {area:.3f} (pi = {np.pi:.3f})")
print("RESULT", area)
