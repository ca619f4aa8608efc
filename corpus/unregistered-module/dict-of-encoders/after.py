"""Late fusion of three modalities."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

MODALITIES = {"audio": 20, "motion": 6, "heart": 3}


class Sessions(Dataset):
    def __init__(self, n=300):
        gen = torch.Generator().manual_seed(41)
        self.mood = torch.randint(0, 3, (n,), generator=gen)
        self.data = {}
        for name, size in MODALITIES.items():
            centres = torch.randn(3, size, generator=gen)
            self.data[name] = centres[self.mood] + 1.2 * torch.randn(n, size, generator=gen)

    def __len__(self):
        return len(self.mood)

    def __getitem__(self, i):
        return {name: values[i] for name, values in self.data.items()}, self.mood[i]


class FusionNet(nn.Module):
    def __init__(self, sizes, dim=16):
        super().__init__()
        self.encoders = nn.ModuleDict(
            {name: nn.Sequential(nn.Linear(size, dim), nn.Tanh()) for name, size in sizes.items()}
        )
        self.classifier = nn.Linear(dim * len(sizes), 3)

    def forward(self, inputs):
        parts = [encoder(inputs[name]) for name, encoder in self.encoders.items()]
        return self.classifier(torch.cat(parts, dim=1))


def main():
    torch.manual_seed(41)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = FusionNet(MODALITIES).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    criterion = nn.CrossEntropyLoss()
    for epoch in range(4):
        total = 0.0
        for inputs, mood in DataLoader(Sessions(), batch_size=30, shuffle=True):
            inputs = {name: value.to(device) for name, value in inputs.items()}
            mood = mood.to(device)
            loss = criterion(model(inputs), mood)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / 10:.4f}")
    print("RESULT", total / 10)


if __name__ == "__main__":
    main()
