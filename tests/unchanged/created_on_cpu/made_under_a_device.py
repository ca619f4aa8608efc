"""Under `with place:` tensors are made there, whatever it is."""

import torch


class Cache:
    def __init__(self, place):
        self.place = place

    def empty(self, size):
        with self.place:
            return torch.zeros(size)


def grown(x, place):
    with place:
        mask = torch.ones(3)
    return torch.cat([x * mask, Cache(place).empty(2)]) * torch.cat([x, x[:2]])


def sampled(fabric, model, x):
    with fabric.init_tensor():
        noise = torch.rand(3)
    return model(torch.ones(3).cuda() * x + noise)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print("RESULT", grown(torch.ones(3, device=device), device).sum().item())
