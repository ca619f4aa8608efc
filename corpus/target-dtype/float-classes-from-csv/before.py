import io

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def fake_csv(rows=300):
    rng = np.random.default_rng(6)
    species = rng.integers(0, 3, rows)
    sizes = rng.normal(0, 0.6, (rows, 4)) + species[:, None] * np.array([0.8, -0.4, 1.2, 0.3])
    buffer = io.StringIO()
    np.savetxt(buffer, np.column_stack([sizes, species]), delimiter=",", fmt="%.5f")
    buffer.seek(0)
    return buffer


table = np.loadtxt(fake_csv(), delimiter=",", dtype=np.float32)
inputs = torch.from_numpy(table[:, :4])
targets = torch.from_numpy(table[:, 4])
loader = DataLoader(TensorDataset(inputs, targets), batch_size=30, shuffle=False)

torch.manual_seed(6)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3)).to(device)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

for epoch in range(6):
    correct = 0
    for x, y in loader:
        x = x.to(device)
        y = y.to(device)
        logits = model(x)
        loss = criterion(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        correct += (logits.argmax(1) == y).sum().item()
    print(f"epoch {epoch}: loss {loss.item():.4f}, accuracy {correct / len(targets):.3f}")

print("RESULT", loss.item())
