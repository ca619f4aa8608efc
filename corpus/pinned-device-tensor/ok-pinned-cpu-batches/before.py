import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser(description="Bars example")
parser.add_argument("--batch-size", type=int, default=40)
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--no-cuda", action="store_true", default=False)
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
use_cuda = not args.no_cuda and torch.cuda.is_available()
device = torch.device("cuda" if use_cuda else "cpu")
torch.manual_seed(args.seed)

kwargs = {"num_workers": 1, "pin_memory": True} if use_cuda else {}


class Bars(Dataset):
    def __init__(self, n):
        self.kind = torch.randint(0, 5, (n,))
        self.image = 0.25 * torch.rand(n, 1, 10, 10)
        for i, k in enumerate(self.kind.tolist()):
            self.image[i, 0, 2 * k] += 0.75

    def __len__(self):
        return len(self.kind)

    def __getitem__(self, i):
        return self.image[i], self.kind[i]


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv = nn.Conv2d(1, 6, 3)
        self.fc = nn.Linear(6 * 8 * 8, 5)

    def forward(self, x):
        x = F.relu(self.conv(x))
        return F.log_softmax(self.fc(torch.flatten(x, 1)), dim=1)


def train(model, loader, optimizer, epoch):
    model.train()
    for batch_idx, (data, target) in enumerate(loader):
        data, target = data.to(device, non_blocking=True), target.to(device, non_blocking=True)
        optimizer.zero_grad()
        loss = F.nll_loss(model(data), target)
        loss.backward()
        optimizer.step()
    print("Train epoch {} loss {:.5f}".format(epoch, loss.item()))
    return loss.item()


loader = DataLoader(Bars(240), batch_size=args.batch_size, shuffle=True, **kwargs)
model = Net().to(device)
optimizer = optim.SGD(model.parameters(), lr=0.1)
for epoch in range(1, args.epochs + 1):
    result = train(model, loader, optimizer, epoch)
print("RESULT", result)
