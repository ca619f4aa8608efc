"""`nn.Buffer` is registered by being assigned; `torch.embedding` takes the table first."""

import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, length, size):
        super().__init__()
        self.table = nn.Buffer(torch.arange(float(length * size)).view(length, size))
        self.register_buffer("angles", torch.sin(torch.arange(float(length * size)).view(length, size)))
        self.linear = nn.Linear(size, size)

    def forward(self, position):
        return self.linear(torch.embedding(self.angles, position)) + self.table[position]


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Positions(4, 2).to(device)
print("RESULT", model(torch.tensor([1, 2], device=device)).sum().item())
