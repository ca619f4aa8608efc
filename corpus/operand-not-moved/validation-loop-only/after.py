import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class GestureNet(nn.Module):
    def __init__(self, channels=6, classes=4):
        super().__init__()
        self.gru = nn.GRU(channels, 24, batch_first=True)
        self.head = nn.Linear(24, classes)

    def forward(self, x):
        _, h = self.gru(x)
        return self.head(h[-1])


def gestures(n, seed):
    gen = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 4, (n,), generator=gen)
    t = torch.linspace(0, 6.28, 30)
    wave = torch.sin(t[None, :, None] * (y[:, None, None] + 1).float())
    return TensorDataset(wave + 0.3 * torch.randn(n, 30, 6, generator=gen), y)


def train_one_epoch(model, loader, criterion, optimizer, device):
    model.train()
    for series, label in loader:
        series, label = series.to(device), label.to(device)
        loss = criterion(model(series), label)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


@torch.no_grad()
def validate(model, loader, criterion, device):
    model.eval()
    loss_sum, hits, count = 0.0, 0, 0
    for series, label in loader:
        series, label = series.to(device), label.to(device)
        logits = model(series)
        loss_sum += criterion(logits, label).item() * label.numel()
        hits += (logits.argmax(dim=1) == label).sum().item()
        count += label.numel()
    return loss_sum / count, hits / count


def main():
    torch.manual_seed(5)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    train_loader = DataLoader(gestures(240, 1), batch_size=24, shuffle=True)
    valid_loader = DataLoader(gestures(60, 2), batch_size=60)
    model = GestureNet().to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        train_one_epoch(model, train_loader, criterion, optimizer, device)
        loss, acc = validate(model, valid_loader, criterion, device)
        print(f"{epoch}: val loss {loss:.4f}, val acc {acc:.3f}")
    print("RESULT", loss)


if __name__ == "__main__":
    main()
