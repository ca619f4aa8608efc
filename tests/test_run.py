"""``devfix run``: its command line, the child, and the reports; one program goes the whole way."""

from __future__ import annotations

import io
import json
import os
import signal
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from devfix.cli import app
from devfix.observation.record import (
    Made,
    ObservedMismatch,
    ObservedOperand,
    Outcome,
    Place,
    ProgramError,
    RunRecord,
    Transfer,
)
from devfix.report.paint import Paint
from devfix.running import child as running_child
from devfix.running.account import Account, summary
from devfix.running.child import RunError, run_in_place
from devfix.running.costs import costliest_first, size_in_words
from devfix.running.document import render_document
from devfix.running.interpreter import InterpreterError, find_interpreter
from devfix.running.invocation import misplaced, split
from devfix.running.page import render_page
from devfix.running.progress import Progress
from devfix.running.request import Request
from devfix.running.sandboxed import run_in_copy
from devfix.running.text import render_text

PLAIN = Paint()


def place(file: Path, line: int, column: int, end_column: int) -> Place:
    text = file.read_text(encoding="utf-8").splitlines()[line - 1].strip()
    return Place(str(file), line, line, column, end_column, "<module>", text)


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunRecord:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "a.py"
    file.write_text('mask = torch.ones(2)  # <b>&amp;"\nz = x * mask + other\n', encoding="utf-8")
    made = Made("factory", "torch.ones", place(file, 1, 7, 20))
    sink = place(file, 2, 4, 12)
    host = ObservedOperand("other", "cpu", "float32", (2,), blamed=True, paths=("mask",), made=made)
    own = ObservedOperand("self", "cuda:0", "float32", (2,), blamed=False, paths=("x",))
    mismatch = ObservedMismatch(
        "device", "aten::mul", "RuntimeError", "Expected all tensors\nmore", 3, sink, operands=(own, host)
    )
    again = replace(mismatch, operation="aten::add", sink=place(file, 2, 4, 20), count=1)
    transfers = (
        Transfer("synchronisation", "Tensor.item", sink, 2, 0),
        Transfer("host-to-device", "Tensor.to", sink, 4, 3 * 2**20),
    )
    outcome = Outcome("finished", 0)
    return RunRecord("3.12.1", "2.9.0", "heal", "cuda", None, outcome, 1.5, 7, (mismatch, again), transfers)


def account(record: RunRecord) -> Account:
    return Account(Request("a.py", ("--lr", "1")), record)


def test_the_text_says_everything_of_a_mismatch(record: RunRecord) -> None:
    shown = render_text(account(record), PLAIN)
    first = shown.split("\n\n")[0]
    assert first == textwrap.dedent(
        """\
        a.py:2:5: device: tensors on two devices meet in mul, 3 times
          |
        2 | z = x * mask + other
          |     ^^^^^^^^
          |
          = an accelerator says: RuntimeError: Expected all tensors
          ! other `mask`: float32 [2] on cpu
              made by torch.ones, a.py:1:8  mask = torch.ones(2)  # <b>&amp;"
          = self `x`: float32 [2] on cuda:0"""
    )
    assert "2 mismatches  made by torch.ones, a.py:1:8" in shown
    assert shown.index("4 x to the device") < shown.index("2 x host waits")
    assert shown.endswith(
        "2 mismatches. The program ran to its end (7 optimizer steps, 1.5 s, simulated cuda, torch 2.9.0).\n"
        "`devfix run --fix` repairs what it can of this; with `--diff` it only shows how.\n"
    )


def test_a_quiet_report_has_the_mismatches_alone(record: RunRecord) -> None:
    loud, quiet = (render_text(account(record), PLAIN, quiet=quiet) for quiet in (False, True))
    assert loud.startswith(quiet.rstrip("\n"))
    assert quiet.count("an accelerator says") == len(record.mismatches)
    assert not any(word in quiet for word in ("Where the operands", "to the device", "optimizer steps"))
    assert render_text(account(replace(record, mismatches=())), PLAIN, quiet=True) == ""


def test_a_quiet_report_says_why_a_program_ended_that_failed(record: RunRecord) -> None:
    failed = Outcome("raised", 1, None, ProgramError("RuntimeError", "'x'"))
    shown = render_text(account(replace(record, mismatches=(), outcome=failed)), PLAIN, quiet=True)
    assert shown.startswith("No mismatch. The program failed with RuntimeError: 'x'")


def test_what_is_not_to_blame_tells_little_of_where_it_comes_from(record: RunRecord) -> None:
    own, host = record.mismatches[0].operands
    assert host.made is not None
    roots = tuple(Made("factory", name, host.made.place) for name in ("torch.a", "torch.b", "torch.c"))
    found = replace(record.mismatches[0], operands=(replace(own, roots=roots), replace(host, roots=roots)))
    shown = render_text(account(replace(record, mismatches=(found,))), PLAIN)
    blamed, other = shown.index("! other"), shown.index("= self")
    counts = [part.count("made by torch.") for part in (shown[blamed:other], shown[other:])]
    assert counts == [3, 2]


