"""A stacked GRU that reads a melody a bar at a time and guesses the next note."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

NOTES = 12


def melodies(count, length, seed=5):
    gen = torch.Generator().manual_seed(seed)
    start = torch.randint(0, NOTES, (count, 1), generator=gen)
    step = torch.randint(1, 5, (count, 1), generator=gen)
    notes = (start + step * torch.arange(length + 1)) % NOTES
    return notes[:, :-1], notes[:, 1:]


class BarReader(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.hidden = hidden
        self.embed = nn.Embedding(NOTES, hidden)
        self.cells = nn.ModuleList([nn.GRUCell(hidden, hidden) for _ in range(2)])
        self.out = nn.Linear(hidden, NOTES)

    def forward(self, bar, states):
        scores = []
        for note in bar.unbind(1):
            h = self.embed(note)
            for level, cell in enumerate(self.cells):
                h = states[level] = cell(h, states[level])
            scores.append(self.out(h))
        return torch.stack(scores, dim=1)


def first_states(model, size, device):
    states = [torch.zeros(size, model.hidden) for _ in model.cells]
    for state in states:
        state = state.to(device)
    return states


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden", type=int, default=24)
    parser.add_argument("--epochs", type=int, default=2)
    opt = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = BarReader(opt.hidden).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    loader = DataLoader(TensorDataset(*melodies(64, 8)), batch_size=16)
    total = 0.0
    for epoch in range(opt.epochs):
        total = 0.0
        for batch in loader:
            for part in batch:
                part = part.to(device, non_blocking=True)
            notes, following = batch
            states = first_states(model, len(notes), device)
            scores = model(notes, states)
            loss = nn.functional.cross_entropy(scores.flatten(0, 1), following.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: {total / len(loader):.3f}")
    print("RESULT", total)


if __name__ == "__main__":
    main()
