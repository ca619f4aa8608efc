import torch
from torch import nn

from graphs import add_self_loops, normalize


class GraphConv(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.linear = nn.Linear(n_in, n_out)

    def forward(self, x, adj):
        return normalize(add_self_loops(adj)) @ self.linear(x)


class LinkScorer(nn.Module):
    def __init__(self, n_in, dim=8):
        super().__init__()
        self.first, self.second = GraphConv(n_in, 16), GraphConv(16, dim)

    def forward(self, x, adj):
        z = self.second(torch.relu(self.first(x, adj)), adj)
        return z @ z.t()
