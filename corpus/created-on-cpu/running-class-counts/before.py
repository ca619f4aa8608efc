import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

NUM_CLASSES = 6


class LeafNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(9, 32)
        self.fc2 = nn.Linear(32, NUM_CLASSES)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


def leaves(n, seed):
    """Nine shape measurements for every leaf."""
    gen = torch.Generator().manual_seed(seed)
    species = torch.randint(0, NUM_CLASSES, (n,), generator=gen)
    measurements = 0.5 * torch.randn(n, 9, generator=gen)
    measurements[torch.arange(n), species] += 1.5
    return TensorDataset(measurements, species)


def fit(model, loader, device, epochs=3):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    running_loss = torch.tensor(0.0)
    for epoch in range(epochs):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running_loss += loss.detach().cpu()
    return running_loss / (epochs * len(loader))


@torch.no_grad()
def per_class_recall(model, loader, device):
    model.eval()
    hits = torch.zeros(NUM_CLASSES)
    support = torch.zeros(NUM_CLASSES)
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        one_hot = F.one_hot(y, NUM_CLASSES).float()
        predicted = F.one_hot(model(x).argmax(1), NUM_CLASSES).float()
        hits += (one_hot * predicted).sum(0)
        support += one_hot.sum(0)
    return hits / support.clamp(min=1)


if __name__ == "__main__":
    torch.manual_seed(10)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = LeafNet().to(device)
    mean_loss = fit(model, DataLoader(leaves(480, 0), batch_size=32, shuffle=True), device)
    recall = per_class_recall(model, DataLoader(leaves(120, 1), batch_size=40), device)
    print("mean loss", round(mean_loss.item(), 4))
    print("recall", [round(r, 3) for r in recall.tolist()])
    print("RESULT", recall.mean().item())
