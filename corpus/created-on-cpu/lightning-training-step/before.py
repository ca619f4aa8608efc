import logging
import warnings

import torch
import torch.nn as nn
import torch.nn.functional as F
from lightning.pytorch import LightningModule, Trainer, seed_everything
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class DomainAdaptation(LightningModule):
    """A classifier whose features should not tell the two domains apart."""

    def __init__(self, dim=10, lr=5e-3):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(dim, 24), nn.ReLU())
        self.label_head = nn.Linear(24, 2)
        self.domain_head = nn.Linear(24, 1)
        self.lr = lr
        self.history = []

    def training_step(self, batch, batch_idx):
        source, label, target = batch
        f_source, f_target = self.features(source), self.features(target)
        task = F.cross_entropy(self.label_head(f_source), label)
        domain_logits = self.domain_head(torch.cat([f_source, f_target])).squeeze(1)
        domain = torch.cat([torch.zeros(len(source)), torch.ones(len(target))])
        confusion = F.binary_cross_entropy_with_logits(domain_logits, 1 - domain)
        loss = task + 0.1 * confusion
        self.history.append(loss.item())
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr)


def main():
    seed_everything(11, verbose=False)
    label = torch.arange(200) % 2
    source = torch.randn(200, 10) + label[:, None]
    target = torch.randn(200, 10) + label[:, None] + 0.7
    loader = DataLoader(TensorDataset(source, label, target), batch_size=25, shuffle=True)
    model = DomainAdaptation()
    trainer = Trainer(max_epochs=2, accelerator="auto", devices=1, logger=False, enable_checkpointing=False,
                      enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(model, loader)
    print("first", model.history[0])
    print("RESULT", model.history[-1])


if __name__ == "__main__":
    main()
