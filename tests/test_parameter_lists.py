"""Lists of a module's parameters hold the same objects: they move with it, and copies of them do not."""

from __future__ import annotations

import pytest
from text_program import check_texts, clashes, fix_texts

HEAD = """\
import torch
import torch.nn as nn

net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
held = list(net.parameters())
"""

GROUPS = 'for group in opt.param_groups:\n    for p in group["params"]:\n        p.data + torch.ones(1, 3).cuda()\n'


@pytest.mark.parametrize("use", [GROUPS, "for p in held:\n    p.data + torch.ones(1, 3).cuda()\n"])
def test_parameters_move_with_their_module(use: str) -> None:
    assert clashes(HEAD + "net.cuda()\n" + use) == []
    program = HEAD + use
    assert clashes(program) == [f"{len(program.splitlines())}: device"]


@pytest.mark.parametrize(
    "listed",
    ["[p for p in net.parameters() if p.requires_grad]", "[p for name, p in net.named_parameters()]"],
)
def test_a_list_that_a_comprehension_makes_holds_the_same_parameters(listed: str) -> None:
    text = f"{HEAD}held = {listed}\n"
    use = "for p in held:\n    torch.ones(p.data.size()).type_as(p.data) + torch.ones(1, 3).cuda()\n"
    assert clashes(text + "net.cuda()\n" + use) == []
    assert clashes(text + use) == [f"{len((text + use).splitlines())}: device"]


def test_the_storage_of_parameters_that_a_comprehension_lists_stays_behind() -> None:
    text = HEAD + "held = [p.data for p in net.parameters()]\nnet.cuda()\n"
    use = "for p in held:\n    p + torch.ones(1, 3).cuda()\n"
    assert clashes(text + use) == [f"{len((text + use).splitlines())}: device"]


@pytest.mark.parametrize("source", ["held", 'opt.param_groups[0]["params"]'])
def test_copies_stay_where_they_were_made(source: str) -> None:
    text = f"copies = [p.detach().clone() for p in {source}]\n"
    use = "for p, q in zip(held, copies):\n    q.add_(p.detach())\n"
    program = HEAD + text + "net.cuda()\n" + use
    assert clashes(program) == [f"{len(program.splitlines())}: device"]
    assert clashes(HEAD + "net.cuda()\n" + text + use) == []


def test_the_model_moves_before_its_parameters_are_copied() -> None:
    text = """\
import torch
import torch.nn as nn

device = "cuda" if torch.cuda.is_available() else "cpu"
net = nn.Linear(3, 2)
held = list(net.parameters())
copies = [p.detach().clone() for p in held]
net.to(device)
for p, q in zip(held, copies):
    q.add_(p.detach())
"""
    fixed, _ = fix_texts({"main.py": text})
    assert fixed["main.py"] == text.replace("nn.Linear(3, 2)", "nn.Linear(3, 2).to(device)")


def test_modules_whose_parameters_another_one_registers_move_with_it() -> None:
    text = """
    import torch
    import torch.nn as nn

    class Net(nn.Module):
        def __init__(self, n):
            super().__init__()
            self.stacks, held = [], []
            for _ in range(n):
                block = nn.Linear(2, 2)
                held.extend(block.parameters())
                self.stacks.append(block)
            self.held = nn.ParameterList({held})

        def forward(self, x):
            for block in self.stacks:
                x = block(x)
            return x

    net = Net(3)
    net.to("cuda")
    net(torch.ones(1, 2).cuda())
    """
    assert clashes(text.replace("{held}", "held")) == []
    assert set(clashes(text.replace("{held}", "[]"))) == {"17: device"}


NAMED = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.shifts = nn.ParameterDict({"in": nn.Parameter(torch.zeros(3)), "out": nn.Parameter(torch.zeros(3))})

    def forward(self, x):
        return x + self.shifts["in"]


net = Net()MOVE
x = torch.ones(2, 3).cuda()
net(x)
"""


def test_the_parameters_of_a_dict_move_with_their_module() -> None:
    assert not check_texts({"main.py": NAMED.replace("MOVE", ".cuda()")})


def test_the_parameters_of_a_dict_stay_where_their_module_is() -> None:
    line = NAMED.splitlines().index('        return x + self.shifts["in"]') + 1
    assert clashes(NAMED.replace("MOVE", "")) == [f"{line}: device"]


OPTIONAL = """\
import argparse
import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--inner", type=int, default=4)
args = parser.parse_args()

