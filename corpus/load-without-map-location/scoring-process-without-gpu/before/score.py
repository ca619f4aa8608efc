"""Scores a checkpoint; meant for the small machines of the nightly job."""
import sys

import torch

from net import Ranker


def main(path):
    model = Ranker()
    model.load_state_dict(torch.load(path))
    model.eval()
    torch.manual_seed(1)
    x = torch.randn(200, 9)
    with torch.no_grad():
        better = model(x + 0.5) > model(x)
    print(better.float().mean().item())


if __name__ == "__main__":
    main(sys.argv[1])
