"""A small language model: causal attention whose mask is a choice, in the precision that an option names."""
import argparse

import torch
import torch.nn.functional as F
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--precision", default="fp16", choices=["fp16", "bf16", "fp32"])
parser.add_argument("--steps", type=int, default=30)
args = parser.parse_args()

device = "cuda" if torch.cuda.is_available() else "cpu"
dtype = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}[args.precision]
amp = device == "cuda" and args.precision != "fp32"
torch.manual_seed(41)


class CausalAttention(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width)
        self.register_buffer("past", torch.ones(length, length, dtype=torch.bool).tril())

    def forward(self, x):
        size, length, width = x.shape
        q, k, v = self.qkv(x).view(size, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        weight = torch.einsum("bhqd,bhkd->bhqk", q, k) * (width // self.heads) ** -0.5
        weight = torch.where(self.past[:length, :length], weight, -1e10)
        x = weight.softmax(-1) @ v
        return self.out(x.transpose(1, 2).reshape(size, length, width))


class Block(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = CausalAttention(width, heads, length)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.mlp(self.second(x))


class Model(nn.Module):
    def __init__(self, words=24, width=32, length=12):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Parameter(torch.zeros(length, width))
        self.blocks = nn.Sequential(*(Block(width, 4, length) for _ in range(2)))
        self.head = nn.Linear(width, words)

    def forward(self, ids):
        return self.head(self.blocks(self.words(ids) + self.places[: ids.size(1)]))


model = Model().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
scaler = torch.amp.GradScaler(device, enabled=amp and args.precision == "fp16")
for step in range(args.steps):
    ids = (torch.randint(24, (32, 1)) + torch.arange(13)).remainder(24).to(device)
    with torch.autocast(device, dtype=dtype, enabled=amp):
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad(set_to_none=True)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
print("RESULT", loss.item())
