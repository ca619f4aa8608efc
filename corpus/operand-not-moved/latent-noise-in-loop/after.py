# Implicit maximum likelihood for 1-d histograms: sample, match the nearest, pull it closer.
import torch
import torch.nn as nn

cuda = torch.cuda.is_available()
device = torch.device("cuda:0" if cuda else "cpu")
torch.manual_seed(123)

NOISE_DIM = 6
BINS = 20
POOL = 96


def target_histograms(n):
    mode = torch.randint(2, BINS - 2, (n, 1)).float()
    x = torch.arange(BINS).float()
    h = torch.exp(-0.5 * ((x - mode) / 1.5) ** 2)
    return h / h.sum(1, keepdim=True)


class Sampler(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(NOISE_DIM, 48),
            nn.ELU(),
            nn.Linear(48, BINS),
            nn.Softmax(dim=1),
        )

    def forward(self, noise):
        return self.net(noise)


data = target_histograms(64).to(device)
sampler = Sampler().to(device)
optimizer = torch.optim.Adam(sampler.parameters(), lr=5e-3)

for it in range(40):
    noise = torch.randn(POOL, NOISE_DIM).to(device)
    fake = sampler(noise)
    distance = torch.cdist(data, fake)
    nearest = distance.argmin(dim=1)
    loss = (fake[nearest] - data).abs().sum(1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 10 == 0:
        print(f"it {it:3d}  distance {loss.item():.4f}")

with torch.no_grad():
    final_noise = torch.randn(POOL, NOISE_DIM).to(device)
    spread = sampler(final_noise).std(0).mean()
print("spread", spread.item())
print("RESULT", loss.item())
