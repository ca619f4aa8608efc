import random

import torch
from torch.utils.data import Dataset


class ReviewDataset(Dataset):
    """Reviews of ten words; a good one has more words from the upper half of the vocabulary."""

    def __init__(self, count, device, seed, words=10, vocab=80):
        rng = random.Random(seed)
        self.device = device
        self.rows = []
        for _ in range(count):
            good = rng.random() < 0.5
            ids = [rng.randint(vocab // 2, vocab - 1) if rng.random() < 0.5 + 0.4 * good else rng.randint(1, vocab // 2)
                   for _ in range(words)]
            self.rows.append((ids, int(good)))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        ids, good = self.rows[i]
        ids = torch.tensor(ids).to(self.device)
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": torch.tensor(good).to(self.device)}
