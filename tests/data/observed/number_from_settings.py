"""Which numbers scores are masked with stands in settings, and whether they are half the accelerator decides."""

import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
SETTINGS = {"layer": "Linear", "fill": "-1e9", "half": {"cuda": "float16", "cpu": "bfloat16"}[device.type]}


def masked(scores, mask, fill):
    return scores.masked_fill(mask, fill)


class Picker(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.layer = getattr(nn, settings["layer"])(8, 8)
        self.fill = float(settings["fill"])

    def forward(self, x, mask):
        scores = self.layer(x)
        first = masked(scores, mask, self.fill)
        second = torch.where(mask, self.fill, scores)
        wide = F.pad(scores, (0, 1), value=self.fill)
        return first.softmax(-1).sum() + second.softmax(-1).mean() + wide.softmax(-1).mean()


torch.manual_seed(0)
picker = Picker(SETTINGS).to(device)
x = torch.randn(4, 8, device=device)
mask = torch.arange(8, device=device) > torch.tensor([[1], [3], [5], [7]], device=device)
with torch.autocast(device.type, dtype=getattr(torch, SETTINGS["half"])):
    out = picker(x, mask)
print("RESULT", out.item())
