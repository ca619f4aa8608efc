import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class RoomClassifier(nn.Module):
    """Which of four rooms? From the signal strengths of seven routers."""

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(7, 20)
        self.fc2 = nn.Linear(20, 4)

    def forward(self, x):
        return self.fc2(F.relu(self.fc1(x)))


def wifi(n, seed):
    gen = torch.Generator().manual_seed(seed)
    room = torch.randint(0, 4, (n,), generator=gen)
    signal = -60 + 5 * torch.randn(n, 7, generator=gen)
    signal[torch.arange(n), room] += 20
    return TensorDataset(signal / 60, room)


def main():
    torch.manual_seed(3)
    loader = DataLoader(wifi(320, 3), batch_size=32, shuffle=True)
    model = RoomClassifier().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-2)
    for epoch in range(4):
        for signal, room in loader:
            signal, room = signal.to(device), room.to(device)
            loss = F.cross_entropy(model(signal), room)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
