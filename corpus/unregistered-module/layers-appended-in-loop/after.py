import argparse

import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument('--layers', type=str, default='8-32-32-1', help='sizes joined by dashes')
parser.add_argument('--activation', choices=['tanh', 'relu'], default='tanh')
parser.add_argument('--iters', type=int, default=60)
args = parser.parse_args()

ACTIVATIONS = {'tanh': torch.tanh, 'relu': torch.relu}


class MLP(nn.Module):
    def __init__(self, sizes, activation):
        super(MLP, self).__init__()
        self.activation = ACTIVATIONS[activation]
        self.scale = nn.Parameter(torch.ones(1))
        self.layers = nn.ModuleList()
        for n_in, n_out in zip(sizes[:-1], sizes[1:]):
            self.layers.append(nn.Linear(n_in, n_out))

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
        return self.scale * self.layers[-1](x)


def robot_arm(n):
    """Forward kinematics of an 8R arm: the reach for random joint angles."""
    angles = torch.rand(n, 8) - 0.5
    heading = angles.cumsum(dim=1)
    reach = torch.stack([heading.cos().sum(1), heading.sin().sum(1)], dim=1).norm(dim=1, keepdim=True)
    return angles, reach / 8


torch.manual_seed(13)
device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
angles, reach = robot_arm(512)
angles, reach = angles.to(device), reach.to(device)

net = MLP([int(s) for s in args.layers.split('-')], args.activation).to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
for it in range(args.iters):
    loss = (net(angles) - reach).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if it % 20 == 0:
        print('iter %d loss %.6f' % (it, loss.item()))
print('RESULT', loss.item())
