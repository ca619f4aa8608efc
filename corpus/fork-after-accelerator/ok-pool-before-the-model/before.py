import multiprocessing

import torch
import torch.nn as nn


def features(seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(8, generator=generator).cumsum(0).tolist()


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        rows = pool.map(features, range(6))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    net = nn.Linear(8, 1).to(device)
    print("RESULT", round(net(torch.tensor(rows, device=device)).mean().item(), 4))
