"""Multi-label tagging of short sounds; rare tags count more."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

TAGS = ["speech", "music", "dog", "siren", "rain"]
FREQUENCY = [0.5, 0.4, 0.1, 0.05, 0.15]


def clips(n=500, seed=12):
    gen = torch.Generator().manual_seed(seed)
    tags = (torch.rand(n, len(TAGS), generator=gen) < torch.tensor(FREQUENCY)).float()
    mixing = torch.randn(len(TAGS), 30, generator=gen)
    return tags @ mixing + 0.5 * torch.randn(n, 30, generator=gen), tags


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(30, 40),
            nn.ReLU(),
            nn.Dropout(0.2),
            nn.Linear(40, len(TAGS)),
        )

    def forward(self, spectrum):
        return self.layers(spectrum)


def main():
    torch.manual_seed(12)
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    spectra, tags = clips()
    loader = DataLoader(TensorDataset(spectra, tags), batch_size=50, shuffle=True)

    positives = tags.sum(0)
    pos_weight = (len(tags) - positives) / positives
    model = Tagger().to(device)
    criterion = nn.BCEWithLogitsLoss(pos_weight=pos_weight.to(device))
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)

    for epoch in range(4):
        model.train()
        epoch_loss = 0.0
        for x, y in loader:
            x = x.to(device)
            y = y.to(device)
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            epoch_loss += loss.item()
        print(f"epoch {epoch}: {epoch_loss / len(loader):.4f}")
    print("RESULT", epoch_loss / len(loader))


if __name__ == "__main__":
    main()
