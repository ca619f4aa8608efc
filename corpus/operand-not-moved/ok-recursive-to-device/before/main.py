import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

from batching import Prefetched, to_device


class Molecules(Dataset):
    def __init__(self, n=240):
        gen = torch.Generator().manual_seed(3)
        self.atoms = torch.randint(0, 5, (n, 7), generator=gen)
        self.charge = torch.randn(n, 7, generator=gen)

    def __len__(self):
        return len(self.atoms)

    def __getitem__(self, i):
        energy = (self.atoms[i].float() * 0.3 + self.charge[i] ** 2).sum()
        return {"graph": {"atoms": self.atoms[i], "charge": self.charge[i]}, "name": f"mol{i}"}, energy


class EnergyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.atom = nn.Embedding(5, 8)
        self.mlp = nn.Sequential(nn.Linear(9, 24), nn.SiLU(), nn.Linear(24, 1))

    def forward(self, graph):
        h = torch.cat([self.atom(graph["atoms"]), graph["charge"].unsqueeze(-1)], dim=-1)
        return self.mlp(h).sum(dim=(1, 2))


def main():
    torch.manual_seed(3)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = EnergyModel().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    loader = Prefetched(DataLoader(Molecules(), batch_size=24, shuffle=True), device)
    for epoch in range(4):
        for inputs, energy in loader:
            loss = nn.functional.l1_loss(model(inputs["graph"]), energy)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, len(loader), loss.item())
    sample, energy = to_device(next(iter(DataLoader(Molecules(), batch_size=8))), device)
    print("sample error", (model(sample["graph"]) - energy).abs().mean().item())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
