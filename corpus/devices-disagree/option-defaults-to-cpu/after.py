"""Next-note prediction: the model is where the option says, the notes go where they can."""

import argparse

import torch
from torch import nn

MELODY = [0, 2, 4, 5, 7, 5, 4, 2] * 12


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", type=str, default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--steps", type=int, default=15)
    return parser.parse_args()


def chunk(length=8, count=6):
    starts = torch.randint(0, len(MELODY) - length - 1, (count,)).tolist()
    notes = torch.tensor([MELODY[start : start + length + 1] for start in starts])
    if torch.cuda.is_available():
        notes = notes.cuda()
    return notes[:, :-1], notes[:, 1:]


class Player(nn.Module):
    def __init__(self, notes=8, width=12):
        super().__init__()
        self.embed = nn.Embedding(notes, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, notes)

    def forward(self, x):
        hidden, _ = self.rnn(self.embed(x))
        return self.out(hidden)


def main():
    args = options()
    torch.manual_seed(0)
    player = Player().to(args.device)
    optimizer = torch.optim.Adam(player.parameters(), lr=1e-2)
    for _ in range(args.steps):
        x, y = chunk()
        loss = nn.functional.cross_entropy(player(x).flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
