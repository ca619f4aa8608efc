import torch.nn as nn


class Ranker(nn.Module):
    def __init__(self, n_in=9):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(n_in, 20), nn.ReLU(), nn.Dropout(0.1), nn.Linear(20, 1))

    def forward(self, x):
        return self.layers(x)
