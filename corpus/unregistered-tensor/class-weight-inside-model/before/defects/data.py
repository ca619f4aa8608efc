import torch
from torch.utils.data import Dataset


class Patches(Dataset):
    def __init__(self, n=420, n_inputs=25):
        gen = torch.Generator().manual_seed(50)
        u = torch.rand(n, generator=gen)
        self.target = (u > 0.7).long() + (u > 0.92).long()
        texture = torch.randn(3, n_inputs, generator=gen)
        self.patches = texture[self.target] + torch.randn(n, n_inputs, generator=gen)

    def __len__(self):
        return len(self.target)

    def __getitem__(self, i):
        return {"patch": self.patches[i], "target": self.target[i]}
