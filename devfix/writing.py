"""Writing: the changed files of a program reach the disk together, or none of them does."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from devfix.atomic_write import Replacement, may_write, remove_leftovers, write_atomically
from devfix.file_report import FileReport, Skipped
from devfix.project import find_roots
from devfix.source import Source

_CHANGED = "changed on disk while devfix was at work"


class _ObstacleError(Exception):
    """Why a file cannot be written."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason


def write_reports(
    group: Sequence[FileReport], sources: Mapping[str, Source], places: Iterable[str] | None = None
) -> list[FileReport]:
    """Write the changed files of one program: all of them, or none when one cannot be.

    With ``places`` only what really lies at or below one of them is written: a link may lead anywhere.
    """
    changed = {report.path: report.new_text for report in group if report.new_text is not None}
    try:
        for path, text in changed.items():
            _examine(sources[path], text, places)
        _write({path: (sources[path], text) for path, text in changed.items()})
    except _ObstacleError as obstacle:
        return [_left_alone(report, obstacle) for report in group]
    return list(group)


def places_of(paths: Iterable[str | os.PathLike[str]]) -> tuple[str, ...]:
    """Where files may really lie that are found below some paths: there, or in the project around; what settings say does not count."""
    named = [os.fspath(path) for path in paths]
    return (*find_roots(named), *named)


def _examine(source: Source, text: str, places: Iterable[str] | None) -> None:
    """Raise what stands in the way of writing a file."""
    try:
        source.encode(text)
    except UnicodeEncodeError:
        reason = f"cannot hold the new text in its encoding {source.encoding!r}"
        raise _ObstacleError(source.path, reason) from None
    _check_unchanged(source)
    if places is not None and not _is_within(source.path, places):
        reason = f"is a link to {os.path.realpath(source.path)}, outside of the project; name that file to change it"
        raise _ObstacleError(source.path, reason)
    if not may_write(source.path):
        raise _ObstacleError(source.path, "is read-only, or its folder is")


def _check_unchanged(source: Source) -> None:
    try:
        unchanged = Path(source.path).read_bytes() == source.encode()
    except OSError as error:
        raise _ObstacleError(source.path, f"cannot be read again: {error.strerror}") from error
    if not unchanged:
        raise _ObstacleError(source.path, _CHANGED)


def _is_within(path: str, places: Iterable[str]) -> bool:
    target = os.path.realpath(path)
    return any(
        target == place or target.startswith(os.path.join(place, ""))
        for place in map(os.path.realpath, places)
    )


def _write(texts: Mapping[str, tuple[Source, str]]) -> None:
    """Write files: first everything that takes time and space, and only then, one after the other, the renames."""
    for folder in {os.path.dirname(os.path.realpath(path)) for path in texts}:
        remove_leftovers(folder)
    waiting: dict[str, Replacement] = {}
    done: list[Source] = []
    try:
        for path, (source, text) in texts.items():
            waiting[path] = _made_ready(source, text)
        for source, _ in texts.values():
            _check_unchanged(source)  # an editor may have been quicker than the disk
        for path, (source, _) in texts.items():
            _take_place(source, waiting.pop(path))
            done.append(source)
    except BaseException:
        for source in done:
            with suppress(OSError):
                write_atomically(source.path, source.encode())
        raise
    finally:
        for replacement in waiting.values():
            replacement.discard()


def _made_ready(source: Source, text: str) -> Replacement:
    try:
        return Replacement(source.path, source.encode(text))
    except OSError as error:
        raise _ObstacleError(source.path, f"cannot be written: {error.strerror or error}") from error


def _take_place(source: Source, replacement: Replacement) -> None:
    try:
        replacement.take_place()
    except OSError as error:
        raise _ObstacleError(source.path, f"cannot be written: {error.strerror or error}") from error


def _left_alone(report: FileReport, obstacle: _ObstacleError) -> FileReport:
    if report.new_text is None:
        return report
    is_culprit = report.path == obstacle.path
    text = obstacle.reason if is_culprit else f"is left as it was, since {obstacle.path} {obstacle.reason}"
    return FileReport(report.path, skipped=Skipped(report.path, text), suppressed=report.suppressed)
