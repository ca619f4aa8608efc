"""Click-through model on hashed ad features, trained with Adagrad as in the original paper."""
import torch
import torch.nn as nn
import torch.nn.functional as F

FIELDS = 6
BUCKETS = 120


class WideAndDeep(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.wide = nn.Embedding(FIELDS * BUCKETS, 1)
        self.deep = nn.Embedding(FIELDS * BUCKETS, dim)
        self.mlp = nn.Sequential(nn.Linear(FIELDS * dim, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, ids):
        wide = self.wide(ids).sum(dim=(1, 2))
        deep = self.mlp(self.deep(ids).flatten(1)).squeeze(1)
        return wide + deep


def make_clicks(n=2048):
    raw = torch.randint(0, BUCKETS, (n, FIELDS))
    taste = torch.linspace(-1, 1, BUCKETS)
    score = taste[raw[:, 0]] * taste[raw[:, 1]] * 6 + taste[raw[:, 2]]
    clicked = (torch.rand(n) < torch.sigmoid(score)).float()
    offsets = torch.arange(FIELDS) * BUCKETS
    return raw + offsets, clicked


def main():
    torch.manual_seed(7)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    ids, clicked = make_clicks()
    ids, clicked = ids.to(device), clicked.to(device)

    model = WideAndDeep()
    model.to(device)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)

    for epoch in range(4):
        total = 0.0
        for start in range(0, len(ids), 256):
            x, y = ids[start:start + 256], clicked[start:start + 256]
            loss = F.binary_cross_entropy_with_logits(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: logloss {total / 8:.4f}")
    print("RESULT", total / 8)


if __name__ == "__main__":
    main()
