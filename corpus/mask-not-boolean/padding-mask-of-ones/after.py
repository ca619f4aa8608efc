"""Attention pooling over sets of different sizes; the mask counts the items as well."""
import torch
import torch.nn as nn
import torch.nn.functional as F

LONGEST = 7
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Pool(nn.Module):
    def __init__(self, features, dim):
        super().__init__()
        self.embed = nn.Linear(features, dim)
        self.score = nn.Linear(dim, 1)
        self.out = nn.Linear(dim + 1, 2)

    def forward(self, items, padding):
        hidden = torch.tanh(self.embed(items))
        scores = self.score(hidden).squeeze(-1)
        scores = scores.masked_fill(padding.bool(), float("-inf"))
        pooled = (scores.softmax(1).unsqueeze(-1) * hidden).sum(1)
        missing = padding.sum(1, keepdim=True) / LONGEST
        return self.out(torch.cat([pooled, missing], dim=1))


def sets(n):
    lengths = torch.randint(2, LONGEST + 1, (n,))
    padding = (torch.arange(LONGEST)[None] >= lengths[:, None]).long()
    items = torch.randn(n, LONGEST, 3)
    largest = items[..., 0] - 100 * padding
    return items, padding, (largest.max(1).values > 1.0).long()


def main():
    torch.manual_seed(71)
    net = Pool(3, 16).to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for step in range(60):
        items, padding, label = (part.to(device) for part in sets(64))
        loss = F.cross_entropy(net(items, padding), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