def test_a_source_that_has_changed_is_not_underlined(record: RunRecord) -> None:
    Path("a.py").write_text("something = else_\n" * 2)
    assert "^" not in render_text(account(record), PLAIN)


def test_of_a_long_line_the_beginning_is_repeated(record: RunRecord) -> None:
    place = record.transfers[0].place
    assert place is not None
    long = replace(place, text="x = " + "y + " * 200 + "z")
    transfers = tuple(replace(transfer, place=long) for transfer in record.transfers)
    shown = render_text(account(replace(record, transfers=transfers)), PLAIN)
    assert all(len(line) < 220 for line in shown.splitlines())
    assert "x = y + y" in shown


def test_a_notebook_is_shown_by_its_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cells = [
        {"cell_type": "markdown", "source": "x"},
        {"cell_type": "code", "source": ["a = 1\n", "b = x + y\n"]},
    ]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells}))
    sink = Place(str(tmp_path / "n.ipynb"), 2, 2, 4, 9, "<module>", "b = x + y", cell=1)
    mismatch = ObservedMismatch("device", "aten::add", "RuntimeError", "m", 1, sink)
    shown = render_text(
        account(RunRecord("3", "2", "heal", "cuda", None, Outcome("finished", 0), 0, 0, (mismatch,))), PLAIN
    )
    assert shown.startswith("n.ipynb:cell 1:2:5: device")
    assert "2 | b = x + y\n  |     ^^^^^" in shown


def test_json_is_whole_and_has_the_exit_code(record: RunRecord) -> None:
    held = json.loads(render_document(account(record)))
    assert held["program"] == ["a.py", "--lr", "1"]
    assert [m["count"] for m in held["mismatches"]] == [3, 1]
    assert [t["what"] for t in held["transfers"]] == ["host-to-device", "synchronisation"]
    assert held["summary"] == {"mismatches": 2, "lines": 1, "exit_code": 1}


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        assert not {name for name, _ in attrs} & {"src", "href"}, "the page needs nothing else"

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_escaped_and_needs_nothing_else(record: RunRecord) -> None:
    tags = _Tags()
    tags.feed(render_page(account(record)))
    assert {"b", "script", "link", "img"}.isdisjoint(tags.seen)
    assert '# <b>&amp;"' in tags.text
    assert tags.seen.count("section") == 2


@pytest.mark.parametrize(
    ("outcome", "mismatches", "code"),
    [
        (Outcome("finished", 0), 0, 0),
        (Outcome("exited", 0), 0, 0),
        (Outcome("stopped", 0, "max-steps"), 0, 0),
        (Outcome("finished", 0), 1, 1),
        (Outcome("stopped", 0, "max-mismatches"), 1, 1),
        (Outcome("exited", 3), 1, 2),
        (Outcome("raised", 1, None, ProgramError("KeyError", "'x'")), 0, 2),
        (Outcome("raised", 1, None, ProgramError("RuntimeError", "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!")), 0, 1),
        (Outcome("raised", 1, None, ProgramError("AssertionError", "Torch not compiled with CUDA enabled")), 0, 2),
        (Outcome("stopped", 143, "SIGTERM"), 0, 2),
        (Outcome("unfinished", None), 0, 2),
    ],
)  # fmt: skip
def test_the_exit_code(record: RunRecord, outcome: Outcome, mismatches: int, code: int) -> None:
    told = replace(record, outcome=outcome, mismatches=record.mismatches[:mismatches])
    assert account(told).exit_code == code
    assert render_text(account(told), PLAIN).strip()


@pytest.mark.parametrize(
    ("mismatches", "message", "said"),
    [
        (0, "'x'", ["No mismatch. The program failed with RuntimeError: 'x'"]),
        (2, "'x'", ["2 mismatches. The program failed with RuntimeError: 'x'", "`devfix run --fix`"]),
        (0, "mat1 and mat2 must have the same dtype", ["The program failed with", "That is a mismatch; "]),
        (
            2,
            "mat1 and mat2 must have the same dtype",
            ["2 mismatches. The", "`devfix run --fix`", "That is a mismatch, too; "],
        ),
    ],
)
def test_an_error_that_is_a_mismatch_is_told_beside_the_others(
    record: RunRecord, mismatches: int, message: str, said: list[str]
) -> None:
    outcome = Outcome("raised", 1, None, ProgramError("RuntimeError", message))
    told = summary(account(replace(record, outcome=outcome, mismatches=record.mismatches[:mismatches])))
    assert [line[: len(begin)] for line, begin in zip(told, said, strict=True)] == said


