# Denoising by masked reconstruction; all data fits on the device, only the indices are drawn on the host.
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(17)

t = torch.linspace(0, 6.28, 32)
data = torch.stack([torch.sin(t * k / 4 + p) for k in range(1, 9) for p in range(16)]).to(device)
net = nn.Sequential(nn.Linear(32, 48), nn.ReLU(), nn.Linear(48, 32)).to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)

step_size = torch.tensor(0.9)
smoothed = torch.tensor(0.0)
for epoch in range(8):
    perm = torch.randperm(data.size(0))
    for i in range(0, data.size(0), 32):
        batch = data[perm[i:i + 32]]
        hidden = torch.rand(32) < 0.25
        corrupted = batch.clone()
        corrupted[:, hidden] = 0.0
        restored = net(corrupted)
        loss = (restored[:, hidden] - batch[:, hidden]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        smoothed = step_size * smoothed + (1 - step_size) * loss.detach().cpu()
    scaled = restored.detach() * step_size
    print(f"epoch {epoch} loss {loss.item():.4f} smoothed {smoothed.item():.4f} peak {scaled.max().item():.3f}")
print("RESULT", smoothed.item())
