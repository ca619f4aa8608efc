import random

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Essays(Dataset):
    """Essays as token counts with a grade; the file name travels along for the error analysis."""

    def __init__(self, count, device, vocab=60):
        rng = random.Random(5)
        self.device = device
        self.rows = []
        for i in range(count):
            grade = rng.randint(0, 4)
            counts = [0] * vocab
            for _ in range(80):
                counts[min(vocab - 1, int(rng.expovariate(0.05 + 0.04 * grade)))] += 1
            self.rows.append((f"essay_{i:04d}.txt", counts, grade))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        name, counts, grade = self.rows[i]
        return {
            "name": name,
            "counts": torch.tensor(counts, dtype=torch.float32),
            "grade": torch.tensor(grade),
        }


class Grader(nn.Module):
    def __init__(self, vocab=60, hidden=32, grades=5):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(vocab, hidden), nn.LayerNorm(hidden), nn.GELU(), nn.Linear(hidden, grades))

    def forward(self, counts):
        return self.layers(counts.log1p())


def fit(model, loader, device, epochs):
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for epoch in range(epochs):
        hardest = ("", 0.0)
        for batch in loader:
            batch = {k: v.to(device) if hasattr(v, "to") else v for k, v in batch.items()}
            losses = nn.functional.cross_entropy(model(batch["counts"]), batch["grade"], reduction="none")
            optimizer.zero_grad()
            losses.mean().backward()
            optimizer.step()
            worst = losses.argmax().item()
            if losses[worst].item() > hardest[1]:
                hardest = (batch["name"][worst], losses[worst].item())
        print("epoch", epoch, "hardest", hardest)
    return losses.mean().item()


def main():
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    loader = DataLoader(Essays(160, device), batch_size=32, shuffle=True, num_workers=1)
    print("RESULT", fit(Grader().to(device), loader, device, epochs=2))


if __name__ == "__main__":
    main()
