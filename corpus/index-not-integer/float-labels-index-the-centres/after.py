import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class CentreLoss(nn.Module):
    """Pull every embedding to the learned centre of its class."""

    def __init__(self, n_classes, dim):
        super().__init__()
        self.centres = nn.Parameter(0.1 * torch.randn(n_classes, dim))

    def forward(self, embedding, label):
        return (embedding - self.centres[label.long()]).pow(2).sum(dim=1).mean()


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(15, 32), nn.ReLU(), nn.Linear(32, 6))

    def forward(self, x):
        return F.normalize(self.body(x), dim=1)


def crops(n=360):
    """The label column was stored as float together with the measurements."""
    gen = torch.Generator().manual_seed(44)
    label = torch.arange(n).remainder(6).float()
    height = torch.randn(n, 15, generator=gen) + 0.5 * label[:, None]
    return TensorDataset(height, label)


def train(epochs=3, batch_size=60):
    torch.manual_seed(44)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    embedder = Embedder().to(device)
    centre_loss = CentreLoss(6, 6).to(device)
    parameters = list(embedder.parameters()) + list(centre_loss.parameters())
    optimizer = torch.optim.SGD(parameters, lr=0.1)
    for epoch in range(epochs):
        for x, label in DataLoader(crops(), batch_size=batch_size, shuffle=True):
            x, label = x.to(device), label.to(device)
            loss = centre_loss(embedder(x), label)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch %d: %.4f" % (epoch, loss.item()))
    return loss.item()


if __name__ == "__main__":
    print("RESULT", train())
