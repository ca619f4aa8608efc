import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Standardise(nn.Module):
    """(x - mean) / std with the statistics of the training split."""

    def __init__(self, mean, std):
        super().__init__()
        self.mean = torch.tensor(mean)
        self.std = torch.tensor(std)
        self.eps = 1e-6

    def forward(self, x):
        return (x - self.mean) / (self.std + self.eps)


def concrete_mixes(n=400):
    """cement, water, aggregate, age -> strength"""
    g = torch.Generator().manual_seed(28)
    low = torch.tensor([100.0, 120.0, 800.0, 1.0])
    high = torch.tensor([540.0, 250.0, 1150.0, 90.0])
    mix = low + (high - low) * torch.rand(n, 4, generator=g)
    strength = 30 * mix[:, 0] / mix[:, 1] + 4 * mix[:, 3].log() - 0.01 * mix[:, 2]
    return mix, strength.unsqueeze(1) / 20


if __name__ == "__main__":
    torch.manual_seed(28)
    device = "cuda:0" if torch.cuda.is_available() else "cpu"

    mix, strength = concrete_mixes()
    network = nn.Sequential(
        Standardise(mix.mean(0).tolist(), mix.std(0).tolist()),
        nn.Linear(4, 32),
        nn.ReLU(),
        nn.Linear(32, 1),
    )
    network.to(device)
    criterion = nn.HuberLoss()
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)

    dataset = TensorDataset(mix, strength)
    for epoch in range(5):
        for x, y in DataLoader(dataset, batch_size=64, shuffle=True):
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = criterion(network(x), y)
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} huber {loss.item():.4f}")
    print("RESULT", loss.item())
