"""Denoising autoencoder for vibration signals, wrapped in a reusable Trainer."""
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    window: int = 48
    latent: int = 10
    epochs: int = 2
    batch_size: int = 40
    lr: float = 4e-3


class Vibration(Dataset):
    """Sums of two sine waves; the target is the clean signal."""

    def __init__(self, n, window, seed):
        gen = torch.Generator().manual_seed(seed)
        t = torch.linspace(0, 1, window)
        freq = torch.rand(n, 2, 1, generator=gen) * 8 + 1
        self.clean = torch.sin(6.283 * freq * t).sum(1)
        self.noisy = self.clean + 0.3 * torch.randn(n, window, generator=gen)

    def __len__(self):
        return len(self.clean)

    def __getitem__(self, i):
        return self.noisy[i], self.clean[i]


class AutoEncoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(cfg.window, 64), nn.GELU(), nn.Linear(64, cfg.latent))
        self.decoder = nn.Sequential(nn.Linear(cfg.latent, 64), nn.GELU(), nn.Linear(64, cfg.window))

    def forward(self, x):
        return self.decoder(self.encoder(x))


class Trainer:
    def __init__(self, model, cfg):
        self.cfg = cfg
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.model = model.to(self.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        self.loss_fn = nn.MSELoss()

    def run_epoch(self, loader):
        self.model.train()
        total, seen = 0.0, 0
        for noisy, clean in loader:
            noisy, clean = noisy.to(self.device), clean.to(self.device)
            loss = self.loss_fn(self.model(noisy), clean)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(noisy)
            seen += len(noisy)
        return total / seen

    def fit(self, dataset):
        loader = DataLoader(dataset, batch_size=self.cfg.batch_size, shuffle=True)
        return [self.run_epoch(loader) for _ in range(self.cfg.epochs)]


def main():
    torch.manual_seed(11)
    cfg = Config()
    trainer = Trainer(AutoEncoder(cfg), cfg)
    history = trainer.fit(Vibration(400, cfg.window, seed=5))
    print("RESULT", history[-1])


if __name__ == "__main__":
    main()
