"""Bank of features on the host: it would not fit on the device for the real data set."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class FeatureBank:
    def __init__(self, rows, dim):
        self.features = torch.zeros(rows, dim)
        self.seen = torch.zeros(rows, dtype=torch.bool)

    def write(self, index, features):
        self.features[index] = features.detach().cpu()
        self.seen[index] = True


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Linear(10, 6)
        self.out = nn.Linear(6, 2)

    def forward(self, x):
        f = torch.tanh(self.features(x))
        return f, self.out(f)


def main():
    torch.manual_seed(29)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(300, 10)
    dataset = TensorDataset(torch.arange(300), x, (x[:, 0] > 0).long())
    net, bank = Net().to(device), FeatureBank(300, 6)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
    epoch_loss = torch.zeros(3)
    largest = torch.empty(6, device=device)
    for epoch in range(3):
        history = []
        for index, x, y in DataLoader(dataset, batch_size=50, shuffle=True):
            features, logits = net(x.to(device))
            loss = nn.functional.cross_entropy(logits, y.to(device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            bank.write(index, features)
            history.append(loss.detach().cpu())
            epoch_loss[epoch] += loss.item()
        print(f"epoch {epoch} mean {torch.stack(history).mean().item():.4f}")
    largest.copy_(bank.features.amax(dim=0))
    print("rows", int(bank.seen.sum()), "largest", largest.max().item())
    print("RESULT", (epoch_loss / 6).tolist()[-1])


if __name__ == "__main__":
    main()
