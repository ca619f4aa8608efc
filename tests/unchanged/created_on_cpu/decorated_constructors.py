"""The constructors are wrapped, and hand the device on all the same."""

import functools

import torch
from torch import nn


def renamed(**names):
    def decorator(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **{names.get(key, key): value for key, value in kwargs.items()})

        return wrapper

    return decorator


class Generator(nn.Module):
    @renamed(place="device")
    def __init__(self, size, device="cpu"):
        super().__init__()
        self.factory_kwargs = {"device": device, "dtype": torch.float32}
        self.register_buffer("grid", torch.linspace(-0.5, 0.5, size, **self.factory_kwargs))

    def step(self, scale):
        return self.grid * torch.as_tensor(scale, **self.factory_kwargs)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
generator = Generator(4, device=device)
print("RESULT", (generator.step([1.0, 2.0, 3.0, 4.0]) + torch.zeros(4, device=device)).sum().item())
