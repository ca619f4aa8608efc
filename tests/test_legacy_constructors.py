"""Legacy constructors that are given a tensor: it must be of their type, and so on their device."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

TARGETS = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Linear(3, 2).to(device)
best = net(torch.ones(3, device=device)).max()
target = torch.{made}
print(target)
"""


@pytest.mark.parametrize("given", ["FloatTensor(1.0 + 0.9 * best)", "FloatTensor(best.detach())"])
def test_a_type_of_the_cpu_takes_no_tensor_of_the_accelerator(given: str) -> None:
    assert clashes(TARGETS.format(made=given)) == ["7: host-only"]


def test_the_tensor_comes_to_the_cpu_first() -> None:
    texts = files(TARGETS.format(made="FloatTensor(1.0 + 0.9 * best)"))
    after = fix_texts(texts, Applicability.SAFE)[0]["main.py"]
    assert "torch.FloatTensor((1.0 + 0.9 * best).cpu())" in after


@pytest.mark.parametrize(
    "given",
    [
        "FloatTensor([1.0, best])",
        "FloatTensor(best.cpu())",
        "FloatTensor(3)",
        "Tensor(best)",
        "cuda.FloatTensor(best)",
    ],
)
def test_what_is_no_tensor_elsewhere_is_taken(given: str) -> None:
    assert clashes(TARGETS.format(made=given)) == []


def test_what_is_made_of_a_tensor_is_that_tensor() -> None:
    text = """
    import torch

    given = torch.ones(2, requires_grad=True)
    whole = torch.Tensor(torch.tensor([[1, 2]]))
    wide = torch.Tensor(torch.ones(2, dtype=torch.float64))
    number = torch.Tensor(torch.tensor(5))
    weighed = torch.Tensor(given)
    typed = torch.FloatTensor(given.max())
    """
    assert lies(text) == []


def test_it_stays_on_the_accelerator() -> None:
    text = """
    import torch

    x = torch.rand(4, 3).cuda()
    ids = torch.tensor([1, 2]).cuda()
    print(x + torch.Tensor(x), torch.nn.Embedding(5, 2).cuda()(torch.Tensor(ids)))
    """
    assert clashes(text) == []


@pytest.mark.parametrize("made", ["type(x)()", "make()", "make(places, x, torch.Size([3]))"])
def test_nothing_is_said_of_a_sparse_tensor_of_the_kind_of_another(made: str) -> None:
    text = """
    import torch

    x = torch.ones(3).cuda()
    make, places = type(x.data), x.nonzero()
    print(x + {made})
    """
    assert clashes(text.format(made=made)) == []
    assert clashes(text.format(made="make(3)")) == ["6: device"]
    assert clashes(text.format(made="make([1.0, 2.0, 3.0])")) == ["6: device"]


JOINED = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.device, self.layer = device, nn.Linear(3, 3)

    def pool(self, size):
        index = torch.LongTensor([[0, 1], [0, 1]])
        entries = torch.FloatTensor([1.0] * size)
        pooled = torch.sparse.FloatTensor(index, entries, torch.Size([2, 2]))
        {more}
        return pooled

    def forward(self, x):
        return torch.spmm(self.pool(2), self.layer(x))

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Net(device).to(device)(torch.ones(2, 3, device=device)))
"""


def test_what_is_made_of_several_moves_as_a_whole() -> None:
    text = JOINED.format(more="print(pooled)")
    line = "pooled = torch.sparse.FloatTensor(index, entries, torch.Size([2, 2]))"
    assert fix_texts({"main.py": text})[0]["main.py"] == text.replace(line, f"{line}.to(self.device)")


def test_what_serves_others_as_well_moves_by_itself() -> None:
    text = JOINED.format(more="pooled = pooled + self.layer.weight[:2, :2] * entries")
    text = text.replace(
        "index = torch.LongTensor([[0, 1], [0, 1]])", "index = torch.eye(2, device=self.device).long()"
    )
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert "torch.FloatTensor([1.0] * size).to(self.device)" in after


WRITTEN_BACK = """
import torch
from torch import nn

class Model:
    def __init__(self, series):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net, self.series = nn.Linear(3, 1).to(self.device), series

    def steps(self, optimizer):
        for i in range(3):
            past = self.series[i : i + 3]
            aim = torch.from_numpy(self.series[i : i + 1]).type(torch.FloatTensor)
            past = torch.from_numpy(
                past).type(torch.FloatTensor){past}
            loss = nn.functional.mse_loss(self.net(past), aim{aim})
            loss.backward()
            optimizer.step()
