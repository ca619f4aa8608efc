"""Metrics by their names, some of which go through NumPy."""
import json

import numpy as np
import torch

SETTINGS = json.loads('{"metrics": ["accuracy", "confidence"]}')


def accuracy(predictions, labels):
    return float(np.mean(predictions.argmax(1).numpy() == labels.numpy()))


def confidence(predictions, labels):
    return predictions.softmax(1).max(1).values.mean().item()


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(4, 3).to(device)
x, y = torch.randn(8, 4).to(device), torch.randint(3, (8,)).to(device)
with torch.no_grad():
    found = {name: globals()[name](model(x), y) for name in SETTINGS["metrics"]}
print("RESULT", sum(found.values()))
