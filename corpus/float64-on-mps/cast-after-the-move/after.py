import numpy as np
import torch
import torch.nn as nn

if torch.cuda.is_available():
    device = torch.device("cuda")
elif torch.backends.mps.is_available():
    device = torch.device("mps")
else:
    device = torch.device("cpu")

rng = np.random.default_rng(0)
torch.manual_seed(0)

# sound pressure at eight microphones, position of the source as target
microphones = rng.uniform(-1, 1, (8, 2))
source = rng.uniform(-1, 1, (400, 2))
distance = np.linalg.norm(source[:, None] - microphones[None], axis=-1)
pressure = 1 / (distance + 0.1) + 0.01 * rng.standard_normal(distance.shape)

x = torch.from_numpy(pressure).float().to(device)
y = torch.from_numpy(source).float().to(device)

model = nn.Sequential(nn.Linear(8, 48), nn.ReLU(), nn.Linear(48, 2)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(60):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(step, loss.item())
print("RESULT", loss.item())
