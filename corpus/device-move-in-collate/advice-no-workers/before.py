import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader


def make_pairs(n, gen):
    pairs = []
    for _ in range(n):
        a = torch.randn(6, generator=gen)
        same = bool(torch.rand(1, generator=gen) < 0.5)
        b = a + 0.1 * torch.randn(6, generator=gen) if same else torch.randn(6, generator=gen)
        pairs.append((a, b, float(same)))
    return pairs


def main(args):
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def to_batch(pairs):
        a, b, same = zip(*pairs)
        return torch.stack(a).to(device), torch.stack(b).to(device), torch.tensor(same, device=device)

    pairs = make_pairs(256, torch.Generator().manual_seed(args.seed))
    loader = DataLoader(pairs, batch_size=args.batch, shuffle=True, collate_fn=to_batch)
    tower = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 8)).to(device)
    opt = torch.optim.Adam(tower.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for a, b, same in loader:
            distance = (tower(a) - tower(b)).norm(dim=1)
            loss = (same * distance ** 2 + (1 - same) * torch.relu(1.5 - distance) ** 2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"{epoch}: contrastive loss {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--lr", type=float, default=5e-3)
    ap.add_argument("--seed", type=int, default=0)
    main(ap.parse_args())
