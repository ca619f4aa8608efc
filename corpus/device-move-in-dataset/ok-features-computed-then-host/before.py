import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class EmbeddedPhotos(Dataset):
    """Runs a frozen encoder over all photos when it is built; the workers see CPU tensors only."""

    @torch.no_grad()
    def __init__(self, encoder, device, n=180):
        g = torch.Generator().manual_seed(0)
        self.target = torch.rand(n, generator=g)
        photos = torch.rand(n, 3, 8, 8, generator=g) * 0.5 + self.target[:, None, None, None]
        encoder = encoder.to(device).eval()
        chunks = [encoder(chunk.to(device)).cpu() for chunk in photos.split(60)]
        self.features = torch.cat(chunks)

    def __len__(self):
        return len(self.target)

    def __getitem__(self, i):
        return self.features[i], self.target[i]


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, features):
        return self.net(features).squeeze(-1)


def main():
    torch.manual_seed(23)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
    photos = EmbeddedPhotos(encoder, device)
    loader = DataLoader(photos, batch_size=30, shuffle=True, num_workers=2, pin_memory=torch.cuda.is_available())
    head = Head().to(device)
    optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
    for epoch in range(2):
        for features, target in loader:
            features, target = features.to(device), target.to(device)
            loss = nn.functional.mse_loss(head(features), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, "mse", loss.item())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
