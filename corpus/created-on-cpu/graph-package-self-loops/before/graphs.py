import torch


def ring_of_cliques(cliques=5, size=6):
    n = cliques * size
    block = torch.arange(n) // size
    adj = (block[:, None] == block[None, :]).float()
    adj.fill_diagonal_(0)
    heads = torch.arange(cliques) * size
    adj[heads, heads.roll(1)] = 1
    adj[heads.roll(1), heads] = 1
    return adj, block


def add_self_loops(adj):
    return adj + torch.eye(adj.size(0))


def normalize(adj):
    degree = adj.sum(dim=1).clamp(min=1)
    scale = degree.rsqrt()
    return scale[:, None] * adj * scale[None, :]
