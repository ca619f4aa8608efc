"""Graphs of PyTorch Geometric move as a whole, and those of its data sets are on the CPU before that."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

SETUP = """
import torch
import torch_geometric.transforms as T
from torch_geometric.data import Data
from torch_geometric.datasets import Planetoid, TUDataset
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
conv = GCNConv(16, 2).to(device)
"""


def _fixed(program: str) -> str:
    return fix_texts({"train.py": SETUP + program})[0]["train.py"]


def test_the_graph_of_a_data_set_is_moved_where_it_gets_its_name() -> None:
    program = "data = Planetoid('data', 'Cora')[0]\nout = conv(data.x, data.edge_index)\n"
    assert clashes(SETUP + program) == ["11: device"]
    assert "data = Planetoid('data', 'Cora')[0].to(device)\n" in _fixed(program)


def test_batches_are_moved_at_the_top_of_the_loop() -> None:
    program = """
graphs = TUDataset("data", "MUTAG").shuffle()
for batch in DataLoader(graphs[:100], batch_size=8, shuffle=True):
    out = conv(batch.x, batch.edge_index)
"""
    assert clashes(SETUP + program) == ["13: device"]
    assert "    batch = batch.to(device)\n" in _fixed(program)


@pytest.mark.parametrize(
    "move",
    ["data = data.to(device)", "data.to(device)", "data.cuda()", "data = data.to(device, non_blocking=True)"],
)
def test_a_graph_moves_in_place(move: str) -> None:
    program = f"data = Planetoid('data', 'Cora')[0]\n{move}\nconv(data.x, data.edge_index)[data.train_mask]\n"
    assert clashes(SETUP + program) == []


def test_another_sample_of_the_set_is_where_the_set_is() -> None:
    program = """
graphs = TUDataset("data", "MUTAG")
first = graphs[0].to(device)
conv(first.x, first.edge_index)
second = graphs[0]
conv(second.x, second.edge_index)
"""
    assert clashes(SETUP + program) == ["15: device"]


def test_a_graph_holds_what_it_is_given() -> None:
    program = """
there = Data(x=torch.ones(2, 16, device=device), edge_index=torch.tensor([[0], [1]]).to(device))
conv(there.x, there.edge_index)
there.extra = torch.ones(2)
here = Data(torch.ones(2, 16), torch.tensor([[0], [1]]))
conv(here.x, here.edge_index)
"""
    assert clashes(SETUP + program) == ["15: device"]


@pytest.mark.parametrize(
    "transform",
    ["T.ToDevice(device)", "T.Compose([T.NormalizeFeatures(), T.ToDevice(device)])", "own", "print"],
)
def test_a_transform_may_have_moved_the_graphs(transform: str) -> None:
    program = (
        f"own = lambda data: data.to(device)\ndata = Planetoid('data', 'Cora', transform={transform})[0]\n"
    )
    assert clashes(SETUP + program + "conv(data.x, data.edge_index)\n") == []


def test_transforms_that_compute_leave_them_on_the_cpu() -> None:
    transform = "T.Compose([T.NormalizeFeatures(), T.RandomNodeSplit()])"
    program = f"data = Planetoid('data', 'Cora', transform={transform})[0]\nconv(data.x, data.edge_index)\n"
    assert clashes(SETUP + program) == ["11: device"]


@pytest.mark.parametrize("package", ["torch_geometric.nn", "torch_geometric.nn.conv"])
def test_a_layer_that_passes_messages_is_a_module_wherever_its_base_comes_from(package: str) -> None:
    program = f"""
import torch
from torch import nn
from {package} import MessagePassing

class Layer(MessagePassing):
    def __init__(self):
        super().__init__(aggr="add")
        self.lin = nn.Linear(3, 3)

    def forward(self, x, edges):
        return self.propagate(edges, x=self.lin(x))

layer = Layer().cuda()
edges = torch.zeros(2, 4, dtype=torch.long).cuda()
layer(torch.ones(4, 3).cuda(), edges)
layer(torch.ones(4, 3), edges)
"""
    assert clashes(program) == ["12: device"]


def test_a_loader_of_neighbours_is_no_module() -> None:
    program = """
from torch_geometric.nn.models.tgn import LastNeighborLoader
loader = LastNeighborLoader(9, size=2, device=device)
loader(torch.arange(3))
"""
    assert clashes(SETUP + program) == []


OWN = """
from torch_geometric.data import Dataset, InMemoryDataset

class Molecules({base}):
    def __init__(self, root, transform=None, pre_transform=None):
        super().__init__(root, transform, pre_transform)
        self.data, self.slices = torch.load(self.processed_paths[0])

    @property
    def processed_file_names(self):
        return ["molecules.pt"]

    def process(self):
        made = [Data(x=torch.ones(3, 16), edge_index=torch.tensor([[0], [1]])){moved} for _ in range(8)]
        torch.save(self.collate(made), self.processed_paths[0])
{more}
"""
GET = """
    def get(self, number):
        return Data(x=torch.ones(3, 16), edge_index=torch.tensor([[0], [1]]))
