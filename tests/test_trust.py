"""A fixed slice of what ``tests/trust/run.py`` runs on a great many files."""

from __future__ import annotations

import sysconfig
import warnings
from pathlib import Path

import pytest
import sweeps
from hypothesis import HealthCheck, given, seed, settings
from trust import projects
from trust.properties import damage, examine, examine_text

CASES = Path(__file__).parents[1] / "corpus"
#: Programs that are wrong.
FAULTY = sorted(path for path in CASES.glob("*/*/before.py") if not path.parent.name.startswith("ok-"))
LIBRARY = Path(sysconfig.get_path("stdlib"))
SLICE = settings(
    max_examples=sweeps.number(4, all_of=10), database=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.parametrize("path", FAULTY[::25], ids=lambda path: path.parent.name)
def test_programs_with_faults(path: Path) -> None:
    account = examine(path.read_bytes())
    assert account.faults == ()
    assert account.findings > 0 or account.changed > 0


@pytest.mark.parametrize(
    "name", sweeps.some(["re/_parser.py", "typing.py", "ast.py", "asyncio/tasks.py", "zipfile.py"], every=3)
)
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


def test_projects_are_fixed_once_and_for_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    text = "import torch\nx = torch.ones(3)\nprint(x + torch.ones(3, device='cuda'))\n"
    (tmp_path / "first" / "main.py").write_text(text)
    (tmp_path / "second" / "old.py").write_text("print 'no Python of today'\n")
    assert projects.main([str(tmp_path), "--adopt"]) == 0
    assert "projects=1, lines=3, fixes=1, rewritten=1, faults=0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "fault"), [("x = (\n", "does not parse any more"), ("pass\n", "is changed once more")]
)
def test_what_becomes_of_a_project_is_looked_at(
    more: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoilt(texts: dict[str, str], *_rest: object, **_options: object) -> tuple[dict[str, str], tuple[()]]:
        return {path: text + more for path, text in texts.items()}, ()

    monkeypatch.setattr(projects, "fix_texts", spoilt)
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "main.py").write_text("x = 1\n")
    assert projects.main([str(tmp_path)]) == 1
    assert f"project: main.py {fault}" in capsys.readouterr().out