"""


@pytest.mark.parametrize(("past", "aim"), [("", ".to(self.device)"), (".to(self.device)", "")])
def test_a_type_of_the_cpu_is_no_wish_to_stay_there(past: str, aim: str) -> None:
    """What meets it on the accelerator does not come to the CPU."""
    use = "\nmodel = Model(numpy.ones(9))\nmodel.steps(torch.optim.SGD(model.net.parameters(), 0.1))\n"
    text = "import numpy\n" + WRITTEN_BACK.format(past=past, aim=aim) + use
    after = fix_texts({"main.py": text})[0]["main.py"]
    changed = [line.strip() for line in after.splitlines() if line not in text.splitlines()]
    assert len(changed) == 1
    assert changed[0].startswith(("past)", "aim = "))
    assert changed[0].endswith(".to(self.device)")


@pytest.mark.filterwarnings("ignore:torch.sparse.SparseTensor")
def test_a_sparse_tensor_is_what_its_values_are_unless_it_is_made_by_sizes_alone() -> None:
    text = """
    import torch

    where, few, both = torch.tensor([[0, 1], [1, 0]]), torch.tensor([1, 2]), torch.Size([2, 2])
    integers = torch.sparse.IntTensor(where, few, both)
    wide = torch.sparse.FloatTensor(where, few.double(), both)
    dense = torch.sparse.LongTensor(where, few.int()).to_dense()
    by_sizes = torch.sparse.DoubleTensor(2, 2)
    by_size = torch.sparse.HalfTensor(both)
    empty = torch.sparse.ByteTensor()
    """
    assert lies(text) == []


@pytest.mark.parametrize(
    ("made", "found"),
    [
        ("sparse.IntTensor(where, few)", ["6: device"]),
        ("sparse.DoubleTensor(where, few, torch.Size([2, 2]))", ["6: device"]),
        ("cuda.sparse.FloatTensor(where, few)", ["6: device"]),
        ("sparse.FloatTensor(2, 2)", ["6: device"]),
        ("sparse.IntTensor(where.cuda(), few.cuda())", []),
        ("cuda.sparse.FloatTensor(2, 2)", []),
    ],
)
def test_a_sparse_tensor_is_where_its_values_are_unless_it_is_made_by_sizes_alone(
    made: str, found: list[str]
) -> None:
    """So an H200 has it."""
    text = f"""
    import torch

    where, few = torch.tensor([[0, 1], [1, 0]]), torch.ones(2)
    graph = torch.{made}
    print(torch.sparse.mm(graph, torch.ones(2, 2).cuda()))
    """
    assert clashes(text) == found


ROUNDS = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
nets = [nn.Linear(2, 2).to(device) for _ in range(2)]
rows = {rows}
total = 0
for net in nets:
    rows = torch.FloatTensor(rows){moved}
    total = total + net(rows).sum()
print(total)
"""


@pytest.mark.parametrize("rows", ["[[0.5, 1.0]]", "[(0.5, 1.0)]", "((0.5, 1.0),)", "np.ones((1, 2))"])
@pytest.mark.parametrize("moved", ["", ".to(device)"])
def test_what_is_a_list_in_some_round_gets_no_method_of_a_tensor(rows: str, moved: str) -> None:
    text = ROUNDS.format(rows=rows, moved=moved).replace(
        "import torch\n", "import numpy as np\nimport torch\n", 1
    )
    after = fix_texts(files(text), Applicability.SAFE)[0]["main.py"]
    assert "torch.FloatTensor(rows)" in after
    assert "net(rows.to(device))" in after


def test_what_is_a_tensor_in_every_round_comes_to_the_cpu_first() -> None:
    text = ROUNDS.format(rows="torch.ones(1, 2, device=device)", moved=".to(device)")
    after = fix_texts(files(text), Applicability.SAFE)[0]["main.py"]
    assert "torch.FloatTensor(rows.cpu()).to(device)" in after


ONE_OF_TWO = """
import torch
from torch import Tensor
from torch.cuda import FloatTensor

def made(n, where):
    kind = {kind}
    return Tensor(n, 4).type(kind)

def main(settings):
    return made(3, settings.get("where")) * torch.ones(3, 4).{place}
"""


@pytest.mark.parametrize("place", ["cuda()", "cpu()"])
@pytest.mark.parametrize(
    "kind",
    [
        "[FloatTensor, Tensor][where]",
        "{{True: FloatTensor, False: torch.float64}}[where]",
        '{{True: FloatTensor, False: "torch.DoubleTensor"}}[where]',
    ],
)
def test_one_of_two_types_may_be_on_either_device(kind: str, place: str) -> None:
    assert clashes(ONE_OF_TWO.format(kind=kind.replace("{{", "{").replace("}}", "}"), place=place)) == []


@pytest.mark.parametrize(
    "kind", ["[Tensor, torch.DoubleTensor][where]", "[torch.float64, torch.float32][where]"]
)
def test_one_of_two_types_of_one_device_is_there(kind: str) -> None:
    assert [clash.partition(": ")[2] for clash in clashes(ONE_OF_TWO.format(kind=kind, place="cuda()"))] == [
        "device"
    ]
    assert clashes(ONE_OF_TWO.format(kind=kind, place="cpu()")) == []


HANDED = """
import torch

def looked_up(batch{annotated}):
    {before}
    return torch.LongTensor(batch)

ids = torch.ones(3, device="cuda").long()
looked_up(ids)
"""


@pytest.mark.parametrize(
    ("annotated", "before", "safe"),
    [("", "pass", False), (": torch.Tensor", "pass", True), ("", "batch = batch.view(-1)", True)],
)
def test_what_a_function_is_given_may_be_a_list_in_calls_that_nobody_saw(
    annotated: str, before: str, safe: bool
) -> None:
    text = HANDED.format(annotated=annotated, before=before)
    assert len(clashes(text)) == 1
    assert (fix_texts({"main.py": text})[0]["main.py"] != text) == safe
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert ".cpu()" in after
