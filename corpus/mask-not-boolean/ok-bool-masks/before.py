"""Masks that are bools from the start, and one that is cast where it is used."""
import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(79)
encoder = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True).to(device)
head = nn.Linear(16, 1).to(device)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=3e-3)
for step in range(20):
    lengths = torch.randint(2, 7, (32,), device=device)
    x = torch.randn(32, 6, 16, device=device)
    padding = torch.arange(6, device=device)[None] >= lengths[:, None]
    weight = (~padding).float()
    hidden = encoder(x, src_key_padding_mask=padding)
    scores = head(hidden).squeeze(-1).masked_fill(weight == 0, 0.0)
    scores = torch.where(weight.bool(), scores, torch.zeros_like(scores))
    target = x[..., 0].masked_fill(padding | (x[..., 1] > 2), 0.0)
    loss = F.mse_loss(scores, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("RESULT", loss.item())
