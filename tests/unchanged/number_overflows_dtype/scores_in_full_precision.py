"""Under autocast not all that looks like a score is half: these are float32, where -1e9 is a number."""

import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Pooling(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project, self.norm = nn.Linear(width, width), nn.LayerNorm(width)
        self.bias = nn.Parameter(torch.zeros(width))
        self.temperature = nn.Parameter(torch.ones(1))

    def forward(self, x, mask):
        scores = self.project(x)
        biased = (scores + self.bias).masked_fill(mask, -1e9)
        scaled = (scores * self.temperature).masked_fill(mask, -1e9)
        normed = self.norm(scores).masked_fill(mask, -1e9)
        kernel = (-torch.cdist(x, x)).masked_fill(mask[..., :1], -1e9)
        squared = torch.where(mask, -1e9, scores.pow(2))
        similar = F.cosine_similarity(scores, x, dim=-1).masked_fill(mask[..., 0], -1e9)
        summed = scores.sum(-1).masked_fill(mask[..., 0], -1e9)
        logs = scores.log_softmax(-1).masked_fill(mask, -1e9)
        widened = scores.float().masked_fill(mask, -1e9)
        with torch.autocast(x.device.type, enabled=False):
            plain = (x @ x.transpose(1, 2)).masked_fill(mask[..., :1], -1e9)
        return biased, scaled, normed, kernel, squared, similar, summed, logs, widened, plain


model = Pooling(8).to(device)
x = torch.randn(2, 5, 8, device=device)
mask = torch.zeros(2, 5, 8, dtype=torch.bool, device=device)
with torch.autocast(device.type, dtype=torch.float16):
    print(sum(out.amax() for out in model(x, mask)))
