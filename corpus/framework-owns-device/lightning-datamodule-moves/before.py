import warnings

import lightning as L
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")


class Spectra(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.kind = torch.randint(0, 3, (n,), generator=g)
        axis = torch.arange(40)
        peak = 8 + 12 * self.kind[:, None] + torch.randint(-3, 4, (n, 1), generator=g)
        self.counts = torch.exp(-((axis - peak) / 3.0) ** 2) + 0.2 * torch.rand(n, 40, generator=g)

    def __len__(self):
        return len(self.kind)

    def __getitem__(self, i):
        return self.counts[i].to(self.device), self.kind[i].to(self.device)


class SpectraModule(L.LightningDataModule):
    def __init__(self, batch_size=24):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage=None):
        self.train_set = Spectra(192, seed=0)

    def train_dataloader(self):
        return DataLoader(self.train_set, batch_size=self.batch_size, shuffle=True, num_workers=1)


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(40, 32), nn.ReLU(), nn.Linear(32, 3))
        self.losses = []

    def training_step(self, batch, batch_idx):
        counts, kind = batch
        loss = F.cross_entropy(self.net(counts), kind)
        self.losses.append(loss.item())
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-2)


def main():
    L.seed_everything(4, verbose=False)
    model = Classifier()
    trainer = L.Trainer(
        max_epochs=2, devices=1, logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False,
    )
    trainer.fit(model, datamodule=SpectraModule())
    print("RESULT", model.losses[-1])


if __name__ == "__main__":
    main()
