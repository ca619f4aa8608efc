"""Weights of classes in a dtype that a configuration names; the predictions are right."""
import json

import torch
from torch import nn

SETTINGS = json.loads('{"dtype": "float64", "weights": [0.2, 0.8]}')

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weights = torch.tensor(SETTINGS["weights"], dtype=getattr(torch, SETTINGS["dtype"]), device=device)
torch.manual_seed(0)
net = nn.Linear(3, 2).to(device)
criterion = nn.CrossEntropyLoss(weight=weights)
loss = criterion(net(torch.ones(4, 3, device=device)), torch.tensor([0, 1, 1, 0], device=device))
loss.backward()
print("RESULT", loss.item())
