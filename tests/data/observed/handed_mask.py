"""A mask of numbers that reaches its use by a name in a table of steps: no cast can be written there."""
import json

import torch

STEPS = json.loads('[{"name": "masked_fill", "value": -10.0}]')


def carried_out(name, x, *given):
    return getattr(x, name)(*given)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(2, 4, device=device)
keep = torch.tensor(json.loads("[1, 0, 1, 1]"), device=device)
for step in STEPS:
    x = carried_out(step["name"], x, keep, step["value"])
print("RESULT", x.sum().item())
