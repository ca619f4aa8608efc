import copy
import os
import tempfile

import torch
import torch.nn as nn

torch.manual_seed(17)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# two moons by hand
n = 240
theta = torch.rand(n) * 3.1416
side = torch.arange(n) % 2
x = torch.stack([torch.cos(theta) + side, torch.sin(theta) * (1 - 2 * side) + 0.4 * side], dim=1)
x = x + 0.1 * torch.randn(n, 2)
train_x, train_y = x[:160].to(device), side[:160].to(device)
valid_x, valid_y = x[160:].to(device), side[160:].to(device)

model = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 2)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
loss_fn = nn.CrossEntropyLoss()

folder = tempfile.TemporaryDirectory()
best_file = os.path.join(folder.name, "best.pt")
best = float("inf")
for epoch in range(40):
    model.train()
    optimizer.zero_grad()
    loss = loss_fn(model(train_x), train_y)
    loss.backward()
    optimizer.step()

    model.eval()
    with torch.no_grad():
        val = loss_fn(model(valid_x), valid_y).item()
    if val < best:
        best = val
        torch.save(copy.deepcopy(model.state_dict()), best_file)

model.load_state_dict(torch.load(best_file))
with torch.no_grad():
    final = loss_fn(model(valid_x), valid_y).item()
folder.cleanup()
print("best validation loss", best)
print("RESULT", final)
