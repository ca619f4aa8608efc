import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class WineNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(13, 26)
        self.bn1 = nn.BatchNorm1d(26)
        self.fc2 = nn.Linear(26, 3)

    def forward(self, x):
        return self.fc2(F.relu(self.bn1(self.fc1(x))))


def wine_table(n, seed):
    rng = np.random.default_rng(seed)
    cultivar = rng.integers(0, 3, n)
    chemistry = rng.normal(0, 1, (n, 13)).astype(np.float32)
    chemistry[np.arange(n), cultivar * 4] += 2.0
    return TensorDataset(torch.from_numpy(chemistry), torch.from_numpy(cultivar))


def confusion_matrix(y_true, y_pred, classes=3):
    matrix = np.zeros((classes, classes), dtype=int)
    np.add.at(matrix, (y_true, y_pred), 1)
    return matrix


def train(model, loader, optimizer):
    model.train()
    for x, y in loader:
        x, y = x.to(DEVICE), y.to(DEVICE)
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


def test(model, loader):
    model.eval()
    y_true, y_pred = [], []
    with torch.no_grad():
        for x, y in loader:
            x, y = x.to(DEVICE), y.to(DEVICE)
            pred = model(x).argmax(dim=1)
            y_true.append(y.cpu().numpy())
            y_pred.append(pred.cpu().numpy())
    return confusion_matrix(np.concatenate(y_true), np.concatenate(y_pred))


def main():
    torch.manual_seed(1)
    model = WineNet().to(DEVICE)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    train_loader = DataLoader(wine_table(320, 0), batch_size=32, shuffle=True)
    test_loader = DataLoader(wine_table(90, 1), batch_size=45)
    for _ in range(4):
        train(model, train_loader, optimizer)
    matrix = test(model, test_loader)
    print(matrix)
    print("RESULT", np.trace(matrix) / matrix.sum())


if __name__ == "__main__":
    main()
