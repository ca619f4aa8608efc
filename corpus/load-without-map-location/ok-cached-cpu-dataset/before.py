"""Features are computed once, cached on disk as CPU tensors and then served by a DataLoader."""
import os
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def compute_features(path, n=400):
    g = torch.Generator().manual_seed(3)
    audio = torch.randn(n, 128, generator=g)
    label = torch.randint(0, 3, (n,), generator=g)
    ramp = torch.linspace(0, 25, 128)
    audio = audio + torch.sin(ramp * (label[:, None] + 1)) * 1.5
    spectrum = torch.fft.rfft(audio).abs().log1p()
    torch.save({"spectrum": spectrum, "label": label}, path)


class CachedFeatures(Dataset):
    def __init__(self, path):
        cache = torch.load(path)
        self.spectrum = cache["spectrum"]
        self.label = cache["label"]

    def __len__(self):
        return len(self.label)

    def __getitem__(self, i):
        return self.spectrum[i], self.label[i]


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "features.pt")
        compute_features(path)
        loader = DataLoader(CachedFeatures(path), batch_size=50, shuffle=True,
                            pin_memory=torch.cuda.is_available())
        model = nn.Sequential(nn.Linear(65, 32), nn.ReLU(), nn.Linear(32, 3)).to(device)
        opt = torch.optim.Adam(model.parameters(), lr=3e-3)
        for epoch in range(3):
            for spectrum, label in loader:
                spectrum = spectrum.to(device, non_blocking=True)
                label = label.to(device, non_blocking=True)
                loss = nn.functional.cross_entropy(model(spectrum), label)
                opt.zero_grad()
                loss.backward()
                opt.step()
            print(epoch, loss.item())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
