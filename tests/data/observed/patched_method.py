"""A forward pass that is put in place of another one's at run time."""
import types

import torch
from torch import nn


def noisy_forward(self, x):
    noise = self.source(x.shape)
    return self.plain(x + noise)


def patch(module, **extra):
    for name, value in extra.items():
        object.__setattr__(module, name, value)
    module.plain = module.forward
    module.forward = types.MethodType(noisy_forward, module)
    return module


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = patch(nn.Linear(4, 2), source=lambda shape: torch.randn(shape) * 0.1).to(device)
print("RESULT", model(torch.ones(3, 4).to(device)).sum().item())
