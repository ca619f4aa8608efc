"""Toy GAN on a ring of gaussians which can be stopped and resumed."""
import argparse
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        layers += [nn.Linear(a, b), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers[:-1])


def ring(n, generator):
    k = torch.randint(0, 8, (n,), generator=generator)
    angle = k.float() * 0.785
    return torch.stack([angle.cos(), angle.sin()], 1) + 0.05 * torch.randn(n, 2, generator=generator)


def train(netG, netD, optG, optD, steps, device, generator):
    for _ in range(steps):
        real = ring(128, generator).to(device)
        fake = netG(torch.randn(128, 4, generator=generator).to(device))
        lossD = F.softplus(-netD(real)).mean() + F.softplus(netD(fake.detach())).mean()
        optD.zero_grad()
        lossD.backward()
        optD.step()
        lossG = F.softplus(-netD(fake)).mean()
        optG.zero_grad()
        lossG.backward()
        optG.step()
    print(f"lossD {lossD.item():.4f} lossG {lossG.item():.4f}")
    return lossG.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    opt = parser.parse_args()
    torch.manual_seed(9)
    generator = torch.Generator().manual_seed(9)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "gan.pth")
        netG, netD = mlp(4, 32, 2).to(opt.device), mlp(2, 32, 1).to(opt.device)
        optG = torch.optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.99))
        optD = torch.optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.99))
        train(netG, netD, optG, optD, opt.steps, opt.device, generator)
        nets = {"G": netG.state_dict(), "D": netD.state_dict()}
        torch.save({**nets, "optG": optG.state_dict(), "optD": optD.state_dict()}, path)

        state = torch.load(path, map_location="cpu")
        netG = mlp(4, 32, 2)
        netG.load_state_dict(state["G"])
        netG.to(opt.device)
        optG = torch.optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.99))
        optG.load_state_dict(state["optG"])
        netD = mlp(2, 32, 1)
        netD.load_state_dict(state["D"])
        netD.to(opt.device)
        optD = torch.optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.99))
        optD.load_state_dict(state["optD"])
        final = train(netG, netD, optG, optD, opt.steps, opt.device, generator)
    print("RESULT", final)


if __name__ == "__main__":
    main()
