import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


def soft_dice_loss(logits, labels, eps=1e-6):
    """1 - Dice, averaged over the classes; labels are class ids."""
    num_classes = logits.shape[1]
    probs = logits.softmax(dim=1)
    one_hot = torch.eye(num_classes, device=labels.device)[labels]
    intersection = (probs * one_hot).sum(0)
    cardinality = probs.sum(0) + one_hot.sum(0)
    return 1 - ((2 * intersection + eps) / (cardinality + eps)).mean()


class PixelClassifier(nn.Sequential):
    """Classifies single pixels by their 8 spectral bands."""

    def __init__(self, bands=8, classes=4):
        super().__init__(
            nn.Linear(bands, 24),
            nn.BatchNorm1d(24),
            nn.ReLU(),
            nn.Linear(24, classes),
        )


def spectral_pixels(n):
    label = torch.multinomial(torch.tensor([0.6, 0.25, 0.1, 0.05]), n, replacement=True)
    signature = torch.tensor([[0.1 * ((b * (k + 2)) % 7) for b in range(8)] for k in range(4)])
    return signature[label] + 0.08 * torch.randn(n, 8), label


def run():
    torch.manual_seed(77)
    loader = DataLoader(TensorDataset(*spectral_pixels(600)), batch_size=60, shuffle=True)
    model = PixelClassifier().to(device)
    ce = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    for epoch in range(4):
        for pixels, labels in loader:
            pixels, labels = pixels.to(device), labels.to(device)
            logits = model(pixels)
            loss = ce(logits, labels) + soft_dice_loss(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"[epoch {epoch}] loss = {loss.item():.4f}")
    return loss.item()


if __name__ == "__main__":
    print("RESULT", run())
