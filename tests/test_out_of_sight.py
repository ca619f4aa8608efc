"""Objects that code outside the program gets hold of, or whose classes are partly unknown: nothing is known of where they are."""

from __future__ import annotations

import pytest
from text_program import check_texts, clashes

MODEL = """
import functools
import torch
from torch import nn
from elsewhere import Engine, prepare

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1)
{given}
model(torch.ones(1, 3, device=device))
"""


@pytest.mark.parametrize(
    "given",
    [
        "prepare(model)",
        "prepare([model])",
        "prepare((model, 0.1))",
        "prepare(parts={'model': (model, None)})",
        "prepare(functools.partial(print, model))",
        "prepare(part for part in [model])",
    ],
)
def test_a_model_within_what_unknown_code_is_given_may_move(given: str) -> None:
    assert not clashes(MODEL.format(given=given))


@pytest.mark.parametrize("given", ["print((model, 0.1))", "prepare((device, 0.1))"])
def test_a_model_that_nobody_was_given_stays(given: str) -> None:
    assert clashes(MODEL.format(given=given)) == ["10: device"]


RUNNER = """
import torch
from torch import nn
{imports}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Runner({base}):
    def __init__(self, model):
        super().__init__()
        self.parts = (model,)

model = nn.Linear(3, 1)
runner = Runner(model)
runner.run()
model(torch.ones(1, 3, device=device))
"""


@pytest.mark.parametrize(
    ("imports", "base", "found"),
    [
        ("from elsewhere import Engine", "Engine", []),
        ("from elsewhere import *", "Engine", []),
        ("import threading", "threading.local", ["16: device"]),
    ],
)
def test_an_inherited_method_may_move_what_its_object_holds(
    imports: str, base: str, found: list[str]
) -> None:
    assert clashes(RUNNER.format(imports=imports, base=base)) == found


UNKNOWN_BASE = """
import torch
from torch import nn
{imports}

class Net({base}):
    def __init__(self, length):
        self.first = nn.Linear(3, 3)
        self.position = nn.Parameter(torch.zeros(length, 3, device="cuda"))

    def forward(self, x):
        return self.first(x) + self.position
"""


@pytest.mark.parametrize(
    ("imports", "base", "found"),
    [("from elsewhere import *", "Module", []), ("import abc", "abc.ABC", ["12: device"])],
)
def test_what_a_class_of_unknown_base_holds_may_have_moved(imports: str, base: str, found: list[str]) -> None:
    assert clashes(UNKNOWN_BASE.format(imports=imports, base=base)) == found


BY_POSITION = """
import inspect
import torch

def named(init, args, kwargs):
    {same}
    names = [n for n, p in inspect.signature(init).parameters.items() if p.kind is p.KEYWORD_ONLY]
    me, *left = args
    for name in names:
        if left and name not in kwargs:
            kwargs[name] = left.pop(0)
    return [me, *left], kwargs

class Strategy:
    def __init_subclass__(cls, **rest):
        init = cls.__init__
        def wrapped(*args, **kwargs):
            args, kwargs = named(init, args, kwargs)
            return init(*args, **kwargs)
        cls.__init__ = wrapped
        super().__init_subclass__(**rest)

class Training(Strategy):
    def __init__(self, *, model, device="cpu"):
        self.model = model
        self.device = device

    def train(self, batch):
        {moved}
        self.model(batch.to(self.device))

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1)
training = Training({given}, device=device)
training.train(torch.ones(2, 3))
model(torch.ones(2, 3, device=device))
"""


def test_arguments_in_another_order_may_be_any_that_were_given() -> None:
    moved = "self.model.to(self.device)"
    assert not clashes(BY_POSITION.format(same="pass", given="model", moved=moved))


def test_arguments_in_the_same_order_are_what_they_were() -> None:
    text = BY_POSITION.format(same="return args, kwargs", given="model=model", moved="{moved}")
    assert not clashes(text.format(moved="self.model.to(self.device)"))
    assert clashes(text.format(moved="pass"))


WRAPPED = """
import sys
import torch
from torch import nn
from elsewhere import layers

device = torch.device("cuda:0")

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.sizes = layers()

model = Net().to(device)
if len(sys.argv) > 1:
    model = nn.DataParallel(model)
where = next(model.parameters()).device
print(torch.zeros(3, device=where) + torch.ones(3, device=device))
"""


def test_nobody_knows_where_the_parameters_are_that_a_wrapper_hides() -> None:
    assert not clashes(WRAPPED)
    assert clashes(WRAPPED.replace("layers()", "nn.Linear(3, 1), 0").replace("Net().to(device)", "Net()"))


def test_inherited_fields_are_made_where_they_are_written() -> None:
    base = "\n" * 20 + (
        "from dataclasses import dataclass, field\n"
        "SIZE = 3\n"
        "@dataclass\n"
        "class Base:\n"
        "    sizes: list = field(default_factory=lambda: [SIZE, SIZE])\n"
        "    where: str = field(default='cuda')\n"
    )
    main = (
        "import torch\n"
        "from dataclasses import dataclass\n"
        "from base import Base\n"
        "@dataclass\n"
        "class More(Base):\n"
        "    count: int = 1\n"
        "more = More()\n"
        "print(torch.ones(more.sizes, device=more.where) + torch.ones(2, 3))\n"
    )
    found = check_texts({"base.py": base, "main.py": main})
    assert [(finding.path, finding.span.line) for finding in found] == [("main.py", 8)]


KEEPER = """
import torch
from torch import nn

class Keeper:
    shared = None

    def __init__(self):
        self.model = nn.Linear(3, 1)
        if Keeper.shared is None:
            Keeper.shared = self.model

    def answer(self):
        return {used}(torch.ones(3).cuda())

    def reset(self):
        {reset}
"""


@pytest.mark.parametrize(
    ("used", "reset", "found"),
    [
        ("self.model", "self.model = self.model.cuda()", []),
        ("self.model", "self.model.to('cuda')", []),
        ("Keeper.shared", "Keeper.shared = Keeper.shared.cuda()", []),
        ("self.model", "self.model.eval()", ["14: device"]),
        ("self.model", "self.other.cuda()", ["14: device"]),
    ],
)
def test_what_another_method_moves_may_have_been_moved(used: str, reset: str, found: list[str]) -> None:
    assert clashes(KEEPER.format(used=used, reset=reset)) == found
