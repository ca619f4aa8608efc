"""``self.__dict__ = entries``: the attributes of an object are what a dict holds, which others may share."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes
from torch import nn

from devfix.analysis.domain.values import Const
from devfix.analysis.language import given_namespaces

HEAD = """
import torch

class Shared:
    state = {"kind": "a"}

    def __init__(self, **more):
        self.own = torch.zeros(3)
        self.__dict__ = Shared.state
        self.__dict__.update(more)

    def fill(self, x):
        self.x = x
        return self

class Options:
    kind = "class"

    def __init__(self, entries):
        self.__dict__ = entries

    def copy(self):
        made = Options({})
        made.__dict__ = dict(self.__dict__)
        return made

first = Shared().fill(torch.ones(2))
entries = {"size": 3, "noise": torch.zeros(4)}
options = Options(entries)
"""

EXPRESSIONS = """
Shared().x
(first.kind, Shared(kind="b").kind, Shared().kind)
[hasattr(first, name) for name in ("x", "y", "own", "kind", "fill")]
getattr(Shared(), "x", None)
sorted(vars(Shared()))
Shared().fill(torch.ones(5)).x + first.x
(options.size, options.kind, hasattr(options, "other"))
Options({"kind": "entry"}).kind
(setattr(options, "size", 4), entries["size"])
(entries.update(size=5), options.size)
(setattr(options.copy(), "size", 4), options.size)
options.copy().noise
""".strip().splitlines()


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_nothing_false_is_said(expression: str) -> None:
    assert lies(f"{HEAD}result = {expression}\n") == []


def test_what_one_object_was_given_meets_the_accelerator_through_another() -> None:
    assert clashes(HEAD + "torch.ones(2).cuda() + Shared().x\n") == ["30: device"]
    assert clashes(HEAD + "torch.ones(4).cuda() + options.noise\n") == ["30: device"]


def test_what_is_filled_anew_is_not_what_it_was() -> None:
    assert clashes(HEAD + "Shared().fill(torch.ones(2).cuda())\ntorch.ones(2).cuda() + first.x\n") == []


def test_of_the_attributes_of_another_object_nothing_is_said() -> None:
    text = HEAD + "other = Options({})\nother.__dict__ = options.copy().__dict__\n"
    assert clashes(text + "torch.ones(4).cuda() + other.noise\n") in ([], ["32: device"])
    view = (
        HEAD
        + "\nclass Plain:\n    pass\n\nplain = Plain()\nplain.noise = torch.zeros(4)\nother = Options({})\n"
    )
    view += "other.__dict__ = plain.__dict__\nplain.noise = torch.zeros(4).cuda()\n"
    assert clashes(view + "torch.ones(4).cuda() + other.noise\n") == []


MODULE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, keep=None):
        super().__init__()
        self.layer, self.size = nn.Linear(2, 2), 3
        self.register_buffer("scale", torch.ones(2))
        if keep:
            setattr(self, keep, 1)

class Counted(nn.Linear):
    pass

net = Net()
"""

PARTS = """
"memo" in net.__dict__
"size" in net.__dict__
"layer" in net.__dict__
"scale" in net.__dict__
"_parameters" in net.__dict__
"training" in vars(net)
"_modules" in vars(net)
"in_features" in Counted(2, 2).__dict__
"memo" in Net(str("me") + "mo").__dict__
net.__dict__.get("memo", 2)
vars(net).get("size", 2)
(net.__dict__.setdefault("memo", 4), net.__dict__.setdefault("memo", 5), net.memo, "memo" in vars(net))
net.__dict__.get("_buffers", 2) == 2
""".strip().splitlines()


@pytest.mark.parametrize("expression", PARTS)
def test_of_what_a_module_has_nothing_false_is_said(expression: str) -> None:
    assert lies(f"{MODULE}result = {expression}\n") == []


def test_what_a_module_does_not_have_is_known() -> None:
    assert Ending(f"{MODULE}result = 'memo' in net.__dict__\n")["result"] == Const(False)


def test_every_module_has_what_is_taken_to_be_there() -> None:
    assert set(vars(nn.Module())) == given_namespaces.OF_MODULES


HANDED_OUT = """
import sys
import torch
from torch import nn
from elsewhere import prepare

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
    def forward(self, x):
        shift = self.shift if "shift" in self.__dict__ else torch.zeros(2)
        return self.layer(x) + shift

net = Net().cuda()
{handed}
net(torch.ones(2).cuda())
"""


@pytest.mark.parametrize(
    "handed", ["prepare(net)", "prepare([net])", "prepare(net.layer, x=net)", "if sys.argv[1:]: prepare(net)"]
)
def test_what_code_outside_was_given_may_have_more_than_the_program_knows(handed: str) -> None:
    assert clashes(HANDED_OUT.format(handed="")) == ["13: device"]
    assert not clashes(HANDED_OUT.format(handed=handed))
