"""A run is told line by line, or as a live picture, and gives a terminal no orders of a repository's."""

from __future__ import annotations

import io

import pytest

from devfix.migration.progress import LineProgress, LiveProgress, Progress, printable, progress_for
from devfix.migration.reading import RepositoryReading
from devfix.migration.steps import Outcome, Step, StepResult

ORDER = "\x1b[2J\x07"


class Terminal(io.StringIO):
    """Says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def ended(name: str) -> RepositoryReading:
    result = StepResult(Step.FETCH, "i", Outcome.FAILED, reason=f"because\nof {ORDER}")
    return RepositoryReading(name, name, "/r", {Step.FETCH: result})


def told(progress: Progress, stream: io.StringIO) -> str:
    progress.begin(2, 3)
    progress.began("one", Step.FETCH)
    progress.done(ended("one"))
    progress.say("[bold]said[/bold]")
    progress.close()
    return stream.getvalue()


def test_lines_are_for_whoever_is_no_terminal() -> None:
    stream = io.StringIO()
    progress = progress_for(stream)
    assert isinstance(progress, LineProgress)
    assert told(progress, stream) == (
        "3 repositories were done earlier\n[1/2] one failed: because of \ufffd[2J\ufffd\n[bold]said[/bold]\n"
    )


def test_a_terminal_gets_a_picture_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    progress = progress_for(stream)
    assert isinstance(progress, LiveProgress)
    text = told(progress, stream)
    assert "one: fetch (0 s)" in text
    assert "one failed: because of \ufffd[2J\ufffd" in text
    assert "[bold]said[/bold]" in text
    assert "1/2  failed 1" in text
    assert ORDER not in text


def test_without_rich_a_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert isinstance(progress_for(Terminal()), LineProgress)


def test_texts_become_one_line_of_printable_characters() -> None:
    assert printable(" a\n\tb\x00 ünï ") == "a b\ufffd ünï"
