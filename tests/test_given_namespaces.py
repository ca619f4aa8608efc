"""``self.__dict__ = entries``: the attributes of an object are what a dict holds, which others may share."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

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
