import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def dct_matrix(n):
    """Orthonormal DCT-II."""
    k, i = np.mgrid[0:n, 0:n]
    m = np.cos(np.pi * (2 * i + 1) * k / (2 * n)) * np.sqrt(2 / n)
    m[0] /= np.sqrt(2)
    return m


class DCTLayer(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("basis", torch.from_numpy(dct_matrix(n)).float())

    def forward(self, x):
        return x @ self.basis.t()


class SpectralClassifier(nn.Module):
    def __init__(self, n=32, classes=5):
        super().__init__()
        self.dct = DCTLayer(n)
        self.mask = nn.Parameter(torch.zeros(n))
        self.fc = nn.Linear(n, classes)

    def forward(self, signal):
        return self.fc(self.dct(signal).abs() * torch.sigmoid(self.mask))


class Trainer:
    def __init__(self, lr=1e-2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = SpectralClassifier().to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)

    def batch(self, n, gen):
        label = torch.randint(0, 5, (n,), generator=gen)
        t = torch.linspace(0, 1, 32)
        signal = torch.cos(3.14159 * (4 * label[:, None] + 3) * t) + 0.3 * torch.randn(n, 32, generator=gen)
        return signal.to(self.device), label.to(self.device)

    def fit(self, steps):
        gen = torch.Generator().manual_seed(52)
        for step in range(steps):
            signal, label = self.batch(50, gen)
            loss = F.cross_entropy(self.model(signal), label)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if step % 20 == 0:
                print(step, loss.item())
        return loss.item()


if __name__ == "__main__":
    torch.manual_seed(52)
    print("RESULT", Trainer().fit(60))
