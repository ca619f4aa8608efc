import random

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

MAX_LEN = 10
device = "cuda" if torch.cuda.is_available() else "cpu"


class ReviewDataset(Dataset):
    def __init__(self, size=300):
        rng = random.Random(0)
        self.rows = []
        for i in range(size):
            stars = rng.randint(0, 4)
            length = rng.randint(3, MAX_LEN)
            words = [rng.randint(1 + 8 * stars, 12 + 8 * stars) for _ in range(length)]
            self.rows.append({"review_id": f"r{i:04d}", "words": words, "stars": stars})

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, idx):
        row = self.rows[idx]
        padded = row["words"] + [0] * (MAX_LEN - len(row["words"]))
        return {
            "review_id": row["review_id"],
            "input_ids": torch.tensor(padded),
            "attention_mask": torch.tensor([float(w > 0) for w in padded]),
            "labels": torch.tensor(row["stars"]),
        }


class BagClassifier(nn.Module):
    def __init__(self, vocab=60, dim=24, classes=5):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim)
        self.classifier = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, classes))

    def forward(self, input_ids, attention_mask):
        h = self.embedding(input_ids) * attention_mask.unsqueeze(-1)
        return self.classifier(h.sum(dim=1) / attention_mask.sum(dim=1, keepdim=True))


def main():
    torch.manual_seed(42)
    loader = DataLoader(ReviewDataset(), batch_size=30, shuffle=True)
    model = BagClassifier().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    loss_fn = nn.CrossEntropyLoss()

    for epoch in range(3):
        losses = []
        for batch in loader:
            batch = {k: v.to(device) if hasattr(v, "to") else v for k, v in batch.items()}
            logits = model(batch["input_ids"], batch["attention_mask"])
            loss = loss_fn(logits, batch["labels"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch} first review {batch['review_id'][0]} loss {sum(losses) / len(losses):.4f}")
    print("RESULT", losses[-1])


if __name__ == "__main__":
    main()
