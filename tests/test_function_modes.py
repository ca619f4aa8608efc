"""Modes of the project through which the calls of torch go: what they may put elsewhere is known to nobody."""

from __future__ import annotations

import pytest
from reality import run
from text_program import clashes

_PLACING = """\
        if func in (torch.zeros, torch.from_numpy) and kwargs.get("device") is None:
            kwargs["device"] = device
        return func(*args, **kwargs)
"""
_MOVING = """\
        args = tuple(a.to(device) if isinstance(a, torch.Tensor) else a for a in args)
        return func(*args, **kwargs)
"""
_RESULTS = """\
        out = func(*args, **kwargs)
        if func in (torch.zeros, torch.from_numpy):
            out = out.to(device)
        return out
"""
_COUNTING = """\
        self.calls += 1
        out = func(*args, **kwargs)
        self.last = kwargs.get("device"), out
        return out
"""
_NAMING = """\
        return func(*args, **(kwargs or {}))
"""

_PROGRAM = """\
import contextlib
import numpy as np
import torch
from torch import nn
from torch.overrides import TorchFunctionMode

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(2, 2).to(device)

class Mode(TorchFunctionMode):
    calls = 0

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
{body}
class Sub(Mode):
    pass

"""
_USES = """\
    net(torch.zeros(1, 2))
    mask = torch.from_numpy(np.ones(2, dtype=np.float32))
net(mask)
"""


def _program(body: str, entered: str = "with Mode():") -> str:
    return _PROGRAM.replace("{body}", body) + entered + "\n" + _USES


@pytest.mark.parametrize("body", [_PLACING, _MOVING, _RESULTS])
@pytest.mark.parametrize(
    "entered",
    [
        "with Mode():",
        "with Sub() as mode, torch.no_grad():",
        "with contextlib.ExitStack() as stack:\n    stack.enter_context(Mode())",
        "Mode().__enter__()\nif True:",
    ],
)
def test_what_is_made_under_a_mode_that_changes_calls_is_anywhere(body: str, entered: str) -> None:
    assert clashes(_program(body, entered)) == []


@pytest.mark.parametrize("body", [_COUNTING, _NAMING])
def test_a_mode_that_hands_calls_on_changes_nothing(body: str) -> None:
    found = clashes(_program(body))
    last = _program(body).count("\n")
    assert found == [f"{last - 2}: device", f"{last}: device"]


@pytest.mark.parametrize(
    "body",
    [
        '        kwargs["device"] = device\n        return func(*args, **kwargs)\n',
        "        kwargs.update(device=device)\n        return func(*args, **kwargs)\n",
        "        kwargs = {**kwargs, 'device': device}\n        return func(*args, **kwargs)\n",
        "        return func(*args, **{**kwargs, 'device': device})\n",
        "        return func(*args, device=device, **kwargs)\n",
        "        return func(*move(args), **kwargs)\n",
        "        out = func(*args, **kwargs)\n        return out.to(device)\n",
        "        for out in (func(*args, **kwargs),):\n            return out\n",
        "        self.run(func, args, kwargs)\n        return self.out\n",
        "        for each in args:\n            each.data = each.data.to(device)\n        return func(*args, **kwargs)\n",
        "        out = func(*args, **kwargs)\n        out.data = out.to(device)\n        return out\n",
    ],
)
def test_a_mode_that_may_change_calls_is_taken_to_do_so(body: str) -> None:
    assert clashes(_program(body)) == []


def test_behind_the_block_all_is_as_before() -> None:
    body = """\
def begin():
    with Mode():
        return torch.zeros(1, 2)

begin()
net(torch.zeros(1, 2))
"""
    text = _PROGRAM.replace("{body}", _PLACING) + body
    assert clashes(text) == [f"{text.count(chr(10))}: device"]


def test_modules_made_under_a_mode_are_anywhere() -> None:
    body = "with Mode():\n    own = nn.Linear(2, 2)\nown(torch.zeros(1, 2, device=device))\n"
    assert clashes(_PROGRAM.replace("{body}", _PLACING) + body) == []


@pytest.mark.parametrize(("body", "made", "loaded"), [(_PLACING, "meta", "cpu"), (_COUNTING, "cpu", "cpu")])
def test_what_pytorch_does_under_a_mode(body: str, made: str, loaded: str) -> None:
    text = _PROGRAM.replace("{body}", body).replace("torch.from_numpy)", "torch.empty)")
    text = text.replace('"cuda" if torch.cuda.is_available() else "cpu"', '"meta"')
    rest = """\
with Mode():
    zeros, own, loaded = torch.zeros(2), nn.Linear(2, 2), torch.from_numpy(np.ones(2))
after = torch.zeros(2)
"""
    names = run(text + rest)
    places = [names[each].device.type for each in ("zeros", "loaded", "after")]
    assert [*places, names["own"].weight.device.type] == [made, loaded, "cpu", made]
