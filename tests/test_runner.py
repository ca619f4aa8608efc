"""Files are read, fixed and written; what goes wrong stays with the file it goes wrong in."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sweeps
from fakes import SAFE, WordRule, toy_engine
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devfix import reading, runner, source, writing
from devfix.analysis import depth
from devfix.config import Settings
from devfix.engine import Engine
from devfix.file_report import FileReport, Skipped
from devfix.findings import Finding
from devfix.pool import Pool
from devfix.project import Program, Project
from devfix.registry import load_rules
from devfix.report.results import Results
from devfix.runner import Task, run_paths, run_text

BAD = WordRule("T101", "bad", "good")
FIX = Task(SAFE, write=True)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(files: dict[str, bytes | str]) -> None:
    for name, data in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)


def run(*paths: str, task: Task = FIX, engine: Engine | None = None, jobs: int = 1) -> Results:
    return run_paths([Path(path) for path in paths or (".",)], engine or toy_engine(BAD), task, jobs=jobs)


def outcome(results: Results) -> dict[str, str]:
    """What became of each file, in a word."""
    words = {}
    for report in results.reports:
        if report.crash:
            words[report.path] = f"crash: {report.crash.message}"
        elif report.skipped:
            words[report.path] = f"skipped: {report.skipped.reason}"
        else:
            words[report.path] = (
                "changed" if report.new_text is not None else f"{len(report.findings)} findings"
            )
    return words


def test_checking_writes_nothing() -> None:
    write({"a.py": "import torch\nbad\n"})
    results = run(task=Task())
    assert (outcome(results), results.exit_code) == ({"a.py": "1 findings"}, 1)
    assert Path("a.py").read_text() == "import torch\nbad\n"


def test_fixes_are_written() -> None:
    write({"a.py": "import torch\nbad\n", "b.py": "import torch\n"})
    results = run()
    assert (outcome(results), results.exit_code) == ({"a.py": "changed", "b.py": "0 findings"}, 0)
    assert Path("a.py").read_text() == "import torch\ngood\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"import torch\r\nbad\r\n", b"import torch\r\ngood\r\n"),
        (b"import torch\nbad", b"import torch\ngood"),
        (b"\xef\xbb\xbfimport torch\nbad\n", b"\xef\xbb\xbfimport torch\ngood\n"),
        (b"# coding: latin-1\nimport torch # \xe9\nbad\n", b"# coding: latin-1\nimport torch # \xe9\ngood\n"),
        (b"import torch\nif 1:\n\tbad\n", b"import torch\nif 1:\n\tgood\n"),
    ],
)
def test_everything_but_the_fix_is_kept_to_the_byte(before: bytes, after: bytes) -> None:
    write({"a.py": before})
    run()
    assert Path("a.py").read_bytes() == after


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=sweeps.number(20, all_of=50),
    deadline=None,
)
@given(
    st.lists(st.sampled_from(["bad", "x = 'é'", "# 😀 bad", "if x:\n\tbad", ""])),
    st.sampled_from(["\n", "\r\n"]),
)
def test_only_the_words_in_question_change(parts: list[str], newline: str) -> None:
    text = "\n".join(["import torch", *parts]).replace("\n", newline)
    write({"a.py": text})
    run()
    changed = "".join(
        line.replace("bad", "good") if "#" not in line else line for line in text.splitlines(keepends=True)
    )
    assert Path("a.py").read_bytes() == changed.encode()


def test_what_cannot_be_looked_at_is_said_and_the_rest_is_done() -> None:
    write(
        {
            "binary.py": b"\x7fELF\0\0",
            "broken.py": "import torch; def f(:\n",
            "deep.py": "import torch\nx = " + "-" * 100_000 + "1",
            "empty.py": "",
            "fine.py": "import torch\nbad\n",
            "latin.py": b"x = '\xe9'\n",
            "notes.txt": "",
        }
    )
    Path("loop.py").symlink_to("loop.py")
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    results = run(".", "missing.py", "notes.txt")
    assert outcome(results) == {
        "binary.py": "skipped: is not Python text: it contains NUL bytes",
        "broken.py": "skipped: has a syntax error in line 1: invalid syntax",
        "deep.py": "skipped: is nested too deeply to be parsed",
        "empty.py": "0 findings",
        "fine.py": "changed",
        "latin.py": "skipped: cannot be decoded: invalid or missing encoding declaration",
        "loop.py": "skipped: is a link to itself",
        "missing.py": "skipped: does not exist",
        "notes.txt": "skipped: is not a Python file (.py) or notebook (.ipynb)",
    }
    assert results.exit_code == 2
    after = {path: path.read_bytes() for path in before}
    assert after == {**before, Path("fine.py"): b"import torch\ngood\n"}


def test_a_file_without_tensors_is_not_parsed() -> None:
    """It cannot have a mismatch, unless it belongs to a program that has tensors."""
    write({"a.py": "def f(:\n", "b.py": "import torch\nimport c\n", "c.py": "def f(:\n", "d.py": "bad\n"})
    assert outcome(run()) == {
        "a.py": "0 findings",
        "b.py": "0 findings",
        "c.py": "skipped: has a syntax error in line 1: invalid syntax",
        "d.py": "0 findings",
    }


def test_all_that_belongs_to_programs_with_tensors_is_parsed() -> None:
    """Also where there is nothing else: what a glance took for a program's file may be none."""
    write({"a.py": "import torch\nimport b\nbad\n", "b.py": "import c\n", "c.py": "def f(:\n"})
    assert outcome(run()) == {
        "a.py": "changed",
        "b.py": "0 findings",
        "c.py": "skipped: has a syntax error in line 1: invalid syntax",
    }


