"""Python API: what ``devfix check`` and ``devfix apply`` do, as functions that return plain data.

The names are imported from ``devfix`` itself. As with the commands, nothing of what is checked is run or
imported, and files that a text or a file imports are read as context, and neither reported on nor changed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from devfix.commands import Options, engine_of
from devfix.config import ConfigError, Settings
from devfix.discovery import short_path
from devfix.engine import Engine
from devfix.file_report import FileReport, Skipped
from devfix.findings import Applicability, Finding
from devfix.registry import load
from devfix.report.results import Results
from devfix.runner import Task, run_paths, run_source
from devfix.source import NOTEBOOK_SUFFIX, Source, check_syntax, decode_source

__all__ = [
    "ConfigError",
    "PathsResult",
    "Settings",
    "SourceError",
    "SourceResult",
    "apply_paths",
    "apply_source",
    "check_paths",
    "check_source",
]

AnyPath = str | os.PathLike[str]


class SourceError(ValueError):
    """A text that cannot be looked at; the message says why, such as a syntax error and its line."""


@dataclass(frozen=True, slots=True)
class SourceResult:
    """What became of one text or file.

    ``findings`` are what is wrong and, after fixes, still wrong; ``fixed`` what was wrong before, in the lines
    that the file had then; what went with the fix of another finding has no ``fix`` there. Their lines
    count from 1 and their columns from 0, in code points; in a notebook they are those of all code cells in
    one. ``text`` is that of the file with the fixes (without any: as it was), and None where there is an
    ``error``: why the file was not looked at, or how a rule failed on it. ``suppressed`` counts the findings
    that a comment silences.
    """

    path: str
    findings: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()
    text: str | None = None
    changed: bool = False
    suppressed: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class PathsResult:
    """What became of files: a result for each, in order of path.

    ``exit_code`` is the one of the command: 0 clean, 1 findings (or changes that were not written), 2 an error.
    ``rule_pack_errors`` say which installed rules could not be used.
    """

    files: tuple[SourceResult, ...]
    exit_code: int
    rule_pack_errors: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all files."""
        return tuple(finding for file in self.files for finding in file.findings)

    @property
    def fixed(self) -> tuple[Finding, ...]:
        """What was fixed in all files."""
        return tuple(finding for file in self.files for finding in file.fixed)


def check_source(
    text: str, *, path: str | os.PathLike[str] = "source.py", settings: Settings | None = None
) -> SourceResult:
    """What would fail in a program's text.

    ``path`` is where the text stands or would stand: its imports are looked for from there, and with the
    suffix ``.ipynb`` it is a notebook. The file itself is not read and need not exist. Without ``settings``
    the default ones hold; settings files are not read.

    Raises SourceError when the text does not parse or a rule fails on it, and ConfigError when the settings
    name a rule that does not exist; ValueError for an empty path, and TypeError when the text is none, such as bytes.

    Examples:
        >>> check_source("import torch; print(torch.ones(2).cuda() + torch.ones(2))").findings[0].code
        'DF102'
    """
    return _one(text, path, settings, Task())


def apply_source(
    text: str,
    *,
    path: str | os.PathLike[str] = "source.py",
    settings: Settings | None = None,
    unsafe: bool = False,
) -> SourceResult:
    """A program's text with its safe fixes and, with ``unsafe``, the others; nothing is written.

    The result's ``text`` is the new text, ``fixed`` what was put right, ``findings`` what remains. Applying
    it again changes nothing more. Parameters and errors are those of ``check_source``.
    """
    return _one(text, path, settings, Task(_wanted(unsafe=unsafe)))


def check_paths(
    paths: AnyPath | Iterable[AnyPath], *, settings: Settings | None = None, jobs: int = 1
) -> PathsResult:
    """What would fail in files and folders, or in one, as ``devfix check`` reports it.

    Without ``settings`` those hold that the settings files say. ``jobs`` is the number of processes; more than
    one need the usual ``if __name__ == "__main__":`` in the calling program. What cannot be read or parsed is
    an ``error`` of its file, and the others are looked at all the same.

    Raises ConfigError when settings make no sense, and ValueError for an empty path.
    """
    return _many(paths, settings, Task(), jobs)


def apply_paths(
    paths: AnyPath | Iterable[AnyPath],
    *,
    settings: Settings | None = None,
    unsafe: bool = False,
    write: bool = True,
    jobs: int = 1,
) -> PathsResult:
    """Fix files and folders, as ``devfix apply`` does: with their safe fixes and, with ``unsafe``, the others.

    With ``write=False`` the files stay as they are, and the results tell what would have become of them.

    The other parameters, and the errors, are those of ``check_paths``. A file that cannot be written is an
    ``error`` of its result.
    """
    return _many(paths, settings, Task(_wanted(unsafe=unsafe), write=write), jobs)


def _wanted(*, unsafe: bool) -> Applicability:
    return Applicability.UNSAFE if unsafe else Applicability.SAFE


def _one(text: str, path: str | os.PathLike[str], settings: Settings | None, task: Task) -> SourceResult:
    if not isinstance(text, str):
        raise TypeError(f"the text must be a str, not {type(text).__name__}")
    engine = _engine(settings or Settings())
    source = _source(short_path(os.fspath(_given(path))), text)
    if isinstance(source, Skipped):
        raise SourceError(f"the text {source.reason}")
    results = run_source(source, engine, task)
    (report,) = results.reports
    found = _result(report, results)
    if found.error is not None:
        raise SourceError(found.error)
    return found


def _source(name: str, text: str) -> Source | Skipped:
    if name.endswith(NOTEBOOK_SUFFIX):
        return decode_source(name, text.encode("utf-8", "surrogatepass"))
    # Text has no encoding, whatever its first lines declare.
    return check_syntax(Source(name, text))


def _many(
    paths: AnyPath | Iterable[AnyPath], settings: Settings | None, task: Task, jobs: int
) -> PathsResult:
    # A string is a sequence of strings too, and "." among its letters would be the current folder.
    named = tuple(map(_given, [paths] if isinstance(paths, (str, os.PathLike)) else paths))
    engine = engine_of(Options(paths=named)) if settings is None else _engine(settings)
    results = run_paths(named, engine, task, jobs=jobs)
    files = tuple(_result(report, results) for report in results.reports)
    return PathsResult(files, results.exit_code, tuple(map(str, results.pack_faults)))


def _given(path: AnyPath) -> Path:
    if not os.fspath(path):
        raise ValueError('a path is empty; "." is the current folder')
    return Path(path)


def _engine(settings: Settings) -> Engine:
    loaded = load()
    engine = Engine(loaded.rules, settings, pack_faults=loaded.faults)
    _ = engine.selection
    return engine


def _result(report: FileReport, results: Results) -> SourceResult:
    error = _error(report)
    source = results.sources.get(report.path)
    return SourceResult(
        report.path,
        report.findings,
        report.mended,
        text=None if error is not None or source is None else source.file_text(report.new_text),
        changed=report.new_text is not None,
        suppressed=report.suppressed,
        error=error,
    )


def _error(report: FileReport) -> str | None:
    if report.crash is not None:
        return report.crash.message
    return None if report.skipped is None else report.skipped.reason
