import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Gratings(Dataset):
    """Oriented gratings with noise; the label is the orientation bin."""

    def __init__(self, n=200, size=20, bins=4):
        self.rng = np.random.default_rng(71)
        self.labels = self.rng.integers(0, bins, n)
        yy, xx = np.mgrid[0:size, 0:size] / size
        angle = np.pi * self.labels[:, None, None] / bins
        wave = np.sin(25 * (xx * np.cos(angle) + yy * np.sin(angle)))
        self.images = wave + self.rng.normal(0, 0.3, (n, size, size))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        image = torch.from_numpy(self.images[index]).unsqueeze(0)
        return image, int(self.labels[index])


class OrientationNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, kernel_size=7, stride=2)
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        energy = self.conv(x).pow(2).mean(dim=(2, 3))
        return self.head(torch.log1p(energy))


if __name__ == "__main__":
    torch.manual_seed(71)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    loader = DataLoader(Gratings(), batch_size=25, shuffle=True)
    net = OrientationNet().to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-2)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(4):
        total = 0.0
        for image, label in loader:
            image, label = image.to(device), label.to(device)
            optimizer.zero_grad()
            loss = criterion(net(image), label)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print("epoch %d  loss %.3f" % (epoch, total / len(loader)))
    print("RESULT", total / len(loader))
