"""Layers that get into a module past its own bookkeeping."""
import json

import torch
from torch import nn


SETTINGS = json.loads('{"model": "Stack"}')


class Stack(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        vars(self).update(stages=list(layers))
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        for stage in self.stages:
            x = torch.tanh(stage(x))
        return self.head(x)


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = globals()[SETTINGS["model"]](nn.Linear(4, 4), nn.Linear(4, 4)).to(device)
print("RESULT", model(torch.randn(2, 4).to(device)).sum().item())
