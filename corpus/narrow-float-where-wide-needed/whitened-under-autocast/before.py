"""Embeddings of recorded songs are whitened before they are compared; the covariance is decomposed in each step."""
import torch
from torch import nn

SONGS, SOUNDS, WIDTH = 96, 24, 8


class Whitening(nn.Module):
    """Rotates embeddings so that no two of their numbers go together."""

    def __init__(self, eps=1e-2):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(0)
        covariance = centred.t() @ centred / (len(x) - 1)
        values, vectors = torch.linalg.eigh(covariance)
        return centred @ (vectors * (values + self.eps).rsqrt()) @ vectors.t()


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(SOUNDS, 32), nn.Tanh(), nn.Linear(32, WIDTH))
        self.whiten = Whitening()

    def forward(self, sounds):
        return self.whiten(self.layers(sounds))


def songs():
    kinds = torch.randint(0, 3, (SONGS,))
    return torch.randn(3, SOUNDS)[kinds] + 0.4 * torch.randn(SONGS, SOUNDS)


def main():
    torch.manual_seed(12)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sounds = songs().to(device)
    encoder = Encoder().to(device)
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.05)
    for step in range(30):
        noisy = sounds + 0.1 * torch.sin(sounds * step)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            one, two = encoder(sounds), encoder(noisy)
            loss = nn.functional.mse_loss(one, two)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("RESULT", round(loss.item(), 2))


if __name__ == "__main__":
    main()
