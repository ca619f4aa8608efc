"""A model that a plugin named in the settings builds."""
import importlib
import json

import torch

SETTINGS = json.loads('{"plugin": "blocks", "width": 6}')
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = importlib.import_module(SETTINGS["plugin"]).build(SETTINGS["width"])
x = torch.randn(4, 6).to(device)
print("RESULT", model(x).sum().item())
