"""A name that is given another value has nothing to do with the first one: each value moves where it is made."""

from __future__ import annotations

import ast
import inspect
from collections import defaultdict
from typing import Any

import pytest
from text_program import fix_texts

from devfix.analysis.text.outline import Outline
from devfix.findings import Applicability
from devfix.placement.devices.boundness import decides
from devfix.source import Source

APART = r"""
for a in b:\n    x = 1\n    use(x)\nfor a in b:\n    x = 2\n    use(x)
for a in b:\n    for c in b:\n        x = 1\n        use(x)\n    x = 2\n    use(x)
for a in b:\n    x = 1\nx, y = 2, 3\nif y:\n    use(x)
for a in b:\n    x = 1\nx: int = 2\nuse(x)
"""

MIXED = r"""
x = 2\nfor a in b:\n    if a:\n        x = 1\n    use(x)
x = 2\nfor a in none:\n    x = 1\nfor a in b:\n    use(x)\n    x = 2
for a in b:\n    x = 1\nfor a in b:\n    if a:\n        x = 2\n    use(x)
for a in b:\n    x = 1\nfor a in b:\n    use(x)\n    x = 2
"""

READ = r"""
for a in b:\n    x = 1\nx = x + 1\nuse(x)
for a in b:\n    x = 1\nx = 2\ng = lambda: x\nx = 3\nuse(g())
"""


def lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


def function(body: str) -> str:
    return "".join(f"{line}\n" for line in ["def f(use, b, none):", *(f"    {x}" for x in body.split(r"\n"))])


def is_decided(body: str) -> bool:
    """What is said of ``x = 1``, the first of its kind."""
    source = Source("main.py", function(body))
    first = next(n for n in ast.walk(source.tree) if isinstance(n, ast.Assign) and ast.unparse(n) == "x = 1")
    return decides(Outline(source), first, first.targets[0])


def seen(body: str) -> list[set[int]]:
    """The values that Python has for ``x``, use by use."""
    found: dict[int, set[int]] = defaultdict(set)

    def use(value: int) -> None:
        frame = inspect.currentframe()
        assert frame is not None
        assert frame.f_back is not None
        found[frame.f_back.f_lineno].add(value)

    names: dict[str, Any] = {}
    exec(function(body), names)
    for none in ((), (0, 1)):
        names["f"](use, (0, 1), none)
    return list(found.values())


@pytest.mark.parametrize("body", lines(APART))
def test_each_use_sees_the_value_of_one_assignment(body: str) -> None:
    assert all(len(values) == 1 for values in seen(body))
    assert is_decided(body)


@pytest.mark.parametrize("body", lines(MIXED))
def test_a_use_may_see_the_values_of_several_assignments(body: str) -> None:
    assert any(len(values) == 2 for values in seen(body))
    assert not is_decided(body)


@pytest.mark.parametrize("body", lines(READ))
def test_what_is_made_of_the_first_value_or_runs_later_counts(body: str) -> None:
    assert not is_decided(body)


PROGRAM = """import numpy as np
import torch


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = torch.nn.Linear(2, 8).to(device)
    for epoch in range(3):
        nodes = torch.from_numpy(np.zeros((5, 2))).float()
        loss = net(nodes[:-1]).sum() + net(nodes[1:]).sum()
        loss.backward()
    {between}
    for epoch in range(3):
        nodes = torch.from_numpy(np.ones((5, 2))).float().to(device)
        print(net(nodes[:-1]).sum())
    {after}


main()
"""


def test_the_value_moves_where_it_is_made() -> None:
    before = PROGRAM.format(between="print(loss)", after="print(loss)")
    after, _ = fix_texts({"main.py": before}, Applicability.SAFE)
    assert after["main.py"] == before.replace(
        "np.zeros((5, 2))).float()", "np.zeros((5, 2))).float().to(device)"
    )
