"""The numbers leave autocast's precision before they reach NumPy, by one way or another."""
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
x = torch.randn(3, 4, device=device)


class Wide(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x).float()


with torch.no_grad(), torch.autocast(device.type, dtype=torch.bfloat16):
    wide = Wide(model)(x)
    with torch.autocast(device.type, enabled=False):
        plain = model(x)
    lowered = model(x)
    chances = lowered.softmax(-1, dtype=torch.float32)
print(wide.cpu().numpy(), plain.cpu().numpy(), chances.cpu().numpy())
print(np.mean([score.item() for score in lowered[0]]), np.array(lowered.tolist()))
after = model(x).detach()
print(np.asarray(after.cpu()))
