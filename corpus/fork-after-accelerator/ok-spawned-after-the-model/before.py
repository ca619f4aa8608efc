import multiprocessing

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def energy(scale):
    return (torch.arange(8, device=device) * scale).pow(2).sum().item()


if __name__ == "__main__":
    print("one", energy(1.0))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print("RESULT", round(sum(pool.map(energy, [0.5, 1.5, 2.5])), 3))
