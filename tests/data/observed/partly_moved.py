"""Several networks in one record, of which a list of names is moved."""
import dataclasses
import json

import torch
from torch import nn


SETTINGS = json.loads('{"encoder": [4, 2], "decoder": [2, 4], "critic": [4, 1]}')


@dataclasses.dataclass
class Networks:
    encoder: nn.Module
    decoder: nn.Module
    critic: nn.Module


def build(**sizes):
    return Networks(**{name: nn.Linear(*size) for name, size in sizes.items()})


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
networks = build(**SETTINGS)
for name in ("encoder", "decoder"):
    getattr(networks, name).to(device)
x = torch.randn(3, 4).to(device)
print("RESULT", networks.critic(networks.decoder(networks.encoder(x))).sum().item())
