import argparse

import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, latent=6, size=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(latent, 48), nn.Mish(), nn.Linear(48, size))

    def forward(self, z):
        return torch.sigmoid(self.net(z))


class VAE(nn.Module):
    def __init__(self, latent=6, size=64):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(size, 48), nn.Mish(), nn.Linear(48, 2 * latent))
        self.decoder = Decoder(latent, size)

    def forward(self, x):
        mean, logvar = self.encoder(x).chunk(2, dim=1)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * logvar)
        kl = 0.5 * (mean ** 2 + logvar.exp() - 1 - logvar).sum(1).mean()
        return self.decoder(z), kl


def interpolate(decoder, seed, steps, device, latent=6):
    """The same seed shows the same faces, whatever was drawn before."""
    generator = torch.Generator().manual_seed(seed)
    ends = torch.randn(2, latent, generator=generator, device=device)
    weight = torch.linspace(0, 1, steps, device=device).unsqueeze(1)
    with torch.no_grad():
        return decoder((1 - weight) * ends[:1] + weight * ends[1:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1234)
    parser.add_argument("--steps", type=int, default=40)
    args = parser.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    vae = VAE().to(device)
    opt = torch.optim.Adam(vae.parameters(), lr=3e-3)
    faces = (torch.rand(128, 1) > torch.rand(64)).float().to(device)
    for _ in range(args.steps):
        out, kl = vae(faces)
        loss = nn.functional.binary_cross_entropy(out, faces, reduction="sum") / len(faces) + kl
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("elbo", -loss.item())
    strip = interpolate(vae.decoder, args.seed, 5, device)
    print("RESULT", strip.mean().item())


if __name__ == "__main__":
    main()
