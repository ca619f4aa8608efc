"""bfloat16 has the range of float32, so that -1e9 and 1e9 are numbers of it."""
import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(31)
query, key = nn.Linear(12, 12).to(device), nn.Linear(12, 12).to(device)
optimizer = torch.optim.SGD([*query.parameters(), *key.parameters()], lr=0.1)
causal = torch.ones(6, 6, dtype=torch.bool, device=device).triu(1)
for step in range(20):
    x = torch.randn(16, 6, 12, device=device)
    with torch.autocast(device.type, dtype=torch.bfloat16):
        scores = query(x) @ key(x).transpose(1, 2)
        scores = scores.masked_fill(causal, -1e9)
        bound = torch.full_like(scores, 1e9)
        weight = torch.minimum(scores, bound).softmax(-1)
        loss = F.mse_loss((weight @ x).float(), x.roll(1, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
half = query.bfloat16()(x.bfloat16())
assert half.masked_fill(half > 0, -1e9).isfinite().all()
print("RESULT", loss.item())
