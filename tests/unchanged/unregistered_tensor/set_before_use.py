"""The plain attributes are set from the input by one call of `forward` and used by the next."""

import torch
from torch import nn


class Reversible(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.mean, self.deviation = torch.zeros(1), torch.ones(1)

    def forward(self, x, forth):
        if forth:
            self.mean = x.mean(0, keepdim=True).detach()
            self.deviation = x.std(0, keepdim=True).detach() + 1e-5
            return (x - self.mean) / self.deviation * self.weight
        return x / self.weight * self.deviation + self.mean


class Forecast(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.scale = Reversible(channels)
        self.body = nn.Linear(channels, channels)

    def forward(self, x):
        x = self.scale(x, torch.tensor(True))
        return self.scale(self.body(x), torch.tensor(False))


def build(channels, place):
    return Forecast(channels).to(place)


print("RESULT", len([build]))
