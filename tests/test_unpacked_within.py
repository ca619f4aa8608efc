"""Adoption: what a module takes apart moves where code outside of modules hands it over."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import clashes, files

PROGRAM = """
    import torch
    import torch.nn as nn


    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Linear(3, 3)

        def forward(self, x, edges):
            {unpacked}
            z = self.w(x)
            out = torch.zeros_like(z)
            return out.index_add(0, dst, z[src])


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = Layer(), Layer()

        def forward(self, x, edges):
            return self.two(torch.relu(self.one(x, edges)), edges)


    class Graph:
        pass


    def main():
        graph = Graph()
        graph.x, graph.edges = torch.rand(4, 3), torch.tensor([[0, 1, 2], [1, 2, 3]])
        model = Net()
        print(model(graph.x, graph.edges).sum())


    main()
"""


@pytest.mark.parametrize("unpacked", ["src, dst = edges", "src, dst = edges[0], edges[1]"])
def test_it_is_made_where_it_is_handed_over_from(unpacked: str) -> None:
    after = adopted(files(PROGRAM.format(unpacked=unpacked)))["main.py"]
    assert unpacked in after
    assert "dst.to(" not in after
    assert "torch.tensor([[0, 1, 2], [1, 2, 3]], device=device)" in after
    assert clashes(after) == []
