"""Handlers of the program's own exceptions that a test of data raises: a loop takes them in some of its rounds."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import clashes, fix_texts

STEPS = """
import math
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight = torch.nn.Parameter(torch.ones(4, device=device))

class Bad(ArithmeticError):
    pass

def step(state):
    state = weight * state.detach()
    if {test}:
        raise Bad("no number")
    return state

def rollback():
    return torch.zeros(4{where})

state = torch.zeros(4, device=device)
"""
HANDLED = """
for _ in range(9):
    try:
        state = step(state)
    except Bad{name}:
        state = rollback()
        {then}
    print(state.sum().item())
"""
AGAIN = """
def safe(state):
    try:
        return step(state)
    except Bad:
        return rollback()

while state.sum() < 9:
    state = safe(state)
"""
TEST = "math.isnan(state.sum().item())"


def _clashes(rest: str, test: str = TEST, where: str = "") -> list[str]:
    found = clashes(STEPS.format(test=test, where=where) + rest)
    return [each.partition(": ")[2] for each in found]


@pytest.mark.parametrize("test", [TEST, "not torch.isfinite(state).all()", "state.abs().max() > 1e3"])
@pytest.mark.parametrize("name", ["", " as bad"])
@pytest.mark.parametrize("then", ["continue", "pass"])
def test_what_a_handler_leaves_meets_the_next_round(test: str, name: str, then: str) -> None:
    handled = HANDLED.format(name=name, then=then)
    assert _clashes(handled, test) == ["device"]
    assert _clashes(handled, test, ", device=device") == []


def test_what_a_function_returns_from_its_handler_meets_the_next_round() -> None:
    assert _clashes(AGAIN) == ["device"]
    assert _clashes(AGAIN, where=", device=device") == []


def test_other_exceptions_may_be_none_of_a_run() -> None:
    """An option is on or off, what goes wrong elsewhere ends most programs, and a handler that ends them leaves nothing."""
    handled = HANDLED.format(name="", then="continue")
    assert _clashes(handled, "len(__import__('sys').argv) == 2 and __import__('os').environ['X']") == []
    assert _clashes(handled.replace("except Bad", "except RuntimeError")) == []
    assert _clashes(HANDLED.format(name="", then="raise")) == []


STRICT = "__import__('os').environ.get('STRICT')"


@pytest.mark.parametrize(
    "asked",
    [
        f"if {TEST}:\n        if {STRICT}:\n            raise Bad()",
        f"if {STRICT}:\n        if {TEST}:\n            raise Bad()",
        f"if {TEST}:\n        refuse() if {STRICT} else None",
        f"if {TEST}:\n        {STRICT} and refuse()",
    ],
)
def test_what_an_option_has_a_program_raise_it_may_never_raise(asked: str) -> None:
    steps = STEPS.format(test=TEST, where="").replace(f'if {TEST}:\n        raise Bad("no number")', asked)
    refusing = "def refuse():\n    raise Bad()\n"
    assert asked in steps
    assert clashes(steps + refusing + HANDLED.format(name="", then="continue")) == []


def test_a_single_try_takes_one_way() -> None:
    once = dedent(
        """
        try:
            state = step(state)
        except Bad:
            state = rollback()
        print(state.to(device) + weight)
        print(state + torch.ones(4))
        """
    )
    assert _clashes(once.replace("print(state + torch.ones(4))", "")) == []
    assert _clashes(once.replace(".to(device)", "")) != ["device", "device"]


def test_a_handler_that_moves_is_left_alone() -> None:
    text = STEPS.format(test=TEST, where="") + HANDLED.format(name="", then="state = state.to(device)")
    assert clashes(text) == []
    assert fix_texts({"main.py": text})[0]["main.py"] == text
