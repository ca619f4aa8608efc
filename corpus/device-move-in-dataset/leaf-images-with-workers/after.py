import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, Subset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class LeafDataset(Dataset):
    """Grey images of leaves; the class is the number of lobes."""

    def __init__(self, n, classes=3):
        rng = torch.Generator().manual_seed(42)
        self.labels = torch.randint(0, classes, (n,), generator=rng)
        angle = torch.atan2(*torch.meshgrid(torch.linspace(-1, 1, 20), torch.linspace(-1, 1, 20), indexing="ij"))
        lobes = torch.cos(angle * (self.labels[:, None, None] + 2))
        self.images = lobes + 0.3 * torch.randn(n, 20, 20, generator=rng)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, idx):
        image = self.images[idx].unsqueeze(0)
        label = self.labels[idx]
        if idx % 2:
            image = image.flip(-1)
        return image, label


class SmallCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 5, stride=2), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.ReLU())
        self.classifier = nn.Linear(8 * 6 * 6, 3)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def evaluate(model, loader):
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for images, labels in loader:
            images, labels = images.to(device), labels.to(device)
            correct += (model(images).argmax(1) == labels).sum().item()
            total += labels.size(0)
    return correct / total


def main():
    torch.manual_seed(0)
    data = LeafDataset(240)
    train_loader = DataLoader(Subset(data, range(200)), batch_size=20, shuffle=True, num_workers=2)
    test_loader = DataLoader(Subset(data, range(200, 240)), batch_size=20, num_workers=2)
    model = SmallCNN().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(2):
        model.train()
        for images, labels in train_loader:
            images, labels = images.to(device), labels.to(device)
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.4f}, accuracy {evaluate(model, test_loader):.3f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
