"""``with suppress(KeyError):`` is judged as the ``try`` that it is."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import contextlib
from contextlib import suppress

import torch

device = torch.device("cuda")
net = torch.nn.Linear(3, 1).to(device)
x = torch.ones(2, 3)
kept = {{}}


def of(options, x):
    y = x.to(device)
    {manager}
        {body}
    {ending}
    {after}


print(of({options}, x))
"""
OPTIONS = '{"size": 3}'


def found(manager: str, body: str, after: str, options: str = OPTIONS) -> list[str]:
    """The kinds of what clashes in the program."""
    ending = "except KeyError:\n        pass" if manager == "try:" else ""
    text = PROGRAM.format(manager=manager, body=body, ending=ending, after=after, options=options)
    return [each.partition(": ")[2] for each in clashes(text)]


@pytest.mark.parametrize(
    "manager",
    [
        "with suppress(KeyError):",
        "with contextlib.suppress(KeyError):",
        "with suppress(KeyError, IndexError):",
        "with suppress(LookupError):",
    ],
)
@pytest.mark.parametrize(
    ("body", "after", "expected"),
    [
        ('size = options["width"]\n        y = x', "return net(y)", []),
        ('return kept["y"]', "return net(x)", ["device"]),
        ('return net(x[: options["size"]])', "return None", ["device"]),
        ('return kept["y"]', 'kept["y"] = x.to(device)\n    return net(kept["y"])', []),
        ('x = x.to(options["device"])', "return x", []),
    ],
)
def test_it_is_judged_as_the_try_that_it_is(manager: str, body: str, after: str, expected: list[str]) -> None:
    assert found(manager, body, after) == found("try:", body, after) == expected


@pytest.mark.parametrize(
    "manager", ["with suppress(ValueError):", "with torch.no_grad():", "with kept_open(KeyError):"]
)
def test_other_blocks_run_through(manager: str) -> None:
    text = PROGRAM.format(
        manager=manager,
        body='size = options["width"]\n        y = x',
        ending="",
        after="return net(y)",
        options=OPTIONS,
    )
    text = text.replace("kept = {}", "kept = {}\n@contextlib.contextmanager\ndef kept_open(kind):\n    yield")
    assert [each.partition(": ")[2] for each in clashes(text)] == ["device"]
