"""What ``**options`` holds is read from a file: a device, perhaps."""

import json
import sys

import torch
from torch import nn


def prior(size, **options):
    return torch.ones(size, **options)


class Offset(nn.Module):
    def __init__(self, size, options):
        super().__init__()
        self.options = options
        self.linear = nn.Linear(size, size, **options)

    def forward(self, x):
        return self.linear(x) + torch.arange(x.shape[-1], **self.options)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
options = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {"device": str(device), "dtype": torch.float32}
weight = torch.ones(3, device=device)
print("RESULT", (Offset(3, options)(weight) + prior(3, **options) * weight).sum().item() * 0)
