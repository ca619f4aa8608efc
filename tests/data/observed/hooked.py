"""A hook that changes what a layer returns."""
import json

import torch
from torch import nn

SETTINGS = json.loads('{"0": [3, 0.5], "2": [1, -1.0]}')
EDITS = {int(name): torch.full((size,), value) for name, (size, value) in SETTINGS.items()}


def edit(number):
    def hook(module, inputs, output):
        return output + EDITS[number]

    return hook


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)).to(device)
for index, layer in enumerate(model):
    if index in EDITS:
        getattr(layer, "register_" + "forward_hook")(edit(index))
print("RESULT", model(torch.ones(2, 2).to(device)).sum().item())
