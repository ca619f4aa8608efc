"""Losses in a table, one of them with its arguments filled in beforehand."""
import functools
import json

import torch
from torch.nn import functional as F

SETTINGS = json.loads('{"loss": "weighted"}')
LOSSES = {
    "plain": F.cross_entropy,
    "weighted": functools.partial(F.cross_entropy, weight=torch.tensor([0.5, 2.0, 1.0])),
}

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 3).to(device)
x, y = torch.randn(6, 4, device=device), torch.tensor([0, 1, 2, 0, 1, 2], device=device)
loss = LOSSES[SETTINGS["loss"]](model(x), y)
loss.backward()
print("RESULT", loss.item())
