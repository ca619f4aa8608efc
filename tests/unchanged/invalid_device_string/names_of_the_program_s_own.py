"""The program has its own names for devices, and translates them before PyTorch sees one."""

import argparse

import torch

NAMES = {"gpu": "cuda", "cpu": "cpu"}


def translated(device="gpu"):
    if device == "gpu":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(device)


def looked_up(device="gpu"):
    return torch.device(NAMES[device])


def rewritten(device="gpu"):
    return torch.device(device.replace("gpu", "cuda"))


def chosen(device="gpu"):
    return torch.device("cuda" if device == "gpu" else device)


def matched(device="gpu"):
    match device:
        case "gpu":
            device = "cuda"
    return torch.device(device)


class Placed(torch.nn.Linear):
    def to(self, device):
        return super().to(NAMES[device])


parser = argparse.ArgumentParser()
parser.add_argument("--device", default="gpu", choices=["gpu", "cpu"])
args = parser.parse_args([])
args.device = "cuda" if args.device == "gpu" else "cpu"
if not torch.cuda.is_available():
    args.device = "cpu"

layer = Placed(2, 1)
print(translated(), layer.to("gpu" if torch.cuda.is_available() else "cpu"))
print(layer(torch.ones(3, 2, device=args.device)))
