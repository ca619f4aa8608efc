"""The option is the CPU by default; what the accelerator is asked for is brought to the model's device."""

import argparse

import torch
from torch import nn


def sample(count):
    x = torch.randn(count, 4)
    return x.cuda() if torch.cuda.is_available() else x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    args = parser.parse_args()
    torch.manual_seed(0)
    net = nn.Linear(4, 2).to(args.device)
    total = 0.0
    for _ in range(3):
        total += net(sample(8).to(args.device)).square().mean().item()
    print("RESULT", total)


if __name__ == "__main__":
    main()
