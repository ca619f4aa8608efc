import random

from torch.utils.data import Dataset

PAD = 0


class Questions(Dataset):
    def __init__(self, n, seed=0):
        rng = random.Random(seed)
        self.rows = []
        for _ in range(n):
            label = rng.randint(0, 1)
            tokens = [rng.randint(4, 49) for _ in range(rng.randint(3, 12))]
            tokens[rng.randrange(len(tokens))] = 1 + label
            self.rows.append({"tokens": tokens, "label": label})

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]
