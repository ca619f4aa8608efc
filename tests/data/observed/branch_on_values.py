"""Which tensors are gathered depends on the values that were computed."""
import json

import torch

STEPS = json.loads('["gather"]')
torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def boxes_of(scores):
    keep = scores[scores > 0.9]
    if keep.numel() == 0:
        return torch.zeros(1)
    return keep


def gather(batch):
    parts = list(map(boxes_of, batch))
    return torch.cat(parts)


scores = torch.rand(5, 6).to(device)
scores[2] = 0.0
for step in STEPS:
    scores = globals()[step](scores)
print("RESULT", scores.sum().item())