def test_files_that_bring_tensors_to_another_are_judged() -> None:
    write(
        {
            "a.py": "from b import x\nbad\n",
            "b.py": "from c import *\n",
            "c.py": "import torch\n",
            "d.py": "bad\n",
        }
    )
    assert outcome(run()) == {
        "a.py": "changed",
        "b.py": "0 findings",
        "c.py": "0 findings",
        "d.py": "0 findings",
    }


def test_an_unreadable_file_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    write({"a.py": "import torch\nbad\n", "b.py": "import torch\nbad\n"})
    read_bytes = source.read_bytes

    def guarded(path: str) -> bytes:
        # Taking the right to read away does not stop a test that runs as root.
        if path == "a.py":
            raise PermissionError(13, "Permission denied")
        return read_bytes(path)

    monkeypatch.setattr(reading, "read_bytes", guarded)
    results = run()
    assert outcome(results) == {"a.py": "skipped: cannot be read: Permission denied", "b.py": "changed"}
    assert results.exit_code == 2


def test_a_file_of_50_000_lines_is_fixed() -> None:
    body = "x = [1, 2, 3]\n" * 50_000
    write({"a.py": f"import torch\n{body}bad\n"})
    assert outcome(run()) == {"a.py": "changed"}
    assert Path("a.py").read_text() == f"import torch\n{body}good\n"


class Fails(WordRule):
    def finding(self, path: str, span: object) -> Finding:
        raise RuntimeError("oh no")


class Recurses(WordRule):
    def check(self, program: Program) -> Iterator[Finding]:
        return self.check(program) if "deep" in program.sources["a.py"].text else iter(())


def test_a_crash_stays_with_its_program() -> None:
    write({"a.py": "import torch\nbomb\n", "b.py": "import torch\nbad\n"})
    results = run(engine=toy_engine(BAD, Fails("T102", "bomb")))
    told = f"crash: T102 bomb-found ({Fails.__module__}) failed: RuntimeError: oh no"
    assert outcome(results) == {"a.py": told, "b.py": "changed"}
    assert results.exit_code == 2
    assert "RuntimeError: oh no" in results.crashes[0].traceback


