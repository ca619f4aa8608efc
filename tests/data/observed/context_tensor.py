"""A context manager that hands out a tensor."""
import contextlib
import json

import torch

SETTINGS = json.loads('{"scaling": "temperature"}')


@contextlib.contextmanager
def temperature(*values):
    held = {"value": torch.tensor(values)}
    yield held.pop("value")


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
logits = torch.randn(2, 3).to(device)
with globals()[SETTINGS["scaling"]](0.5, 1.0, 2.0) as scale:
    print("RESULT", (logits / scale).softmax(1).max().item())
