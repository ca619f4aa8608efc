import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.autograd as autograd

parser = argparse.ArgumentParser()
parser.add_argument("--n_iter", type=int, default=25)
parser.add_argument("--n_critic", type=int, default=2)
parser.add_argument("--lambda_gp", type=float, default=10.0)
parser.add_argument("--latent_dim", type=int, default=4)
opt = parser.parse_args()
device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")


def mlp(sizes):
    layers = []
    for a, b in zip(sizes[:-2], sizes[1:-1]):
        layers += [nn.Linear(a, b), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers, nn.Linear(sizes[-2], sizes[-1]))


def compute_gradient_penalty(critic, real_samples, fake_samples):
    """The gradient norm at random points between real and fake samples should be one."""
    alpha = torch.rand(real_samples.size(0), 1).to(real_samples.device)
    interpolates = (alpha * real_samples + (1 - alpha) * fake_samples).requires_grad_(True)
    d_interpolates = critic(interpolates)
    gradients = autograd.grad(
        outputs=d_interpolates,
        inputs=interpolates,
        grad_outputs=torch.ones(d_interpolates.size(), device=d_interpolates.device),
        create_graph=True,
        retain_graph=True,
    )[0]
    return ((gradients.norm(2, dim=1) - 1) ** 2).mean()


def spiral(n, rng):
    t = rng.uniform(0.5, 4.0, n)
    xy = np.stack([t * np.cos(2 * t), t * np.sin(2 * t)], 1) / 4
    return torch.from_numpy(xy.astype(np.float32))


torch.manual_seed(0)
rng = np.random.RandomState(0)
generator = mlp([opt.latent_dim, 32, 32, 2]).to(device)
critic = mlp([2, 32, 32, 1]).to(device)
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.0, 0.9))
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.0, 0.9))

for it in range(opt.n_iter):
    for _ in range(opt.n_critic):
        real = spiral(64, rng).to(device)
        fake = generator(torch.randn(64, opt.latent_dim).to(device)).detach()
        penalty = compute_gradient_penalty(critic, real, fake)
        c_loss = critic(fake).mean() - critic(real).mean() + opt.lambda_gp * penalty
        opt_c.zero_grad()
        c_loss.backward()
        opt_c.step()
    g_loss = -critic(generator(torch.randn(64, opt.latent_dim).to(device))).mean()
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    if it % 5 == 0:
        print("[%d] critic %.4f penalty %.4f generator %.4f" % (it, c_loss.item(), penalty.item(), g_loss.item()))

print("RESULT", c_loss.item())
