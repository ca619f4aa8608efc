import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class LoadCurves(Dataset):
    """Windows over a synthetic electricity demand: one day in, the next six hours out."""

    def __init__(self, hours, device, history=24, horizon=6):
        rng = np.random.RandomState(0)
        t = np.arange(hours)
        demand = 1 + 0.5 * np.sin(2 * np.pi * t / 24) + 0.2 * np.sin(2 * np.pi * t / 168)
        self.demand = (demand + 0.05 * rng.randn(hours)).astype(np.float32)
        self.device = device
        self.history, self.horizon = history, horizon

    def __len__(self):
        return len(self.demand) - self.history - self.horizon

    def __getitem__(self, i):
        middle = i + self.history
        past = torch.from_numpy(self.demand[i:middle]).to(self.device)
        future = torch.from_numpy(self.demand[middle:middle + self.horizon]).to(self.device)
        return past, future


def build_loaders(args, device):
    train = LoadCurves(700, device)
    valid = LoadCurves(200, device)
    common = dict(batch_size=args.batch_size, num_workers=args.workers)
    return DataLoader(train, shuffle=True, **common), DataLoader(valid, **common)
