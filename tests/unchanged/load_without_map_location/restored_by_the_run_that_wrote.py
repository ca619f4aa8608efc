"""Helpers save and restore; the script reads what it has written, on the machine it runs on."""

import os
import tempfile

import torch
from torch import nn


def store(model, path):
    torch.save({"weights": model.state_dict()}, path)


def restore(model, path):
    model.load_state_dict(torch.load(path)["weights"])
    return model


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "model.pt")
    model = nn.Linear(2, 2).to(device)
    store(model, file)
    served = restore(nn.Linear(2, 2), file).to(device)
print("RESULT", served(torch.ones(1, 2, device=device)).sum().item())
