"""What is staged for a compiled build does what the sources do."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import staging

from devfix.analysis.domain.copying import replace

ROOT = Path(__file__).parent.parent
DOMAIN = ROOT / "devfix/analysis/domain"

RECORD = '''"""A module."""

from __future__ import annotations

from dataclasses import dataclass, field

from devfix.analysis.domain.copying import frozen, put


class Base:
    """What others are."""


@frozen
class Shape(Base):
    """A record with fields of all kinds."""

    name: str
    #: What it holds.
    held: dict[str, int] = field(default_factory=dict)
    sides: tuple[float, ...] = field(
        default=(),
        compare=False,
    )
    area: float = field(default=0.0, init=False, repr=False)

    def __post_init__(self) -> None:
        put(self, "area", sum(self.sides))

    def same(self) -> str:
        """A method."""
        return self.name

    #: An alias.
    known = same


@frozen
class Point(Base):
    """A record that can be hashed."""

    name: str
    place: int | None


class Holder:
    """No record."""

    def __init__(self) -> None:
        self.kept: dict[str, int] = {}
'''


@pytest.fixture
def forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """A module as it is, and as it is staged."""
    declared = ModuleType("devfix.analysis.domain.declared")
    exec(staging.DECLARED_TEXT, declared.__dict__)
    monkeypatch.setitem(sys.modules, declared.__name__, declared)
    made = ModuleType("plain"), ModuleType("spelt_out")
    for module, text in zip(made, (RECORD, staging.staged(RECORD, tmp_path, ("kept",))), strict=True):
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(text, module.__dict__)
    return made


def test_a_record_that_is_spelt_out_is_the_record(forms: tuple[Any, Any]) -> None:
    told = []
    for module in forms:
        shape = module.Shape("square", sides=(1.0, 2.0))
        other = module.Shape("square", {}, (3.0,))
        other.area = shape.area
        copy = replace(shape, name="disc")
        told.append(
            (
                repr(shape), repr(copy), shape == other, shape == copy, shape == 1, copy.area, shape.known(),
                [each.name for each in fields(shape)], shape.__match_args__[:2], module.Shape("a").held is module.Shape("a").held,
            )
        )  # fmt: skip
    assert told[0] == told[1]
    assert told[0][2:5] == (True, False, False)


def test_a_record_that_is_spelt_out_has_the_hash_of_the_record(forms: tuple[Any, Any]) -> None:
    plain, spelt_out = (hash(module.Point("a", 1)) for module in forms)
    assert plain == spelt_out


def test_of_a_collection_with_methods_of_its_own_nothing_is_told(tmp_path: Path) -> None:
    text = staging.staged(RECORD, tmp_path, ("kept",))
    assert "self.kept: Any = {}" in text
    assert "held: dict[str, int]" in text


def test_fields_that_traced_runs_replace_are_such_collections() -> None:
    found = staging.attributes_with_methods(ROOT)
    assert {"executed", "described", "outcomes", "classes"} <= found
    assert "modules" not in found


def test_each_module_that_is_compiled_is_there() -> None:
    names = staging.modules()
    assert names == sorted(set(names))
    assert all((ROOT / name).is_file() for name in names)


def test_what_is_staged_finds_what_the_sources_find(tmp_path: Path) -> None:
    staging.stage(ROOT, tmp_path)
    case = ROOT / "corpus/operand-not-moved"
    command = [sys.executable, "-m", "devfix", "check", "--isolated", "--no-cache", "--output-format", "json"]
    outputs = []
    for root in (ROOT, tmp_path):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (root, ROOT / "codemods")))}
        done = subprocess.run(
            [*command, str(case)], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
