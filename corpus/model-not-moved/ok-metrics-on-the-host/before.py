import torch
from torch import nn
from torchmetrics import MeanMetric
from torchmetrics.classification import BinaryAUROC


def fraud(n):
    x = torch.randn(n, 12)
    risk = x[:, 0] + x[:, 1] * x[:, 2] - 1.5
    return x, (torch.rand(n) < torch.sigmoid(2 * risk)).long()


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 1))
        self.seen_loss = MeanMetric()

    def forward(self, x):
        return self.layers(x).squeeze(1)


def main():
    torch.manual_seed(80)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    detector = Detector().to(device)
    auroc = BinaryAUROC()
    optimizer = torch.optim.Adam(detector.parameters(), lr=1e-2)
    for step in range(40):
        x, y = fraud(64)
        logits = detector(x.to(device))
        loss = nn.functional.binary_cross_entropy_with_logits(logits, y.to(device).float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        detector.seen_loss.update(loss.detach())
        auroc.update(logits.detach().cpu(), y)
    print("mean loss", detector.seen_loss.compute().item())
    print("RESULT", auroc.compute().item())


if __name__ == "__main__":
    main()
