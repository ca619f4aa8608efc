"""Chess-like openings: the moves are ids, the clock is a float."""
import argparse
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

MOVES = ["e4", "d4", "c4", "Nf3", "e5", "d5", "c5", "Nf6", "g6", "a6"]


def games(n, seed):
    rng = random.Random(seed)
    for _ in range(n):
        moves = [rng.choice(MOVES) for _ in range(6)]
        clock = [rng.uniform(0, 60) for _ in range(6)]
        yield moves, clock, int(moves.count("e4") + moves.count("c5") > 1)


def collate(rows):
    ids = torch.tensor([[MOVES.index(m) for m in moves] for moves, _, _ in rows])
    clock = torch.tensor([clock for _, clock, _ in rows]).double() / 60
    label = torch.tensor([label for _, _, label in rows], dtype=torch.int64)
    return ids, clock, label


class OpeningNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.moves = nn.Embedding(len(MOVES), 8)
        self.fc = nn.Linear(9 * 6, 2)

    def forward(self, ids, clock):
        h = torch.cat([self.moves(ids), clock.float().unsqueeze(-1)], dim=-1)
        h = h * F.one_hot(ids.remainder(2), 2)[..., :1].add(1)
        return self.fc(h.flatten(1))


def main(epochs):
    torch.manual_seed(94)
    device = torch.device("cuda:0") if torch.cuda.is_available() else torch.device("cpu")
    net = OpeningNet().to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    data = list(games(300, 94))
    for epoch in range(epochs):
        for ids, clock, label in DataLoader(data, batch_size=30, collate_fn=collate):
            loss = F.cross_entropy(net(ids.to(device), clock.to(device)), label.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, "loss", loss.item())
    print("RESULT", loss.item())


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=4)
    main(p.parse_args().epochs)
