import torch
import torch.nn as nn
import torch.nn.functional as F


class DenseNet(nn.Module):
    def __init__(self, channels=6, growth=4, depth=3, classes=3):
        super(DenseNet, self).__init__()
        self.convs = []
        for i in range(depth):
            conv = nn.Conv1d(channels + i * growth, growth, 3, padding=1)
            self.add_module("conv%d" % i, conv)
            self.convs.append(conv)
        self.norms = tuple(nn.BatchNorm1d(channels + i * growth) for i in range(depth))
        for i, norm in enumerate(self.norms):
            setattr(self, f"norm{i}", norm)
        self.classifier = nn.Linear(channels + depth * growth, classes)

    def forward(self, x):
        for norm, conv in zip(self.norms, self.convs):
            x = torch.cat([x, F.relu(conv(norm(x)))], dim=1)
        return self.classifier(x.mean(dim=2))


def main():
    torch.manual_seed(92)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = DenseNet().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step in range(30):
        label = torch.randint(0, 3, (48,))
        x = torch.randn(48, 6, 20)
        x[:, :3] += F.one_hot(label, 3).float().unsqueeze(-1)
        loss = F.cross_entropy(model(x.to(device)), label.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss after", step + 1, "steps:", loss.item())
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
