"""Class-balanced training: the sampling weight of a class follows how often it was seen."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

CLASSES = 4
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Frequencies:
    def __init__(self, classes):
        self.seen = torch.ones(classes, dtype=torch.int64, device=device)

    def update(self, labels):
        self.seen += torch.bincount(labels, minlength=len(self.seen))

    def weights(self):
        share = self.seen.clone()
        share /= share.sum()
        return (1.0 / share) / (1.0 / share).sum()


def blobs(n):
    gen = torch.Generator().manual_seed(61)
    label = torch.multinomial(torch.tensor([8.0, 4.0, 2.0, 1.0]), n, replacement=True, generator=gen)
    centre = 2.0 * torch.eye(CLASSES, 6)[label]
    return TensorDataset(centre + torch.randn(n, 6, generator=gen), label)


def main():
    torch.manual_seed(61)
    net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, CLASSES)).to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    frequencies = Frequencies(CLASSES)
    for epoch in range(4):
        for x, label in DataLoader(blobs(300), batch_size=50, shuffle=True):
            x, label = x.to(device), label.to(device)
            frequencies.update(label)
            loss = F.cross_entropy(net(x), label, weight=frequencies.weights())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
