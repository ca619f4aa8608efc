"""The files of a program are written together or not at all, whatever happens meanwhile."""

from __future__ import annotations

import errno
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from devfix import atomic_write, writing
from devfix.file_report import FileReport
from devfix.source import Source
from devfix.writing import write_reports

OLD = {"a.py": "old a\n", "b.py": "old b\n", "c.py": "old c\n"}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def program(texts: dict[str, str] | None = None) -> tuple[list[FileReport], dict[str, Source]]:
    """Files on the disk, and the reports that would change them."""
    texts = OLD if texts is None else texts
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    reports = [FileReport(name, new_text=text.replace("old", "new")) for name, text in texts.items()]
    return reports, {name: Source(name, text) for name, text in texts.items()}


def on_disk() -> dict[str, str]:
    return {
        path.name: path.read_text(encoding="utf-8") for path in sorted(Path().iterdir()) if path.is_file()
    }


def reasons(reports: list[FileReport]) -> list[str]:
    return [report.skipped.reason for report in reports if report.skipped]


def failing(original: Callable[..., object], at: int) -> Callable[..., object]:
    """A function that fails as a full disk does when it is called for the ``at``-th time."""
    calls = 0

    def fail(*args: object, **keywords: object) -> object:
        nonlocal calls
        calls += 1
        if calls == at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return original(*args, **keywords)

    return fail


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize(
    ("module", "name"),
    [(tempfile, "mkstemp"), (os, "fdopen"), (os, "fsync"), (os, "chmod"), (os, "replace")],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)
def test_a_full_disk_leaves_all_files_as_they_were(
    monkeypatch: pytest.MonkeyPatch, module: object, name: str, at: int
) -> None:
    reports, sources = program()
    # Renames and what puts files back call the same functions: each fails once, as a disk that has little room.
    monkeypatch.setattr(module, name, failing(getattr(module, name), at))
    done = write_reports(reports, sources)
    assert on_disk() == OLD
    assert len(reasons(done)) == 3
    assert sum("No space left on device" in reason for reason in reasons(done)) == 3
    assert not [report for report in done if report.new_text]


def test_an_interruption_leaves_all_files_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    reports, sources = program()
    replace = os.replace

    def interrupt(source: str, target: str) -> None:
        if target.endswith("b.py"):
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_reports(reports, sources)
    assert on_disk() == OLD


def test_what_an_editor_saves_while_the_disk_is_busy_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    reports, sources = program()
    replacement = atomic_write.Replacement

    def slow(path: str, data: bytes) -> atomic_write.Replacement:
        if path == "c.py":
            Path("a.py").write_text("edited\n", encoding="utf-8")
        return replacement(path, data)

    monkeypatch.setattr(writing, "Replacement", slow)
    done = write_reports(reports, sources)
    assert on_disk() == {**OLD, "a.py": "edited\n"}
    assert reasons(done)[0] == "changed on disk while devfix was at work"


def test_a_file_that_is_gone_is_said() -> None:
    reports, sources = program()
    Path("b.py").unlink()
    assert "cannot be read again" in reasons(write_reports(reports, sources))[1]
    assert on_disk() == {"a.py": "old a\n", "c.py": "old c\n"}


def test_a_link_out_of_the_project_is_not_followed_unless_it_is_named(tmp_path: Path) -> None:
    for folder in ("project", "elsewhere"):
        (tmp_path / folder).mkdir()
    real, link = tmp_path / "elsewhere" / "a.py", tmp_path / "project" / "a.py"
    real.write_text("old\n", encoding="utf-8")
    link.symlink_to(real)
    report, sources = FileReport(str(link), new_text="new\n"), {str(link): Source(str(link), "old\n")}
    (done,) = write_reports([report], sources, [str(tmp_path / "project")])
    assert done.skipped is not None
    assert done.skipped.reason.startswith(f"is a link to {real}, outside of the project")
    assert real.read_text(encoding="utf-8") == "old\n"
    assert write_reports([report], sources, [str(tmp_path / "project"), str(link)]) == [report]
    assert (real.read_text(encoding="utf-8"), link.is_symlink()) == ("new\n", True)


def test_other_names_of_a_file_keep_the_old_content() -> None:
    reports, sources = program({"a.py": "old\n"})
    os.link("a.py", "cached.py")
    write_reports(reports, sources)
    assert on_disk() == {"a.py": "new\n", "cached.py": "old\n"}


def test_a_name_as_long_as_names_can_be() -> None:
    name = "a" * 252 + ".py"
    write_reports(*program({name: "old\n"}))
    assert on_disk() == {name: "new\n"}


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="there are no extended attributes here")
def test_extended_attributes_are_kept() -> None:
    reports, sources = program({"a.py": "old\n"})
    try:
        os.setxattr("a.py", "user.devfix", b"kept")
    except OSError as error:
        pytest.skip(f"not on this file system: {error}")
    write_reports(reports, sources)
    assert (on_disk(), os.getxattr("a.py", "user.devfix")) == ({"a.py": "new\n"}, b"kept")


@pytest.mark.skipif(sys.platform == "win32", reason="nobody can ask whether a process runs")
def test_what_a_killed_run_has_left_is_removed_by_the_next_one() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    Path(f".devfix-{child.pid}-abc.tmp").write_text("half", encoding="utf-8")
    others = {
        f".devfix-{os.getppid()}-abc.tmp": "of a run that goes on",
        ".devfix-notes": "",
        ".devfix-0-x.tmp": "",
    }
    for name, text in others.items():
        Path(name).write_text(text, encoding="utf-8")
    write_reports(*program({"a.py": "old\n"}))
    assert on_disk() == {"a.py": "new\n", **others}


_WRITER = """
    import itertools
    from devfix.file_report import FileReport
    from devfix.source import Source
    from devfix.writing import write_reports
    names = [f"{number}.py" for number in range(6)]
    texts = [word * 50_000 for word in ("first ", "second ")]
    print("ready", flush=True)
    for old, new in itertools.cycle([texts, texts[::-1]]):
        done = write_reports([FileReport(n, new_text=new) for n in names], {n: Source(n, old) for n in names})
        assert not [report for report in done if report.skipped], done
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes are not killed here")
def test_files_are_whole_whenever_a_run_is_killed(tmp_path: Path) -> None:
    whole = {word * 50_000 for word in ("first ", "second ")}
    chance = random.Random(7)
    most = 0
    for _ in range(12):
        for number in range(6):
            Path(f"{number}.py").write_text("first " * 50_000, encoding="utf-8")
        child = subprocess.Popen(
            [sys.executable, "-c", dedent(_WRITER)], stdout=subprocess.PIPE, cwd=tmp_path
        )
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        time.sleep(chance.random() / 20)
        child.kill()
        child.communicate()
        assert child.returncode == -signal.SIGKILL
        assert {Path(f"{number}.py").read_text(encoding="utf-8") for number in range(6)} <= whole
        left = [path for path in Path().iterdir() if path.suffix != ".py"]
        assert all(re.fullmatch(r"\.devfix-\d+-\w+\.tmp", path.name) for path in left)
        most = max(most, len([path for path in left if path.name.startswith(f".devfix-{child.pid}-")]))
    assert most <= 6
    reports, sources = program({"0.py": "old\n"})
    write_reports(reports, sources)
    assert sorted(os.listdir()) == [f"{number}.py" for number in range(6)]
