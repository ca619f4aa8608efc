import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics.classification import MulticlassAccuracy


def iris_like(n):
    kind = torch.arange(n) % 3
    centre = torch.tensor([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])
    return TensorDataset(centre[kind] + 0.4 * torch.randn(n, 4), kind)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_loader = DataLoader(iris_like(150), batch_size=30, shuffle=True)
    test_loader = DataLoader(iris_like(60), batch_size=30)

    model = nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    criterion = nn.CrossEntropyLoss()
    accuracy = MulticlassAccuracy(num_classes=3).to(device)

    for epoch in range(5):
        model.train()
        for x, y in train_loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()

        model.eval()
        accuracy.reset()
        with torch.no_grad():
            for x, y in test_loader:
                x, y = x.to(device), y.to(device)
                accuracy.update(model(x), y)
        print(f"epoch {epoch} accuracy {accuracy.compute().item():.3f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
