"""Tensors that a module keeps under computed names, or by methods that its constructor calls, become buffers."""

from __future__ import annotations

import textwrap

import pytest
from text_program import clashes, fix_texts

from devfix.simulator import simulated_accelerator

PROGRAM = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, parts=2):
        super().__init__()
        self.layer = nn.Linear(3, 3)
{body}

    def forward(self, x):
        return self.layer(x) * {used}


net = Net().to("cuda")
y = net(torch.ones(2, 3, device="cuda"))
"""


def program(body: str, used: str) -> str:
    return PROGRAM.format(body=textwrap.indent(textwrap.dedent(body).strip("\n"), " " * 8), used=used)


def fixed(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]


def runs(text: str) -> bool:
    with simulated_accelerator():
        try:
            exec(text, {})
        except RuntimeError:
            return False
    return True


#: What sets the attributes, what becomes of it, and how one of them is read.
SET = {
    'setattr(self, "scale", torch.ones(3))': (
        'self.register_buffer("scale", torch.ones(3), persistent=False)',
        "self.scale",
    ),
    'for name, value in (("scale", torch.ones(3)), ("zero", torch.zeros(3))):\n    setattr(self, name, value)': (
        (
            'for name, value in (("scale", torch.ones(3)), ("zero", torch.zeros(3))):\n'
            "    self.register_buffer(name, value, persistent=False)"
        ),
        "self.scale + self.zero",
    ),
    'for i in range(parts):\n    setattr(self, f"book{i}", torch.ones(3) * i)': (
        'for i in range(parts):\n    self.register_buffer(f"book{i}", torch.ones(3) * i, persistent=False)',
        'getattr(self, "book1")',
    ),
}


@pytest.mark.parametrize("before", SET)
def test_what_setattr_keeps_is_registered(before: str) -> None:
    after, used = SET[before]
    text = program(before, used)
    assert not runs(text)
    assert fixed(text) == program(after, used)
    assert runs(program(after, used))
    assert clashes(program(after, used)) == []


#: What may not become a buffer: a value that is no tensor, a name with a dot, one that is there already.
KEPT = {
    'for name, value in {"bits": 8, "scale": torch.ones(3)}.items():\n    setattr(self, name, value)': "self.scale",
    'self.scale = None\nsetattr(self, "scale", torch.ones(3))': "self.scale",
    'for name in ("at.bias", "at.weight"):\n    setattr(self, name, torch.ones(3))': 'getattr(self, "at.bias")',
    'setattr(self, "scale", torch.ones(3))\nif parts > 2:\n    self.scale = 1.0': "self.scale",
}


@pytest.mark.parametrize("body", KEPT)
def test_what_can_be_no_buffer_is_moved(body: str) -> None:
    after = fixed(program(body, KEPT[body]))
    assert "register_buffer" not in after
    assert runs(after)


def test_what_is_right_stays_as_it_is() -> None:
    body = """
    for name in ("scale", "shift"):
        self.register_buffer(name, torch.ones(3))
    for i in range(2):
        setattr(self, f"gain{i}", nn.Parameter(torch.ones(3)))
        setattr(self, f"part{i}", nn.Linear(3, 3))
    setattr(self, "host", torch.ones(3))
    """
    text = program(body, "self.scale + self.gain1 + self.part0(x) + self.host.to(x.device)")
    assert runs(text)
    assert fixed(text) == text


METHOD = """
class Observer(nn.Module):
    def __init__(self, n):
        {first}
        {second}

    def reset(self, n):
        {kept}

    def forward(self, x):
        self.low = torch.minimum(self.low, x)
        return self.low

observer = Observer(3).to("cuda")
y = observer(torch.ones(3, device="cuda"))
"""
SUPER, RESET = "super().__init__()", "self.reset(n)"
PLAIN = "self.low = torch.zeros(n)"
BUFFER = 'self.register_buffer("low", torch.zeros(n), persistent=False)'
HEAD = "import torch\nfrom torch import nn\n"


def test_a_method_that_the_constructor_calls_registers() -> None:
    text = HEAD + METHOD.format(first=SUPER, second=RESET, kept=PLAIN)
    assert fixed(text) == HEAD + METHOD.format(first=SUPER, second=RESET, kept=BUFFER)
    assert runs(fixed(text))


@pytest.mark.parametrize(
    ("first", "second"),
    [(RESET, SUPER), (SUPER, f"self.low = None; {RESET}")],
    ids=["too early", "there before"],
)
def test_what_cannot_be_registered_there_is_made_where_it_is_used(first: str, second: str) -> None:
    after = fixed(HEAD + METHOD.format(first=first, second=second, kept=PLAIN))
    assert "register_buffer" not in after
    assert runs(after)
