import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(77)

# --- data: energy of a particle shower in 5 x 5 cells, position of its centre as target
n = 500
centre = torch.rand(n, 2) * 4
rows, cols = torch.meshgrid(torch.arange(5.0), torch.arange(5.0), indexing="ij")
d2 = (rows.flatten() - centre[:, :1]) ** 2 + (cols.flatten() - centre[:, 1:]) ** 2
cells = torch.exp(-d2) + 0.02 * torch.rand(n, 25)

train_set = TensorDataset(cells[:400].to(device), centre[:400].to(device))
valid_set = TensorDataset(cells[400:].to(device), centre[400:].to(device))
train_loader = DataLoader(train_set, batch_size=50, shuffle=True, pin_memory=False)
valid_loader = DataLoader(valid_set, batch_size=100, pin_memory=False)

# --- model
model = nn.Sequential(nn.Linear(25, 64), nn.ReLU(), nn.Linear(64, 2)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

# --- training
for epoch in range(4):
    for x, y in train_loader:
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    with torch.no_grad():
        valid = sum(F.mse_loss(model(x), y).item() for x, y in valid_loader)
    print(f"epoch {epoch}: train {loss.item():.4f}, valid {valid:.4f}")

print("RESULT", valid)