"""


@pytest.mark.parametrize(
    ("base", "more"),
    [("InMemoryDataset", ""), ("Dataset", GET), ("Dataset", "    get = None\n")],
    ids=["in memory", "one by one", "nobody knows how"],
)
@pytest.mark.parametrize(
    "use",
    [
        "for batch in DataLoader(graphs.shuffle()[:6], batch_size=2):\n    conv(batch.x, batch.edge_index)\n",
        "batch = graphs[0]\nconv(batch.x, batch.edge_index)\n",
    ],
    ids=["batches", "a sample"],
)
def test_graphs_of_a_data_set_of_the_project(base: str, more: str, use: str) -> None:
    text = OWN.format(base=base, more=more, moved="") + "graphs = Molecules('data')\n" + use
    (clash,) = clashes(SETUP + text)
    assert clash.endswith(": device")
    assert "batch = batch.to(device)\n" in _fixed(text) or "batch = graphs[0].to(device)\n" in _fixed(text)


@pytest.mark.parametrize("moved", [".to(device)", ".cuda()"])
def test_a_data_set_of_the_project_that_moves_its_graphs(moved: str) -> None:
    text = OWN.format(base="InMemoryDataset", more="", moved=moved)
    use = "batch = Molecules('data')[0]\nconv(batch.x, batch.edge_index)\n"
    assert clashes(SETUP + text + use) == []


@pytest.mark.parametrize(
    "transform", ["transform=T.ToDevice(device)", "pre_transform=lambda data: data.cuda()", "**options"]
)
def test_a_data_set_of_the_project_whose_graphs_are_moved_from_outside(transform: str) -> None:
    text = OWN.format(base="InMemoryDataset", more="", moved="")
    use = f"import sys\noptions = eval(sys.argv[1])\nbatch = Molecules('data', {transform})[0]\n"
    assert clashes(SETUP + text + use + "conv(batch.x, batch.edge_index)\n") == []


TRANSFORM = """
from torch_geometric.utils import degree
class Degree:
    def __init__(self, norm):
        self.norm = norm
    def __call__(self, data):
        deg = degree(data.edge_index[1], data.num_nodes).view(-1, 1)
        data.x = torch.cat([data.x, deg], dim=-1).to(deg.dtype)
        return data
graphs = TUDataset("data", "DD", pre_transform=Degree(True))
for batch in DataLoader(graphs[torch.arange(8)], batch_size=4):
    conv(batch.x, batch.edge_index)
"""


def test_a_transform_of_the_project_leaves_graphs_where_they_are() -> None:
    assert clashes(SETUP + TRANSFORM) == ["21: device"]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("return data\n", "return data.to(device)\n"),
        ("return data\n", "return data.cuda()\n"),
        ("return data\n", "return Data(x=data.x, edge_index=data.edge_index)\n"),
        ("        return data\n", "        data = moved(data)\n        return data\n"),
        ("        return data\n", ""),
        ("deg.dtype", "data.x"),
    ],
)
def test_another_transform_may_do_anything(text: str, other: str) -> None:
    assert clashes(SETUP + TRANSFORM.replace(text, other)) == []


@pytest.mark.parametrize(
    ("key", "part"),
    [("[0, 2]", True), ("(0, 2)", True), ("list(range(4))", True), ("np.random.permutation(8)", True),
     ("np.arange(8)[2:]", True), ("torch.randperm(8)[:2]", True), ("unheard()", False), ("np.random.choice(8)", False)],
)  # fmt: skip
def test_numbers_of_graphs_choose_a_part_of_the_set(key: str, part: bool) -> None:
    program = f"""
import numpy as np
from elsewhere import unheard
graphs = TUDataset("data", "MUTAG")
for batch in DataLoader(graphs[{key}], batch_size=4):
    conv(batch.x, batch.edge_index)
"""
    assert clashes(SETUP + program) == (["15: device"] if part else [])


@pytest.mark.parametrize("dtype", ["torch.int32", "torch.float32", "torch.uint8"])
def test_numbers_of_graphs_are_of_int64(dtype: str) -> None:
    program = f"""
graphs = TUDataset("data", "MUTAG")
numbers = torch.tensor([0, 2], dtype={dtype})
few = graphs[numbers]
one = graphs[torch.tensor(3, dtype={dtype})]
"""
    assert clashes(SETUP + program) == ["13: index-dtype"]
    assert clashes(SETUP + program.replace(dtype, "torch.int64")) == []
    assert clashes(SETUP + program.replace(dtype, "torch.bool")) == []


MOVED_AS_A_WHOLE = """
import torch
from torch_geometric.data import InMemoryDataset
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv

class Own(InMemoryDataset):
    def __init__(self, root):
        super().__init__(root)
        self.data, self.slices = torch.load(self.processed_paths[0])

device = torch.device("cuda")
dataset = Own("root")
{move}
net = GCNConv(3, 2).to(device)
for batch in DataLoader(dataset, batch_size=4):
    print(net(batch.x, batch.edge_index).sum())
"""


@pytest.mark.parametrize(
    ("move", "found"),
    [
        ("print(len(dataset))", ["17: device"]),
        ("dataset.data = dataset.data.to(device)", []),
        ("dataset._data.cuda()", []),
        ("dataset.data.x = dataset.data.x.to(device)", []),
    ],
)
def test_all_graphs_of_a_data_set_may_be_moved_at_once(move: str, found: list[str]) -> None:
    assert clashes(MOVED_AS_A_WHOLE.format(move=move)) == found
