# %%
"""Sparse coding of one-dimensional patches; the last cell prepares the figure."""
import numpy as np
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(33)

# %%
def patches(n, width=20):
    rng = np.random.default_rng(33)
    where = rng.integers(2, width - 2, n)
    sign = rng.choice([-1.0, 1.0], n)
    x = np.exp(-0.5 * (np.arange(width)[None] - where[:, None]) ** 2) * sign[:, None]
    return torch.tensor(x, dtype=torch.float32)

data = patches(512).to(device)

# %%
class SparseCoder(nn.Module):
    def __init__(self, width=20, atoms=12):
        super().__init__()
        self.encode = nn.Linear(width, atoms)
        self.decode = nn.Linear(atoms, width, bias=False)

    def forward(self, x):
        code = torch.relu(self.encode(x))
        return self.decode(code), code

model = SparseCoder().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

# %%
curve = []
for step in range(80):
    recon, code = model(data)
    loss = (recon - data).pow(2).mean() + 1e-3 * code.abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    curve.append(loss.item())

# %%
atoms = model.decode.weight.detach().cpu().numpy().T
order = np.argsort(-np.abs(atoms).max(axis=1))
usage = (code.detach() > 0).float().mean(dim=0).cpu().numpy()
for rank, k in enumerate(order[:3]):
    print(f"atom {rank}: peak at {np.abs(atoms[k]).argmax()}, used by {usage[k]:.0%} of the patches")

# %%
print("loss", np.round(curve[-1], 5))
print("RESULT", float(np.abs(atoms).max()))
