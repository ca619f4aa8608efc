"""`_apply` is what every move comes down to, and it is overridden to take the hidden parts along."""

import torch
from torch import nn


class Hidden(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.scale = torch.ones(2)
        self.others = [nn.Linear(2, 2)]

    def _apply(self, fn, *args, **kwargs):
        super()._apply(fn, *args, **kwargs)
        self.scale = fn(self.scale)
        for other in self.others:
            other._apply(fn)
        return self

    def forward(self, x):
        return self.others[0](self.first(x)) * self.scale


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print("RESULT", Hidden().to(device)(torch.ones(1, 2, device=device)).sum().item())
