"""A fixed slice of what ``tests/trust/run.py`` runs on a great many files."""

from __future__ import annotations

import sysconfig
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from trust.properties import damage, examine, examine_text

CASES = Path(__file__).parents[1] / "corpus"
#: Programs that are wrong.
FAULTY = sorted(path for path in CASES.glob("*/*/before.py") if not path.parent.name.startswith("ok-"))
LIBRARY = Path(sysconfig.get_path("stdlib"))
SLICE = settings(max_examples=10, database=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("path", FAULTY[::25], ids=lambda path: path.parent.name)
def test_programs_with_faults(path: Path) -> None:
    account = examine(path.read_bytes())
    assert account.faults == ()
    assert account.findings > 0 or account.changed > 0


@pytest.mark.parametrize("name", ["ast.py", "typing.py", "asyncio/tasks.py", "re/_parser.py", "zipfile.py"])
def test_the_standard_library(name: str) -> None:
    path = LIBRARY / name
    if not path.exists():
        pytest.skip("this release of Python has no such file")
    account = examine(path.read_bytes() + b"\nimport torch\n")
    assert (account.faults, account.changed) == ((), 0)


@pytest.mark.parametrize("kind", ["from_grammar", "from_node"])
def test_programs_that_are_made_up(kind: str) -> None:
    made = getattr(pytest.importorskip("hypothesmith"), kind)()

    @seed(1)
    @SLICE
    @given(made.map(lambda text: text + "\nimport torch\n"))
    def check(text: str) -> None:
        try:
            compile(text, "main.py", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            return
        assert examine_text(text).faults == ()

    with warnings.catch_warnings():
        # Such programs call what cannot be called, which Python mentions when it compiles them.
        warnings.simplefilter("ignore")
        check()


@pytest.mark.parametrize(
    ("after", "fault"),
    [
        ("x = (\n", "does not parse"),
        ("x = 1\n", "comments are lost"),
        ("x = 2  # why\r\n", "newlines"),
        ("x = 2  # why", "last line"),
    ],
)
def test_damage_is_seen(after: str, fault: str) -> None:
    assert any(fault in found for found in damage("x = 1  # why\n", after))


def test_what_is_not_looked_at_is_said() -> None:
    assert examine(b"x = \xff").skipped.startswith("cannot be decoded")
