"""A generator that a helper makes by its name."""
import json

import torch

SETTINGS = json.loads('{"source": "Generator"}')


def by_name(name, seed):
    return getattr(torch, name)().manual_seed(seed)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = by_name(SETTINGS["source"], 3)
noise = torch.rand(4, generator=generator, device=device)
print("RESULT", noise.sum().item())
