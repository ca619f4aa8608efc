"""Message passing over batches of small molecules-like graphs."""
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class GraphBatch:
    x: torch.Tensor
    edge_index: torch.Tensor
    graph: torch.Tensor
    y: torch.Tensor

    def to(self, device):
        return GraphBatch(
            self.x.to(device), self.edge_index.to(device), self.graph.to(device), self.y.to(device)
        )


class Rings(Dataset):
    def __init__(self, n=120):
        g = torch.Generator().manual_seed(33)
        self.graphs = []
        for _ in range(n):
            size = int(torch.randint(3, 8, (1,), generator=g))
            node = torch.arange(size)
            edges = torch.stack([node, (node + 1) % size])
            x = torch.randn(size, 4, generator=g)
            self.graphs.append((x, edges, x[:, 0].max() + 0.1 * size))

    def __len__(self):
        return len(self.graphs)

    def __getitem__(self, i):
        return self.graphs[i]


def make_collate(device):
    def collate(items):
        sizes = torch.tensor([len(x) for x, _, _ in items])
        offset = sizes.cumsum(0) - sizes
        x = torch.cat([x for x, _, _ in items])
        edge_index = torch.cat([e + o for (_, e, _), o in zip(items, offset)], dim=1)
        graph = torch.repeat_interleave(torch.arange(len(items)), sizes)
        y = torch.stack([y for _, _, y in items])
        return GraphBatch(x, edge_index, graph, y)

    return collate


class MPNN(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.inp, self.msg, self.out = nn.Linear(4, d), nn.Linear(d, d), nn.Linear(d, 1)

    def forward(self, b):
        h = torch.relu(self.inp(b.x))
        src, dst = b.edge_index
        h = h.index_add(0, dst, torch.relu(self.msg(h))[src])
        pooled = h.new_zeros(b.y.size(0), h.size(1)).index_add(0, b.graph, h)
        return self.out(pooled).squeeze(1)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Rings(), batch_size=12, shuffle=True, num_workers=1, collate_fn=make_collate(device))
    model = MPNN().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        for batch in loader:
            batch = batch.to(device)
            loss = nn.functional.mse_loss(model(batch), batch.y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"epoch {epoch}: {loss.item():.4f}")
    print("RESULT", loss.item())


if __name__ == "__main__":
    main()
