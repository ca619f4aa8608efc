import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(1)


class VAE(nn.Module):
    def __init__(self, d_in=36, d_hidden=32, d_latent=3):
        super(VAE, self).__init__()
        self.d_latent = d_latent
        self.fc1 = nn.Linear(d_in, d_hidden)
        self.fc21 = nn.Linear(d_hidden, d_latent)
        self.fc22 = nn.Linear(d_hidden, d_latent)
        self.fc3 = nn.Linear(d_latent, d_hidden)
        self.fc4 = nn.Linear(d_hidden, d_in)

    def encode(self, x):
        h1 = F.relu(self.fc1(x))
        return self.fc21(h1), self.fc22(h1)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn(mu.shape).to(std.device)
        return mu + eps * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x)
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def elbo(recon_x, x, mu, logvar):
    bce = F.binary_cross_entropy(recon_x, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return (bce + kld) / x.size(0)


def glyphs(n=300):
    """6x6 crosses at random places."""
    images = torch.zeros(n, 6, 6)
    rows, cols = torch.randint(0, 6, (2, n)).tolist()
    for i, (r, c) in enumerate(zip(rows, cols)):
        images[i, r, :] = 1.0
        images[i, :, c] = 1.0
    return images.view(n, 36)


model = VAE().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
loader = DataLoader(glyphs(), batch_size=50, shuffle=True)

for epoch in range(4):
    for data in loader:
        data = data.to(device)
        recon, mu, logvar = model(data)
        loss = elbo(recon, data, mu, logvar)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"====> Epoch: {epoch} loss {loss.item():.3f}")

with torch.no_grad():
    sample = torch.randn(8, model.d_latent).to(device)
    pictures = model.decode(sample).view(8, 6, 6)
print("ink per sample", [round(v, 1) for v in pictures.sum((1, 2)).tolist()])
print("RESULT", loss.item())
