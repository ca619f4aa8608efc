"""Objects made from a configuration, by the names of their classes."""
import importlib
import json

import torch

CONFIG = json.loads("""
{"model": {"_target_": "parts.Scaled", "size": 5}, "loss": {"_target_": "parts.Weighted", "weights": [1.0, 2.0, 0.5]}}
""")


def instantiate(config):
    module, _, name = config["_target_"].rpartition(".")
    arguments = {key: value for key, value in config.items() if key != "_target_"}
    return getattr(importlib.import_module(module), name)(**arguments)


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = instantiate(CONFIG["model"]).to(device)
criterion = instantiate(CONFIG["loss"])
x, y = torch.randn(8, 5, device=device), torch.randint(3, (8,)).to(device)
loss = criterion(model(x), y)
loss.backward()
print("RESULT", loss.item())