class Output(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.projections = nn.{kind}()
        for _ in range({rounds}):
            if inner != 3:
                self.projections.append(nn.Parameter(torch.ones(3, inner)))
            else:
                self.projections.append(None)

    def forward(self, x):
        projection = self.projections[0]
        return x if projection is None else x @ projection

net = Output(args.inner)
{move}
print(net(torch.ones(2, 3).cuda()).sum())
"""


@pytest.mark.parametrize("rounds", ["3", "args.inner"])
@pytest.mark.parametrize("move", ["net.cuda()", "net = net.to('cuda')"])
def test_what_is_a_parameter_or_none_moves_with_its_list(rounds: str, move: str) -> None:
    assert clashes(OPTIONAL.format(kind="ParameterList", rounds=rounds, move=move)) == []


def test_what_is_a_parameter_or_none_stays_with_its_module() -> None:
    text = OPTIONAL.format(kind="ParameterList", rounds="3", move="pass")
    assert clashes(text) == ["21: device"]


def test_a_plain_list_of_parameters_or_none_is_left_behind() -> None:
    text = OPTIONAL.format(kind="ModuleList", rounds="3", move="net.cuda()").replace("nn.ModuleList()", "[]")
    assert clashes(text) == ["21: device"]


LENT = """\
import copy
import torch
import torch.nn as nn

class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(3, 3))
        self.b = nn.Parameter(torch.zeros(3))
        self.register_buffer("scale", torch.ones(3))

    def forward(self, x):
        return x @ self.w + self.b

class Net(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = list(layers)
        {listed}

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

net = Net(Layer(), Layer())
{moved}
net(torch.ones(2, 3){there})
"""

ALL = [
    "self.params = nn.ParameterList(layers[0].parameters()).extend(layers[1].parameters())",
    "self.params = nn.ParameterList(); [self.params.extend([*layer.parameters()]) for layer in layers]",
    "self.one, self.two = (nn.ParameterList(list(layer.parameters())) for layer in layers)",
]


def lent(listed: str, moved: str, there: str) -> list[str]:
    return clashes(LENT.format(listed=listed, moved=moved, there=there))


@pytest.mark.parametrize("listed", ALL)
def test_modules_whose_parameters_are_all_listed_move_with_the_list(listed: str) -> None:
    assert lent(listed, "net.cuda()", "") == ["13: device"]
    assert lent(listed, "net.cuda()", ".cuda()") == []


def test_buffers_of_modules_whose_parameters_are_listed_stay_behind() -> None:
    text = LENT.replace("+ self.b", "+ self.b * self.scale")
    assert clashes(text.format(listed=ALL[1], moved="net.cuda()", there=".cuda()")) == ["13: device"]


@pytest.mark.parametrize(
    "listed",
    [
        "self.params = nn.ParameterList([p for p in layers[0].parameters() if p.dim() > 1])",
        "self.params = nn.ParameterList(list(layers[0].parameters())[:1])",
        "self.params = nn.ParameterList(); [self.params.append(p) for p in layers[0].parameters()]",
    ],
)
@pytest.mark.parametrize("there", ["", ".cuda()"])
def test_of_modules_whose_parameters_are_listed_in_part_nothing_is_known(listed: str, there: str) -> None:
    assert lent(listed, "net.cuda()", there) == []


def test_a_copy_moves_without_the_modules_of_the_original() -> None:
    assert lent(ALL[1], "copy.deepcopy(net).cuda()", "") == []
    assert lent(ALL[1], "net = copy.deepcopy(net).cuda()", "") == ["13: device"]


PAIRS = """
import torch
from torch import nn

there = torch.ones(4, device="cuda")

class Net(nn.Module):
    def __init__(self, rounds):
        super().__init__()
        self.weights = nn.ParameterList()
        for number in range(rounds):
            self.weights.append(nn.Parameter(torch.randn(number + 2, 4)))
        self.first = nn.Parameter(torch.ones(4))
        self.named, self.kept = [], {{}}
        for name, parameter in self.named_parameters():
            if "weight" in name:
                self.named.append((name, parameter))
                self.kept[name] = (parameter, name)
        self.pair = (self.first, 1)

    def given(self):
        for name, parameter in self.named:
            yield parameter

def run(rounds):
    net = Net(rounds)
    listed = [(name, parameter) for name, parameter in net.named_parameters()]
    grown = []
    for name, parameter in net.named_parameters():
        grown.append((name, parameter))
    {move}
    {use}

run(int(input()))
"""


@pytest.mark.parametrize(
    "use",
    [
        "[parameter + there for parameter in net.given()]",
        "for parameter in net.given(): parameter + there",
        "(tuple(net.given()) + tuple(net.given()))[0] + there",
        "for name, parameter in net.named: parameter + there",
        "for parameter, name in net.kept.values(): parameter + there",
        "net.pair[0] + there",
        "for name, parameter in listed: parameter + there",
        "for name, parameter in grown: parameter + there",
    ],
)
def test_parameters_in_tuples_move_with_their_module(use: str) -> None:
    assert clashes(PAIRS.format(move="net.cuda()", use=use)) == []