def test_costs_order_copies_by_bytes_and_by_number() -> None:
    one_large = Transfer("host-to-device", "a", None, 1, 2**30)
    many_small = Transfer("device-to-host", "b", None, 100_000, 400_000)
    few = Transfer("synchronisation", "c", None, 3, 0)
    assert costliest_first((few, one_large, many_small)) == [many_small, one_large, few]
    assert [size_in_words(size) for size in (0, 1023, 1536, 2**20, 5 * 2**30)] == [
        "0 B",
        "1023 B",
        "1.5 KiB",
        "1.0 MiB",
        "5.0 GiB",
    ]


@pytest.mark.parametrize(
    ("words", "program"),
    [
        (["run", "--max-steps", "3", "a.py", "--max-steps", "5", "-m", "x"], ["a.py", "--max-steps", "5", "-m", "x"]),
        (["run", "-q", "-m", "pack.mod", "-q", "--kind", "x"], ["-m", "pack.mod", "-q", "--kind", "x"]),
        (["run", "--kind", "mps", "--", "a.py", "-q"], ["a.py", "-q"]),
        (["run", "--strict", "--format=json", "a.py"], ["a.py"]),
    ],
)  # fmt: skip
def test_options_after_the_program_are_its_own(
    words: list[str], program: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Request] = []

    def note(request: Request, _wishes: object) -> int:
        seen.append(request)
        return 0

    monkeypatch.setattr("devfix.running.command.run", note)
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert list(seen[0].words) == program


def test_a_program_has_to_be_named() -> None:
    assert CliRunner().invoke(app, ["run"]).exit_code == 2
    assert CliRunner().invoke(app, ["run", "-m"]).exit_code == 2
    with pytest.raises(ValueError, match="name a script"):
        split([])


@pytest.mark.parametrize(
    ("arguments", "text", "told"),
    [
        (("--fix",), "", ["--fix"]),
        (("--lr", "1", "--python=x", "--fix", "--fix"), "", ["--python", "--fix"]),
        (("--max-steps", "3"), "add_argument('--max-steps')", []),
        (("--max-steps", "3"), "class Options:\n    max_steps: int = 3", []),
        (("--fix",), "suffix = 1", ["--fix"]),
        (("--lr",), "", []),
    ],
)
def test_options_of_devfix_behind_a_program_that_knows_none_are_told(
    arguments: tuple[str, ...], text: str, told: list[str], tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text(text)
    request = Request(str(tmp_path / "a.py"), arguments)
    assert misplaced(["--fix", "--python", "--max-steps"], request) == told


def test_a_note_says_where_an_option_belongs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("devfix.running.command.run", lambda _request, _wishes: 0)
    (tmp_path / "a.py").touch()
    result = CliRunner().invoke(app, ["run", str(tmp_path / "a.py"), "--fix"])
    assert "note: --fix stands behind the program" in result.stderr


def script(path: Path, text: str) -> str:
    path.write_text(f"#!{sys.executable}\n{textwrap.dedent(text)}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


REPORT = {
    "format": 1,
    "python": "3",
    "torch": "2",
    "mode": "heal",
    "kind": "cuda",
    "outcome": {"how": "finished"},
}


def fake_python(tmp_path: Path, act: str) -> str:
    """An interpreter that does something and leaves a report where the launcher would."""
    return script(
        tmp_path / "python",
        f"""
        import json, os, signal, sys, time
        report = sys.argv[sys.argv.index("--report") + 1]
        def leave(how):
            open(report, "w").write(json.dumps({{**{REPORT!r}, "outcome": {{"how": how}}, "steps": 5}}))
        {act}
        """,
    )


def quiet() -> Progress:
    return Progress(io.StringIO(), alone=True)


def test_the_report_of_a_child_is_read(tmp_path: Path) -> None:
    python = fake_python(tmp_path, "print('words of the program'); leave('finished')")
    with (tmp_path / "out.txt").open("w") as out:
        record = run_in_place(Request("a.py", max_steps=3), python, quiet(), out, None)
    assert (record.outcome.how, record.steps) == ("finished", 5)
    assert (tmp_path / "out.txt").read_text() == "words of the program\n"


@pytest.mark.parametrize(
    ("act", "message"),
    [
        ("sys.exit(4)", "the process ended with status 4"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "the process ended by signal 9"),
        ("open(report, 'w').write('{')", "no JSON"),
        ("open(report, 'w').write('[]')", "where an object should be"),
    ],
)
def test_a_child_without_a_report_is_an_error(tmp_path: Path, act: str, message: str) -> None:
    with pytest.raises(RunError, match=message):
        run_in_place(Request("a.py"), fake_python(tmp_path, act), quiet(), None, None)


def test_a_child_that_minds_no_limit_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_child, "_GRACE", 0.1)
    monkeypatch.setattr(running_child, "_PATIENCE", 0.2)
    act = "signal.signal(signal.SIGTERM, signal.SIG_IGN); leave('unfinished'); time.sleep(60)"
    record = run_in_place(Request("a.py", max_seconds=0.1), fake_python(tmp_path, act), quiet(), None, None)
    assert record.outcome.how == "unfinished"


def test_who_ends_devfix_ends_the_program(tmp_path: Path) -> None:
    act = "print(os.getpid(), flush=True); leave('unfinished'); time.sleep(60)"
    python = fake_python(tmp_path, act)
    text = f"""
        import io, sys
        from devfix.running.child import run_in_place
        from devfix.running.progress import Progress
        from devfix.running.request import Request
        run_in_place(Request("a.py"), {python!r}, Progress(io.StringIO(), alone=True), sys.stdout, None)
    """
    root = str(Path(__file__).parent.parent)
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(text)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": root},
    ) as running:  # fmt: skip
        assert running.stdout is not None
        child = int(running.stdout.readline())
        running.terminate()
        assert running.wait(30) == 143
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_progress_is_shown_on_a_terminal_alone(tmp_path: Path) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    report = tmp_path / "report.json"
    report.write_text(json.dumps({"steps": 12, "mismatches": [{}, {}]}))
    shown, hidden, beside, quiet = Terminal(), io.StringIO(), Terminal(), Terminal()
    Progress(shown, alone=True, began=time.monotonic() - 3).tell(report)
    Progress(hidden, alone=True).tell(report)
    Progress(beside, alone=False).tell(report)
    Progress(quiet, alone=True, quiet=True).tell(report)
    assert shown.getvalue().strip() == "devfix: 3 s, 12 steps, 2 mismatches so far"
    assert (hidden.getvalue(), beside.getvalue(), quiet.getvalue()) == ("", "", "")


