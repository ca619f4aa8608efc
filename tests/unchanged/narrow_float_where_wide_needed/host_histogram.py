"""A histogram of halves is counted on the CPU, and a model's precision that nobody knows is left alone."""

import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--precision", default="float32")
args = parser.parse_args([])
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weights = torch.rand(5, 5, device=device).to(getattr(torch, args.precision))
counts = torch.histc(weights.half().cpu(), 4, 0, 1)
scores = torch.linalg.qr(weights).R.diagonal()
print(scores.shape)
print("RESULT", counts.sum().item())
