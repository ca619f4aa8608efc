import torch
from torch import nn


class AttentionPool(nn.Module):
    def __init__(self, vocab, dim=16, classes=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.score = nn.Linear(dim, 1)
        self.out = nn.Linear(dim, classes)

    def forward(self, tokens, mask):
        x = self.embed(tokens)
        score = self.score(x).squeeze(-1).masked_fill(~mask, float("-inf"))
        pooled = (torch.softmax(score, dim=1).unsqueeze(-1) * x).sum(dim=1)
        return self.out(pooled)
