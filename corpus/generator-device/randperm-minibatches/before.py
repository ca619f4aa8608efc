import torch
import torch.nn as nn
import torch.nn.functional as F


class ContrastiveTrainer:
    """InfoNCE on rows of a table; columns are dropped at random to make two views."""

    def __init__(self, table, device, seed=0):
        self.device = device
        self.table = table.to(device)
        self.rng = torch.Generator()
        self.rng.manual_seed(seed)
        self.encoder = nn.Sequential(nn.Linear(table.size(1), 32), nn.ReLU(), nn.Linear(32, 8)).to(device)
        self.optimizer = torch.optim.Adam(self.encoder.parameters(), lr=5e-3)

    def corrupt(self, rows):
        donor = torch.randint(0, len(self.table), rows.shape, generator=self.rng, device=self.device)
        keep = torch.rand(rows.shape, generator=self.rng, device=self.device) < 0.7
        return torch.where(keep, rows, self.table.gather(0, donor))

    def epoch(self, batch_size=64):
        order = torch.randperm(len(self.table), generator=self.rng, device=self.device)
        for index in order.split(batch_size):
            rows = self.table[index]
            a = F.normalize(self.encoder(rows), dim=1)
            b = F.normalize(self.encoder(self.corrupt(rows)), dim=1)
            logits = a @ b.t() / 0.2
            loss = F.cross_entropy(logits, torch.arange(len(rows), device=self.device))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()


def main():
    torch.manual_seed(2)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    cluster = torch.randn(6, 10) * 2
    table = cluster[torch.arange(256) % 6] + torch.randn(256, 10)
    trainer = ContrastiveTrainer(table, device)
    for epoch in range(4):
        loss = trainer.epoch()
        print("epoch", epoch, "loss", round(loss, 4))
    print("RESULT", loss)


if __name__ == "__main__":
    main()
