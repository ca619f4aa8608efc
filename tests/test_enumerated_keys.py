"""Members of enumerations that stand for their values: asked for by name or value, numbered by ``auto``."""

from __future__ import annotations

from reality import lies
from text_program import Ending, clashes

from devfix.analysis.domain.values import Const

HEAD = """import torch
from enum import Enum, Flag, IntEnum, auto

class Kind(Enum):
    FIRST = auto()
    SECOND = auto()

class Level(IntEnum):
    LOW = 4
    HIGH = auto()

class Part(Flag):
    NAME = auto()
    WEIGHT = auto()
    BOTH = 8
    MORE = auto()

class Word(str, Enum):
    NAME = "name"
    WEIGHT = "weight"
"""


def test_numbers_are_those_of_python() -> None:
    values = [f"{cls}.{name}.value" for cls, name in _MEMBERS]
    lines = [f"v{number} = {value}" for number, value in enumerate(values)]
    assert not lies(HEAD + "\n".join(lines) + "\n")
    end = Ending(HEAD + "\n".join(lines) + "\n")
    found = [end[f"v{number}"] for number in range(len(lines))]
    assert found == [Const(number) for number in (1, 2, 4, 5, 1, 2, 8, 16)]


_MEMBERS = [
    *(("Kind", name) for name in ("FIRST", "SECOND")),
    *(("Level", name) for name in ("LOW", "HIGH")),
    *(("Part", name) for name in ("NAME", "WEIGHT", "BOTH", "MORE")),
]


def test_members_are_found_by_name_and_by_value() -> None:
    for member in ("Kind['SECOND']", "Kind(2)"):
        text = f"""{HEAD}
parts = {{Kind.FIRST: "base", Kind.SECOND: torch.ones(3)}}
print(torch.ones(3, device="cuda") + parts[{member}])
"""
        assert len(clashes(text)) == 1
    text = f"""{HEAD}
parts = {{"name": "base", "weight": torch.ones(3)}}
print(torch.ones(3, device="cuda") + parts[Word("weight").value])
"""
    assert len(clashes(text)) == 1


def test_a_member_that_nobody_knows_stands_for_none() -> None:
    text = f"""{HEAD}
import sys
parts = {{"name": torch.ones(3), "weight": torch.ones(3, device="cuda")}}
print(torch.ones(3, device="cuda") + parts[Word(sys.argv[1]).value])
"""
    assert not clashes(text)
