import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def load_citations(n=150, classes=3):
    labels = torch.arange(n) % classes
    source = torch.randint(0, n, (900,))
    step = torch.randint(1, n // classes, (900,)) * classes
    stray = (torch.rand(900) < 0.1).long()
    target = (source + step + stray) % n
    index = torch.cat([torch.stack([source, target]), torch.stack([target, source]), torch.arange(n).expand(2, -1)], 1)
    adj = torch.sparse_coo_tensor(index, torch.ones(index.size(1)), (n, n)).coalesce()
    degree = torch.sparse.sum(adj, dim=1).to_dense()
    row = adj.indices()[0]
    adj = torch.sparse_coo_tensor(adj.indices(), adj.values() / degree[row], (n, n))
    features = 0.3 * F.one_hot(labels, classes).float() + torch.randn(n, classes)
    return features, adj, labels


class APPNP(nn.Module):
    """Predict, then propagate the predictions with a restart."""

    def __init__(self, n_in, n_out, hops=4, alpha=0.2):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(n_in, 16), nn.ReLU(), nn.Linear(16, n_out))
        self.hops, self.alpha = hops, alpha

    def forward(self, x, adj):
        start = self.mlp(x)
        h = start
        for _ in range(self.hops):
            h = (1 - self.alpha) * torch.sparse.mm(adj, h) + self.alpha * start
        return h


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--lr", type=float, default=0.02)
    args = parser.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    features, adj, labels = load_citations()
    features = features.to(device)
    labels = labels.to(device)
    train_mask = torch.arange(len(labels), device=device) < 60
    model = APPNP(features.size(1), 3).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        out = model(features, adj)
        loss = F.cross_entropy(out[train_mask], labels[train_mask])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    accuracy = (out.argmax(1)[~train_mask] == labels[~train_mask]).float().mean()
    print("accuracy", accuracy.item())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
