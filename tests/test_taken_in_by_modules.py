"""What a module takes from elsewhere and hands to its parts moves where it takes it in, once for all of them."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
    import torch
    from torch import nn

    class Graph:
        def __init__(self):
            ring = torch.arange(6)
            self.edges = torch.stack([ring, ring.roll(1)])

    graph = Graph()

    class Mean(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Linear(4, 4)

        def forward(self, x, edges):
            source, target = edges
            return self.net(x.index_add(0, target, x[source]))

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = Mean(), Mean()

        def forward(self, x):
            {taken}
            x = self.first(x, {handed}).relu()
            return self.second(x, {handed})

    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = Net().to(device)
        x = torch.ones(6, 4).to(device)
        print(net(x).sum().item())

    main()
"""


def repaired(taken: str, handed: str = "edges") -> tuple[str, str]:
    texts = files(PROGRAM.format(taken=taken, handed=handed))
    return texts["main.py"], fix_texts(texts)[0]["main.py"]


@pytest.mark.parametrize(
    ("taken", "moved"),
    [
        ("edges = graph.edges", "edges = graph.edges.to(x.device)"),
        ("x, edges = x, graph.edges", "x, edges = x, graph.edges\n        edges = edges.to(x.device)"),
    ],
)
def test_it_moves_where_a_module_takes_it_in(taken: str, moved: str) -> None:
    before, after = repaired(taken)
    assert after == before.replace(taken, moved)


def test_what_has_no_name_there_moves_where_it_is_taken_apart() -> None:
    before, after = repaired("pass", "graph.edges")
    apart = "source, target = edges\n"
    assert after == before.replace(apart, f"{apart}        target = target.to(x.device)\n")
