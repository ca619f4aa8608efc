"""A sentence encoder with padding, trained in mixed precision where there is a GPU."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

NEGATIVE = -1e9
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
use_amp = device.type == "cuda"
torch.manual_seed(5)


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x, padding):
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(x.size(-1))
        scores = scores.masked_fill(padding[:, None, :], torch.finfo(scores.dtype).min)
        return F.softmax(scores, dim=-1) @ v


class Pool(nn.Module):
    """One weight for each word, none for padding."""

    def __init__(self, width):
        super().__init__()
        self.score = nn.Linear(width, 1)

    def forward(self, x, padding):
        weight = self.score(x).squeeze(-1)
        weight.masked_fill_(padding, max(NEGATIVE, torch.finfo(weight.dtype).min))
        return (weight.softmax(-1).unsqueeze(-1) * x).sum(1)


class Encoder(nn.Module):
    def __init__(self, words=30, width=16):
        super().__init__()
        self.embed = nn.Embedding(words, width, padding_idx=0)
        self.attend, self.pool, self.out = Attention(width), Pool(width), nn.Linear(width, 2)

    def forward(self, ids):
        padding = ids == 0
        x = self.embed(ids)
        return self.out(self.pool(x + self.attend(x, padding), padding))


def batch(size=48, length=9):
    ids = torch.randint(1, 30, (size, length))
    ids[torch.arange(length) >= torch.randint(4, length + 1, (size, 1))] = 0
    return ids, (ids > 24).any(1).long()


model = Encoder().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler(device.type, enabled=use_amp)
for step in range(40):
    ids, labels = (each.to(device) for each in batch())
    with torch.autocast(device.type, dtype=torch.float16, enabled=use_amp):
        loss = F.cross_entropy(model(ids), labels)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
print("RESULT", loss.item())
