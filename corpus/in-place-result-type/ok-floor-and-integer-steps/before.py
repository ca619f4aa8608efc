"""Integer tensors in place: whole steps, floor division and masks all fit where they are written."""
import torch
import torch.nn as nn

torch.manual_seed(5)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Embedding(20, 4).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
tokens = torch.arange(12, device=device)
for step in range(20):
    ids = tokens.clone()
    ids += step
    ids //= 2
    ids *= 3
    ids %= 20
    ids.clamp_(1, 19)
    ids[ids > 15] = 0
    ids.div_(2, rounding_mode="floor")
    count = torch.zeros(20, dtype=torch.int64, device=device)
    count.add_(torch.bincount(ids, minlength=20))
    count -= count.min()
    loss = (net(ids) - ids.float().unsqueeze(1) / 20).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("largest count", count.max().item())
print("RESULT", loss.item())