def test_an_interpreter_without_torch_is_refused(tmp_path: Path) -> None:
    python = script(tmp_path / "python", "import sys\nsys.exit('torch is not installed')")
    with pytest.raises(
        InterpreterError, match=r"the program cannot be run with .*python: torch is not installed"
    ):
        find_interpreter(python, tmp_path)
    with pytest.raises(InterpreterError, match="No such file"):
        find_interpreter(str(tmp_path / "nowhere"), tmp_path)
    assert find_interpreter(sys.executable, tmp_path) == sys.executable


_PROGRAM = """
import sys, time, torch
print("args", sys.argv[1:], flush=True)
for i in range(2):
    torch.ones(2, device="cuda") + torch.ones(2)
if "wait" in sys.argv:
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("interrupt", [os.killpg, os.kill], ids=["everything", "devfix alone"])
def test_a_program_goes_the_whole_way(tmp_path: Path, interrupt: Callable[[int, int], None]) -> None:
    (tmp_path / "a.py").write_text(_PROGRAM)
    command = [
        sys.executable,
        "-m",
        "devfix",
        "run",
        "--python",
        sys.executable,
        "--format",
        "json",
        "a.py",
        "wait",
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    ) as running:  # fmt: skip
        assert running.stderr is not None
        before: list[str] = []
        while not before or before[-1] != "ready\n":
            before.append(running.stderr.readline())
        # As from the keyboard: to everything in the foreground; or as by who knows of one process only.
        interrupt(running.pid, signal.SIGINT)
        out, _ = running.communicate(timeout=300)
    held = json.loads(out)
    assert "args ['wait']\n" in before
    assert held["outcome"]["error"]["type"] == "KeyboardInterrupt"
    assert [(m["count"], m["sink"]["line"]) for m in held["mismatches"]] == [(2, 5)]
    assert held["mismatches"][0]["operands"][1]["made"]["place"]["column"] is not None or sys.version_info < (
        3,
        11,
    )
    assert running.returncode == 2


def test_in_a_copy_nothing_of_the_users_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.py").write_text("")
    monkeypatch.chdir(folder)
    acts = (
        "open('written.txt', 'w').write('x')",
        "print('words of the program')",
        "place = {'file': os.path.abspath('a.py'), 'line': 1, 'function': 'f', 'text': ''}",
        "mismatch = {'kind': 'device', 'operation': 'x', 'error': 'E', 'message': 'm', 'count': 1, 'sink': place}",
        f"open(report, 'w').write(json.dumps({{**{REPORT!r}, 'mismatches': [mismatch]}}))",
    )
    python = fake_python(tmp_path, "; ".join(acts))
    record = run_in_copy(Request("a.py"), python, folder, sys.stdout, None)
    assert [path.name for path in folder.iterdir()] == ["a.py"]
    assert record.mismatches[0].sink is not None
    assert record.mismatches[0].sink.file == str(folder / "a.py")
    assert capsys.readouterr().out == "words of the program\n"
