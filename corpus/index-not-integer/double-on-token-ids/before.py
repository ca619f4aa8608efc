import numpy as np
import torch
from torch import nn

use_cuda = torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")

RNG = np.random.RandomState(37)
CODONS, AMINO = 64, 8


class CodonUsage(nn.Module):
    def __init__(self, d=12):
        super(CodonUsage, self).__init__()
        self.lookup = nn.Embedding(CODONS, d)
        self.conv = nn.Conv1d(d, 16, 3, padding=1)
        self.fc = nn.Linear(16, AMINO)

    def forward(self, codons):
        h = self.lookup(codons).transpose(1, 2)
        h = torch.relu(self.conv(h)).mean(dim=2)
        return self.fc(h)


def genes(n, length=30):
    family = RNG.randint(0, AMINO, n)
    codons = (RNG.randint(0, 16, (n, length)) + 6 * family[:, None]) % CODONS
    return codons, family


def to_tensors(codons, family):
    ids = torch.from_numpy(codons).double()
    classes = torch.from_numpy(family).long()
    return ids.to(device), classes.to(device)


def main():
    torch.manual_seed(37)
    model = CodonUsage().to(device)
    loss_function = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for iteration in range(40):
        ids, classes = to_tensors(*genes(64))
        loss = loss_function(model(ids), classes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if iteration % 10 == 0:
            print("iteration", iteration, "loss", round(loss.item(), 4))
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
