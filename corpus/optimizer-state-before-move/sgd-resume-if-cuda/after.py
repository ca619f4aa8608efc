import os
import shutil
import tempfile

import torch
import torch.nn as nn
import torch.optim as optim

use_cuda = torch.cuda.is_available()
workdir = tempfile.mkdtemp()
best_path = os.path.join(workdir, "model_best.pth.tar")


class Autoencoder(nn.Module):
    def __init__(self, width=32, code=4):
        super(Autoencoder, self).__init__()
        self.encoder = nn.Sequential(nn.Linear(width, 16), nn.LeakyReLU(0.1), nn.Linear(16, code))
        self.decoder = nn.Sequential(nn.Linear(code, 16), nn.LeakyReLU(0.1), nn.Linear(16, width))

    def forward(self, x):
        return self.decoder(self.encoder(x))


def batches(seed, count=12, size=32):
    gen = torch.Generator().manual_seed(seed)
    basis = torch.randn(4, 32, generator=gen)
    for _ in range(count):
        x = torch.randn(size, 4, generator=gen) @ basis
        yield x.cuda() if use_cuda else x


def train_epoch(model, optimizer, seed):
    model.train()
    running = 0.0
    for i, x in enumerate(batches(seed)):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), x)
        loss.backward()
        optimizer.step()
        running += loss.item()
    return running / (i + 1)


# ---- first run, interrupted after two epochs
torch.manual_seed(0)
model = Autoencoder()
if use_cuda:
    model = model.cuda()
optimizer = optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
for epoch in range(2):
    print("epoch", epoch, "loss", train_epoch(model, optimizer, seed=1))
torch.save({"epoch": 2, "model": model.state_dict(), "optim": optimizer.state_dict()}, best_path)

# ---- second run
checkpoint = torch.load(best_path, map_location=lambda storage, loc: storage)
model = Autoencoder()
model.load_state_dict(checkpoint["model"])
if use_cuda:
    model = model.cuda()
optimizer = optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
optimizer.load_state_dict(checkpoint["optim"])
for epoch in range(checkpoint["epoch"], 4):
    loss = train_epoch(model, optimizer, seed=1)
    print("epoch", epoch, "loss", loss)

shutil.rmtree(workdir)
print("RESULT", loss)
