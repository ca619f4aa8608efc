import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset


class FraudNet(nn.Module):
    def __init__(self, n_features, n_hidden=20):
        super().__init__()
        self.input = nn.Linear(n_features, n_hidden)
        self.norm = nn.BatchNorm1d(n_hidden)
        self.output = nn.Linear(n_hidden, 2)

    def forward(self, x):
        return self.output(torch.relu(self.norm(self.input(x))))


class Solver(object):
    """Trains a classifier on a very unbalanced table."""

    def __init__(self, model, train_data, **kwargs):
        self.use_gpu = kwargs.pop("use_gpu", torch.cuda.is_available())
        self.num_epochs = kwargs.pop("num_epochs", 3)
        self.lr = kwargs.pop("lr", 1e-2)
        if len(kwargs) > 0:
            raise ValueError("Unrecognized arguments %s" % ", ".join(kwargs))
        self.device = torch.device("cuda" if self.use_gpu else "cpu")
        self.model = model.to(self.device)
        self.loader = DataLoader(train_data, batch_size=64, shuffle=True)
        class_counts = torch.bincount(train_data.tensors[1]).float()
        class_weights = class_counts.sum() / (2 * class_counts)
        self.criterion = nn.CrossEntropyLoss(weight=class_weights)
        self.optimizer = optim.Adam(self.model.parameters(), lr=self.lr)
        self.loss_history = []

    def _step(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        loss = self.criterion(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.loss_history.append(loss.item())

    def train(self):
        self.model.train()
        for epoch in range(self.num_epochs):
            for x, y in self.loader:
                self._step(x, y)
            recent = self.loss_history[-len(self.loader):]
            print("(Epoch %d / %d) loss: %f" % (epoch + 1, self.num_epochs, sum(recent) / len(recent)))
        return sum(recent) / len(recent)


def transactions(n=640):
    gen = torch.Generator().manual_seed(4)
    fraud = (torch.rand(n, generator=gen) < 0.08).long()
    x = torch.randn(n, 12, generator=gen) + 0.9 * fraud[:, None]
    return TensorDataset(x, fraud)


if __name__ == "__main__":
    torch.manual_seed(4)
    solver = Solver(FraudNet(12), transactions(), num_epochs=3)
    print("RESULT", solver.train())
