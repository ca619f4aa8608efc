"""A decorator that keeps a tensor from the time the function was defined."""
import functools
import json

import torch

SETTINGS = json.loads('{"extra": "with_offset"}')


def with_offset(*sizes):
    offset = torch.linspace(0.0, 1.0, sizes[-1])

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(*args) + offset

        return wrapper

    return decorate


@globals()[SETTINGS["extra"]](2, 3)
def project(x, weight):
    return x @ weight


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight = torch.randn(5, 3).to(device)
print("RESULT", project(torch.randn(2, 5).to(device), weight).sum().item())
