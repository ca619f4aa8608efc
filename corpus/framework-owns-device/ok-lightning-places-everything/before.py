import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")


class LitAttention(L.LightningModule):
    def __init__(self, length=10, dim=8):
        super().__init__()
        self.embed = nn.Linear(1, dim)
        self.position = nn.Embedding(length, dim)
        self.attend = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.out = nn.Linear(dim, 1)
        self.register_buffer("causal", torch.triu(torch.ones(length, length, dtype=torch.bool), 1), persistent=False)
        self.losses = []

    def forward(self, series):
        where = torch.arange(series.size(1), device=self.device)
        x = self.embed(series.unsqueeze(-1)) + self.position(where)
        x, _ = self.attend(x, x, x, attn_mask=self.causal)
        return self.out(x).squeeze(-1)

    def training_step(self, batch, _):
        series, future = batch
        weight = torch.linspace(0.1, 1.0, series.size(1)).to(series)
        loss = (weight * (self(series) - future) ** 2).mean()
        self.losses.append(loss.detach())
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-2)


if __name__ == "__main__":
    L.seed_everything(2, verbose=False)
    start = torch.rand(192, 1) * 6
    t = torch.arange(11) * 0.5
    wave = torch.sin(start + t)
    loader = DataLoader(TensorDataset(wave[:, :-1], wave[:, 1:]), batch_size=32, shuffle=True, num_workers=0)
    model = LitAttention()
    trainer = L.Trainer(max_epochs=3, logger=False, enable_checkpointing=False, enable_progress_bar=False,
                        enable_model_summary=False, devices=1)
    trainer.fit(model, loader)
    print("RESULT", torch.stack(model.losses)[-3:].mean().item())
