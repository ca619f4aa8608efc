"""Functions that call themselves: what they leave behind, and what they return, below the levels that are followed."""

from __future__ import annotations

import pytest
from text_program import Ending, clashes

from devfix.analysis.domain.values import Const, Tensor

WALK = """
import random
import torch
from torch import nn

class Walker:
    def __init__(self):
        self.seen, self.rng = [], random.Random(0)

    def walk(self, state, depth):
        {base}
        self.seen.append(torch.zeros(1, 2))
        for _ in range(2):
            self.walk(state + self.rng.random(), depth + 1)

walker = Walker()
walker.walk(0.0, 0)
net = nn.Linear(2, 1).cuda()
net({what})
"""


@pytest.mark.parametrize("base", ["if depth > 2:\n            return", "if state > 3:\n            return"])
def test_what_a_recursion_collects_is_known(base: str) -> None:
    """Whether a number that is known ends it, or one that is not."""
    assert clashes(WALK.format(base=base, what="walker.seen[0]")) == ["20: device"]


def test_what_nothing_ends_is_not_followed() -> None:
    """No path returns within the levels that are followed: what it left behind is not known."""
    text = WALK.format(base="if depth > 30:\n            return", what="walker.seen[0]")
    assert clashes(text) == []
    assert clashes(text.replace("walker.seen[0]", "torch.ones(1, 2)")) == ["20: device"]


def test_what_returns_without_going_deeper_tells_the_result() -> None:
    text = """
        import random
        import torch

        def grown(x):
            if random.random() < 0.5:
                return torch.zeros(3)
            return x * grown(x) + grown(x)

        result = grown(torch.ones(3))
    """
    value = Ending(text)["result"]
    assert isinstance(value, Tensor)
    assert (value.device.kind, value.dtype) == ("cpu", "float32")


def test_one_that_calls_another_that_calls_it() -> None:
    text = """
        import random

        def even(n):
            return True if random.random() < 0.5 else odd(n)

        def odd(n):
            return even(n)

        result = even(9)
        after = 1
    """
    ending = Ending(text)
    assert ending["after"] == Const(1)
    assert ending["result"] == Const(True)


def test_a_path_that_goes_deeper_is_not_lost() -> None:
    """A model that only the recursion moves may be on either device: nothing is certain."""
    text = """
        import random
        import torch
        from torch import nn

        def settle(model, tries):
            if random.random() < 0.5:
                return model
            model.cuda()
            return settle(model, tries)

        model = settle(nn.Linear(2, 2), 3)
        model(torch.ones(1, 2))
    """
    assert clashes(text) == []


@pytest.mark.parametrize(
    "expression", ["1 if maybe() else refuse()", "refuse() if maybe() else 1", "(maybe() and refuse(), 1)[1]"]
)
def test_what_not_every_run_evaluates_may_raise(expression: str) -> None:
    text = f"""
        import random

        def maybe():
            return random.random() < 0.5

        def refuse():
            raise ValueError

        result = {expression}
        after = 1
    """
    ending = Ending(text)
    assert (ending["result"], ending["after"]) == (Const(1), Const(1))


CHAIN = """
import functools
import torch

def double(x):
    return x * 2

def after(first, second):
    return lambda x: second(first(x))

def wrapped(inner, stage):
    def run(x):
        return stage(inner(x))
    return run

class Pipeline:
    def __init__(self, run=lambda x: x):
        self.run = run
    def __or__(self, stage):
        return Pipeline(lambda x, prior=self.run: stage(prior(x)))

def run(x):
    return x

for stage in (double, torch.sin, double, torch.cos, {last}):
    run = wrapped(run, stage)
by_loop = run
by_class = (Pipeline() | double | torch.sin | double | torch.cos | {last}).run
by_hand = after(after(after(after(double, torch.sin), double), torch.cos), {last})
by_reduce = functools.reduce(after, (double, torch.sin, double, torch.cos, {last}))
torch.nn.Linear(3, 3).cuda()({made}(torch.ones(3)))
"""


@pytest.mark.parametrize("made", ["by_loop", "by_class", "by_hand", "by_reduce"])
def test_functions_around_one_another_are_followed_to_the_innermost(made: str) -> None:
    assert clashes(CHAIN.format(made=made, last="double")) == ["31: device"]
    assert not clashes(CHAIN.format(made=made, last="torch.Tensor.cuda"))