def test_too_deep_recursion_is_a_skip() -> None:
    write({"a.py": "import torch\ndeep = 1\n"})
    results = run(engine=toy_engine(Recurses("T103", "deep")))
    assert "is nested too deeply to be analysed" in outcome(results)["a.py"]
    assert results.exit_code == 2


@pytest.mark.parametrize("task", [Task(), FIX])
def test_a_file_that_is_nested_too_deeply_is_skipped_alone(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(depth, "RECURSION_LIMIT", 0)  # that of the tests is enough for all other files
    fault = "import torch\nimport {}\nx = torch.ones(3).cuda() + torch.ones(3)\n"
    deep = "x = 1" + " + 1" * 900  # Python parses it; walking through it takes a level of recursion for each
    write(
        {
            "a.py": fault.format("b"),
            "b.py": f"import torch, c\n{deep}\n",
            "c.py": fault.format("d"),
            "d.py": "",
        }
    )
    write({"e.py": fault.format("f"), "f.py": f"import torch\n{deep}\n"})
    (rule,) = [rule for rule in load_rules() if rule.code == "DF102"]
    results = run(".", task=task, engine=Engine([rule], Settings()))
    found = {
        report.path: (report.skipped, len(report.findings) + len(report.fixed)) for report in results.reports
    }
    told = "is nested too deeply to be analysed"
    assert found == {
        "a.py": (None, 1),
        "b.py": (Skipped("b.py", told), 0),
        "c.py": (None, 1),
        "d.py": (None, 0),
        "e.py": (None, 1),
        "f.py": (Skipped("f.py", told), 0),
    }
    assert results.exit_code == 2


def test_several_processes_give_the_same_results(monkeypatch: pytest.MonkeyPatch) -> None:
    write({f"{number:03}.py": f"import torch\nbad  # {number}\n" for number in range(120)})
    write({"050.py": "import torch\nbomb\n", "051.py": "def f(:"})
    engine = toy_engine(BAD, Fails("T102", "bomb"))
    alone = run(task=Task(SAFE), engine=engine)
    monkeypatch.setattr(runner, "SMALL", 0)
    together = run(task=Task(SAFE), engine=engine, jobs=2)
    assert outcome(together) == outcome(alone)
    assert len(together.changed) == 118


@pytest.mark.parametrize(("lengths", "jobs"), [([9_000, 100], 1), ([9_000, 8_000], 2), ([9_000], 1)])
def test_another_process_has_much_to_do_beside_the_largest_program(
    lengths: list[int], jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    class Noted(Pool[Any, Any]):
        def __init__(self, work: Callable[[Any], Any], on_death: Callable[[Any], Any], jobs: int) -> None:
            asked.append(jobs)
            super().__init__(work, on_death, 1)

    monkeypatch.setattr(runner, "Pool", Noted)
    monkeypatch.setattr(runner, "SMALL", 5_000)
    write({f"{number}.py": f"import torch\n#{'-' * length}\n" for number, length in enumerate(lengths)})
    run(engine=toy_engine(BAD), jobs=2)
    assert asked[-1] == jobs


# ---- writing


def test_a_file_that_changed_meanwhile_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    write({"a.py": "import torch, b\nbad\n", "b.py": "bad\n", "c.py": "import torch\nbad\n"})
    run_programs = runner._run_programs

    def and_edit(*args: object) -> object:
        groups = run_programs(*args)  # type: ignore[arg-type]
        write({"b.py": "edited\n"})
        return groups

    monkeypatch.setattr(runner, "_run_programs", and_edit)
    results = run()
    assert outcome(results) == {
        "a.py": "skipped: is left as it was, since b.py changed on disk while devfix was at work",
        "b.py": "skipped: changed on disk while devfix was at work",
        "c.py": "changed",
    }
    assert (Path("a.py").read_text(), Path("b.py").read_text()) == ("import torch, b\nbad\n", "edited\n")
    assert results.exit_code == 2


def test_a_text_that_its_encoding_cannot_hold_is_not_written() -> None:
    data = b"# coding: latin-1\nimport torch\nbad\n"
    write({"a.py": data})
    results = run(engine=toy_engine(WordRule("T101", "bad", "'😀'")))
    assert outcome(results) == {"a.py": "skipped: cannot hold the new text in its encoding 'iso-8859-1'"}
    assert Path("a.py").read_bytes() == data


def test_a_file_that_cannot_be_written_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    write({"a.py": "import torch\nbad\n"})

    def fail(path: str, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "Replacement", fail)
    results = run()
    assert outcome(results) == {"a.py": "skipped: cannot be written: No space left on device"}
    assert (results.fixed, results.exit_code) == ((), 2)


def test_a_read_only_file_keeps_its_whole_program_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    write({"a.py": "import torch, b\nbad\n", "b.py": "bad\n", "c.py": "import torch\nbad\n"})
    monkeypatch.setattr(writing, "may_write", lambda path: path != "b.py")
    results = run()
    assert outcome(results) == {
        "a.py": "skipped: is left as it was, since b.py is read-only, or its folder is",
        "b.py": "skipped: is read-only, or its folder is",
        "c.py": "changed",
    }
    assert Path("a.py").read_text() == "import torch, b\nbad\n"


def test_imported_files_are_neither_reported_nor_written() -> None:
    write({"train.py": "import torch, net\nbad\n", "net.py": "bad\n"})
    assert outcome(run("train.py")) == {"train.py": "changed"}
    assert Path("net.py").read_text() == "bad\n"


# ---- one text


def test_a_text_is_fixed_in_place_of_its_file() -> None:
    write({"pkg/a.py": "nonsense(", "pkg/net.py": "bad\n"})
    results = run_text(b"import torch, net\r\nbad\r\n", "pkg/a.py", toy_engine(BAD), Task(SAFE))
    assert [report.new_text for report in results.reports] == ["import torch, net\r\ngood\r\n"]
    assert sorted(results.sources) == ["pkg/a.py", "pkg/net.py"]


def test_a_broken_text_is_an_error() -> None:
    results = run_text(b"def f(:", "a.py", toy_engine(BAD), Task())
    assert (results.exit_code, outcome(results)) == (
        2,
        {"a.py": "skipped: has a syntax error in line 1: invalid syntax"},
    )


def test_trees_of_done_and_waiting_programs_take_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    write({f"m{number}.py": "import torch\nbad\n" for number in range(9)})
    texts = [Path(f"m{number}.py").read_text() for number in range(2)]
    monkeypatch.setattr(runner, "KEPT_TREES", sum(map(len, texts)))
    held: list[int] = []
    original = Engine.check

    def check(self: Engine, program: Program) -> list[FileReport]:
        alive = [
            each for each in gc.get_objects() if type(each) is source.Source and each.path.startswith("m")
        ]
        held.append(sum("tree" in each.__dict__ or "lines" in each.__dict__ for each in alive))
        assert original(self, program)[0].findings
        return original(self, program)

    monkeypatch.setattr(Engine, "check", check)
    results = run(task=Task())
    assert outcome(results) == {f"m{number}.py": "1 findings" for number in range(9)}
    assert held == [3, 2, 1, 0, 0, 0, 0, 0, 0]  # and that of the largest program, which each of them is


@pytest.mark.parametrize("jobs", [1, 4])
def test_files_without_a_letter_have_nothing_in_them(jobs: int) -> None:
    programs = Project([source.Source("empty.py", ""), source.Source("none.py", "")], roots=("",)).programs()
    reports = runner.check_programs(list(programs), toy_engine(), jobs)
    assert sorted(each.path for each in reports) == ["empty.py", "none.py"]
    assert not any(each.findings for each in reports)
