"""SimCLR style pre-training on two noisy views of the same vector."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class TwoViews(Dataset):
    def __init__(self, n=256, dim=18):
        gen = torch.Generator().manual_seed(3)
        prototypes = torch.randn(16, dim, generator=gen)
        self.base = prototypes[torch.arange(n) % 16] + 0.2 * torch.randn(n, dim, generator=gen)

    def __len__(self):
        return self.base.size(0)

    def __getitem__(self, i):
        x = self.base[i]
        return x + 0.1 * torch.randn(x.shape), x + 0.1 * torch.randn(x.shape)


class Projector(nn.Module):
    def __init__(self, dim=18, hidden=48, out=16):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU())
        self.projection = nn.Linear(hidden, out)

    def forward(self, x):
        return F.normalize(self.projection(self.backbone(x)), dim=-1)


def nt_xent(z1, z2, temperature=0.2):
    n = z1.size(0)
    z = torch.cat([z1, z2])
    similarity = z @ z.t() / temperature
    diagonal = torch.eye(2 * n, dtype=torch.bool, device=similarity.device)
    similarity = similarity.masked_fill(diagonal, -1e9)
    targets = torch.cat([torch.arange(n, 2 * n, device=similarity.device), torch.arange(n, device=similarity.device)])
    return F.cross_entropy(similarity, targets)


class Pretrainer:
    def __init__(self, dataset):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = Projector().to(self.device)
        self.loader = DataLoader(dataset, batch_size=64, shuffle=True, drop_last=True)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=3e-3)

    def fit(self, epochs):
        for epoch in range(epochs):
            for view1, view2 in self.loader:
                z1 = self.model(view1.to(self.device))
                z2 = self.model(view2.to(self.device))
                loss = nt_xent(z1, z2)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print("epoch", epoch, "nt-xent", f"{loss.item():.4f}")
        return loss.item()


if __name__ == "__main__":
    torch.manual_seed(2)
    print("RESULT", Pretrainer(TwoViews()).fit(3))
