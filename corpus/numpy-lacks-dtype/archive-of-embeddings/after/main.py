"""Documents are embedded in the precision that the machine is good at, and filed."""
import numpy as np
import torch
from torch import nn

from archive import Archive

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
precision = torch.bfloat16 if torch.cuda.is_available() else torch.float32
torch.manual_seed(8)


class Embedder(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.project = nn.Linear(width, width)

    def forward(self, ids):
        return self.project(self.words(ids).mean(1))


embedder = Embedder(100, 16).to(device, precision).eval()
archive = Archive()
documents = torch.arange(96).view(12, 8)
with torch.no_grad():
    for ids in documents.split(4):
        vectors = embedder(ids.to(device))
        archive.add(vectors.cpu())
    asked = embedder(documents[:2].to(device)).float().cpu().numpy()
found = archive.nearest(asked)
assert (found[:, 0] == np.arange(2)).all()
print("RESULT", found[:, 0].sum())
