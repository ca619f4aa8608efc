"""A negative number means the CPU, and no device is ever made of it."""

import torch


def by_number(gpu=-1):
    return torch.device(f"cuda:{gpu}" if gpu >= 0 else "cpu")


def step_by_step(gpu=-1):
    if gpu < 0:
        return torch.device("cpu")
    return torch.device("cuda:" + str(gpu))


PREFIX = "cuda:"
wanted = 0 if torch.cuda.is_available() else -1
device = torch.device(PREFIX + str(wanted)) if wanted >= 0 else torch.device("cpu")
print(by_number(), step_by_step(), torch.ones(2).to(device))
