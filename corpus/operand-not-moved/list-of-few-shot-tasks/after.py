"""Reptile on random sine waves."""
import math

import torch
from torch import nn, optim


def sine_task(gen, shots=10):
    amplitude = torch.rand(1, generator=gen) * 4 + 0.5
    phase = torch.rand(1, generator=gen) * math.pi
    x = torch.rand(shots, 1, generator=gen) * 10 - 5
    return x, amplitude * torch.sin(x + phase)


def make_net():
    return nn.Sequential(
        nn.Linear(1, 32), nn.Tanh(),
        nn.Linear(32, 32), nn.Tanh(),
        nn.Linear(32, 1),
    )


def reptile(meta_steps=6, inner_steps=4, inner_lr=0.02, outer_lr=0.3):
    device = torch.device("cuda:0") if torch.cuda.is_available() else torch.device("cpu")
    torch.manual_seed(9)
    gen = torch.Generator().manual_seed(9)
    tasks = [sine_task(gen) for _ in range(12)]

    net = make_net().to(device)
    mse = nn.MSELoss()

    for meta_step in range(meta_steps):
        total = 0.0
        for x, y in tasks:
            x, y = x.to(device), y.to(device)
            before = {name: p.detach().clone() for name, p in net.named_parameters()}
            inner = optim.SGD(net.parameters(), lr=inner_lr)
            for _ in range(inner_steps):
                loss = mse(net(x), y)
                inner.zero_grad()
                loss.backward()
                inner.step()
            total += loss.item()
            with torch.no_grad():
                for name, p in net.named_parameters():
                    p.copy_(before[name] + outer_lr * (p - before[name]))
        print(f"meta step {meta_step}: inner loss {total / len(tasks):.4f}")
    return total / len(tasks)


if __name__ == "__main__":
    print("RESULT", reptile())
