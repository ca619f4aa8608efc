"""Everything is where the option says, and the accelerator is asked for its name alone."""

import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cpu")
parser.add_argument("--batch", type=int, default=16)
args = parser.parse_args()

if torch.cuda.is_available():
    print("there is an accelerator: --device cuda")
torch.manual_seed(0)
device = torch.device(args.device)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1)).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    x = torch.randn(args.batch, 3).to(device)
    loss = (net(x) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("RESULT", loss.item())
