import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def mixup(x, y, classes, alpha=0.4):
    lam = torch.distributions.Beta(alpha, alpha).sample().item()
    perm = torch.randperm(x.size(0))
    soft = F.one_hot(y.long(), classes).float()
    return lam * x + (1 - lam) * x[perm], lam * soft + (1 - lam) * soft[perm]


def tiles(n, seed):
    gen = torch.Generator().manual_seed(seed)
    kind = torch.randint(0, 5, (n,), generator=gen, dtype=torch.uint8)
    x = 0.5 * torch.randn(n, 20, generator=gen)
    x[torch.arange(n), kind.long() * 4] += 2
    return TensorDataset(x, kind)


def main():
    torch.manual_seed(68)
    model = nn.Sequential(nn.Linear(20, 30), nn.ReLU(), nn.Linear(30, 5)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(3):
        for x, kind in DataLoader(tiles(300, 0), batch_size=50, shuffle=True):
            x, kind = x.to(device), kind.to(device)
            mixed, soft = mixup(x, kind, 5)
            loss = criterion(model(mixed), soft)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} mixup loss {loss.item():.4f}")
    with torch.no_grad():
        x, kind = (t.to(device) for t in tiles(100, 1).tensors)
        hard = criterion(model(x), kind).item()
    print("hard loss", hard)
    print("RESULT", hard)


if __name__ == "__main__":
    main()
