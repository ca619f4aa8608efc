import argparse

import torch
import torch.nn as nn

parser = argparse.ArgumentParser(description="GAN on a ring of gaussians")
parser.add_argument("--nz", type=int, default=8, help="size of the latent vector")
parser.add_argument("--steps", type=int, default=30)
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--seed", type=int, default=1)
opt = parser.parse_args()

torch.manual_seed(opt.seed)
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


class Generator(nn.Module):
    def __init__(self, nz):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(nz, 32), nn.ReLU(True), nn.Linear(32, 32), nn.ReLU(True), nn.Linear(32, 2))

    def forward(self, z):
        return self.main(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))

    def forward(self, x):
        return self.main(x).view(-1)


def ring(n):
    angle = torch.randint(0, 8, (n,)).float() * 0.7854
    return torch.stack([angle.cos(), angle.sin()], dim=1) + 0.02 * torch.randn(n, 2)


netG = Generator(opt.nz).to(device)
netD = Discriminator()

criterion = nn.BCEWithLogitsLoss()
optimizerG = torch.optim.Adam(netG.parameters(), lr=opt.lr, betas=(0.5, 0.999))
optimizerD = torch.optim.Adam(netD.parameters(), lr=opt.lr, betas=(0.5, 0.999))

for step in range(opt.steps):
    # (1) update D
    netD.zero_grad()
    real = ring(opt.batch).to(device)
    errD_real = criterion(netD(real), torch.ones(opt.batch, device=device))
    noise = torch.randn(opt.batch, opt.nz).to(device)
    fake = netG(noise)
    errD_fake = criterion(netD(fake.detach()), torch.zeros(opt.batch, device=device))
    errD = errD_real + errD_fake
    errD.backward()
    optimizerD.step()
    # (2) update G
    netG.zero_grad()
    errG = criterion(netD(fake), torch.ones(opt.batch, device=device))
    errG.backward()
    optimizerG.step()
    if step % 10 == 0:
        print(f"[{step}/{opt.steps}] Loss_D: {errD.item():.4f} Loss_G: {errG.item():.4f}")

print("RESULT", errD.item() + errG.item())
