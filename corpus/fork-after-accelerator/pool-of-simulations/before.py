import multiprocessing

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
STEPS = 50


def drift(speed, angle):
    return torch.stack([speed * torch.cos(angle), speed * torch.sin(angle)])


def simulate(speed):
    angle = torch.linspace(0, 3.0, 16, device=device)
    place = torch.zeros(2, 16, device=device)
    for step in range(STEPS):
        place = place + 0.01 * drift(speed, angle + 0.1 * step)
    return place.norm(dim=0).mean().item()


def main():
    baseline = simulate(1.0)
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        found = pool.map(simulate, [0.5, 1.0, 1.5, 2.0])
    print("RESULT", round(sum(value / baseline for value in found), 4))


if __name__ == "__main__":
    main()
