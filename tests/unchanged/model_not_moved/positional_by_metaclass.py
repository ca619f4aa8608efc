"""The strategy takes keywords alone; its metaclass allows the old positional form, and it moves the model."""

import inspect

import torch


class Positional(type):
    def __call__(cls, *args, **kwargs):
        names = [name for name in inspect.signature(cls.__init__).parameters if name != "self"]
        return super().__call__(**dict(zip(names, args)), **kwargs)


class Strategy(metaclass=Positional):
    def __init__(self, *, model, optimizer, device="cpu"):
        self.model = model
        self.optimizer = optimizer
        self.device = device

    def train(self, batch):
        self.model.to(self.device)
        self.model(batch.to(self.device)).sum().backward()
        self.optimizer.step()


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1)
strategy = Strategy(model, torch.optim.SGD(model.parameters(), lr=0.1), device=device)
strategy.train(torch.ones(2, 3))
print("RESULT", model(torch.ones(1, 3, device=device)).item())
