"""What NumPy is handed as a number in some calls and as a tensor in others: it is copied where the tensor comes from."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

HEAD = """
import numpy as np
import torch
net = torch.nn.Linear(2, 1).cuda()

def loss():
    return net(torch.ones(3, 2).cuda()).pow(2).mean().detach()
"""

METER = """
class Meter:
    def __init__(self):
        self.total, self.n = 0.0, 0
    def add(self, value, n=1):
        self.total, self.n = self.total + value * n, self.n + n
    def rms(self):
        return np.sqrt(self.total / (self.n - 1))

first = Meter()
for _ in range(3):
    found = loss()
    first.add(found)
print(first.rms())
"""
SECOND = """
second = Meter()
second.add(0.25)
print(second.rms())
"""


def _fixed(text: str) -> str:
    return fix_texts({"main.py": HEAD + text})[0]["main.py"]


def test_what_is_reckoned_of_an_attribute_is_a_number_where_that_is_one() -> None:
    after = _fixed(METER + SECOND)
    assert "np.sqrt(self.total / (self.n - 1))" in after
    assert "first.add(found.cpu())" in after
    assert "second.add(0.25)" in after
    assert clashes(after) == []


def test_what_is_reckoned_of_tensors_alone_is_copied_where_it_is_read() -> None:
    assert "np.sqrt((self.total / (self.n - 1)).cpu())" in _fixed(METER)


@pytest.mark.parametrize("asked", ["1 / x", "-x", "abs(x)", "x + 1", "x.mean()"])
@pytest.mark.parametrize("other", ["np.ones(3)", "np.float64(2)"])
def test_a_function_of_tensors_and_others_leaves_the_copy_to_its_callers(asked: str, other: str) -> None:
    text = f"def scaled(x):\n    return np.log10({asked})\nfound = loss()\nscaled(found)\nscaled({other})\n"
    after = _fixed(text)
    assert f"np.log10({asked})" in after
    assert "scaled(found.cpu())" in after
    assert f"scaled({other})\n" in after


def test_a_name_that_one_statement_gives_both_has_no_method_of_a_tensor() -> None:
    after = _fixed("def f(x):\n    y = x * 2\n    return np.sqrt(y)\nfound = loss()\nf(found)\nf(2.0)\n")
    assert "np.sqrt(y)" in after
    assert "f(found.cpu())" in after


TRACKER = """
class Tracker:
    def __init__(self):
        self.best = 0.0
    def update(self, value):
        {first}
        self.best = value.detach()
    def show(self):
        return np.sqrt(self.best)

tracker = Tracker()
{before}
tracker.update(loss())
tracker.update(loss())
print(tracker.show())
"""


@pytest.mark.parametrize(
    ("first", "before"), [("print(np.sqrt(self.best))", ""), ("pass", "print(tracker.show())")]
)
def test_what_an_object_keeps_is_copied_where_it_is_kept(first: str, before: str) -> None:
    after = _fixed(TRACKER.format(first=first, before=before))
    assert "self.best = value.detach().cpu()" in after
    assert "np.sqrt(self.best)" in after
    assert clashes(after) == []


def test_what_is_no_number_when_it_is_read_is_copied_there() -> None:
    after = _fixed(TRACKER.format(first="pass", before=""))
    assert "np.sqrt(self.best.cpu())" in after


def test_what_a_loop_reads_before_it_is_a_tensor_is_copied_where_it_gets_its_name() -> None:
    after = _fixed("best = 0.0\nfor _ in range(3):\n    print(np.sqrt(best))\n    best = loss()\n")
    assert "np.sqrt(best)" in after
    assert "best = loss().cpu()" in after


@pytest.mark.parametrize("name", ["add", "update"])
def test_calls_of_what_shares_its_name_with_collections_stay(name: str) -> None:
    text = METER.replace("value, n=1", "value").replace("* n, self.n + n", ", self.n + 1")
    text += "seen = set()\nseen.add(found)\nseen.update(found)\n" + SECOND
    after = _fixed(text.replace(".add(", f".{name}(").replace(" add(", f" {name}("))
    assert ".cpu()" not in after
