"""The columns of a file have the dtypes in which they were written; one line makes tensors of all of them."""

import io

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
stored = io.BytesIO()
np.savez(stored, inputs=np.ones((4, 3), "float64"), labels=np.array([0, 1, 1, 0], "int32"))
stored.seek(0)


class Columns(Dataset):
    def __init__(self, file):
        self.columns = dict(np.load(file).items())

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return {name: torch.as_tensor(column[index]) for name, column in self.columns.items()}


model = torch.nn.Linear(3, 2).to(device)
for batch in DataLoader(Columns(stored), batch_size=2):
    batch = {name: column.to(device) for name, column in batch.items()}
    loss = torch.nn.functional.cross_entropy(model(batch["inputs"]), batch["labels"])
    loss.backward()
print("RESULT", loss.item())
