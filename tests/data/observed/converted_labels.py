"""Labels that a table of conversions makes int32."""
import json

import torch
from torch.nn import functional as F

SETTINGS = json.loads('{"labels": "compact"}')
CONVERSIONS = {"compact": lambda t: t.to(getattr(torch, "int" + "32")), "none": lambda t: t}


def prepared(labels, how):
    return CONVERSIONS[how](labels)


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
logits = torch.randn(4, 3, device=device, requires_grad=True)
labels = prepared(torch.tensor([0, 2, 1, 1]), SETTINGS["labels"]).to(device)
loss = F.cross_entropy(logits, labels)
loss.backward()
print("RESULT", loss.item())
