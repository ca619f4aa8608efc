import numpy as np
import torch
import torch.nn as nn
from torch.autograd import Variable

N_CLASSES, LATENT, LENGTH = 3, 8, 24
cuda = True if torch.cuda.is_available() else False


class Generator(nn.Module):
    def __init__(self):
        super(Generator, self).__init__()
        self.label_emb = nn.Embedding(N_CLASSES, N_CLASSES)
        self.model = nn.Sequential(nn.Linear(LATENT + N_CLASSES, 48), nn.LeakyReLU(0.2), nn.Linear(48, LENGTH), nn.Tanh())

    def forward(self, noise, labels):
        return self.model(torch.cat((self.label_emb(labels), noise), -1))


class Discriminator(nn.Module):
    def __init__(self):
        super(Discriminator, self).__init__()
        self.label_emb = nn.Embedding(N_CLASSES, N_CLASSES)
        self.model = nn.Sequential(nn.Linear(N_CLASSES + LENGTH, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))

    def forward(self, wave, labels):
        return self.model(torch.cat((wave, self.label_emb(labels)), -1))


torch.manual_seed(20)
rng = np.random.RandomState(20)
loss_func = nn.MSELoss()
G, D = Generator(), Discriminator()
if cuda:
    G.cuda()
    D.cuda()
    loss_func.cuda()
opt_G = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.999))
opt_D = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.999))

FloatTensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
LongTensor = torch.cuda.LongTensor if cuda else torch.LongTensor

t = np.linspace(0, 1, LENGTH)
for step in range(25):
    kinds = rng.randint(0, N_CLASSES, 32)
    waves = np.sin(2 * np.pi * (kinds[:, None] + 1) * t[None])

    valid = Variable(FloatTensor(32, 1).fill_(1.0), requires_grad=False)
    fake = Variable(FloatTensor(32, 1).fill_(0.0), requires_grad=False)
    real_waves = Variable(FloatTensor(waves))
    labels = Variable(LongTensor(kinds))

    opt_G.zero_grad()
    z = Variable(FloatTensor(rng.normal(0, 1, (32, LATENT))))
    gen_waves = G(z, labels)
    g_loss = loss_func(D(gen_waves, labels), valid)
    g_loss.backward()
    opt_G.step()

    opt_D.zero_grad()
    d_loss = (loss_func(D(real_waves, labels), valid) + loss_func(D(gen_waves.detach(), labels), fake)) / 2
    d_loss.backward()
    opt_D.step()
    if step % 8 == 0:
        print("[Step %d] [D loss: %f] [G loss: %f]" % (step, d_loss.item(), g_loss.item()))

print("RESULT", d_loss.item() + g_loss.item())
