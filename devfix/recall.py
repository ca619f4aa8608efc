"""Recall: the answer of an earlier run, when nothing it depends on has changed."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from devfix.cache.contents import Tree
from devfix.cache.memory import Memory
from devfix.cache.signatures import Signature, digest, is_settled, signature
from devfix.config import Settings, SettingsOf
from devfix.file_report import FileReport, Skipped
from devfix.findings import Finding
from devfix.project import collect, find_roots
from devfix.source import Source, decode_text, read_bytes

Files = Mapping[str, tuple[str, Signature | None]]


class RecalledSources(Mapping[str, Source]):
    """The sources of a run that is recalled; they are read when they are asked for."""

    def __init__(self, paths: Iterable[str], sources: Mapping[str, Source]) -> None:
        self._paths = frozenset(paths)
        self._sources = dict(sources)

    def __getitem__(self, path: str) -> Source:
        if path not in self._sources:
            source = _source(path) if path in self._paths else None
            if source is None:
                raise KeyError(path)
            self._sources[path] = source
        return self._sources[path]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._paths))

    def __len__(self) -> int:
        return len(self._paths)


def recall(
    memory: Memory, paths: Sequence[Path], settings: Settings, of_files: SettingsOf, *, applying: bool
) -> tuple[tuple[FileReport, ...], tuple[Skipped, ...], RecalledSources] | None:
    """The reports of a run on the paths, what it had to pass over, and the sources; None when it must be run."""
    tree = memory.tree
    if tree is None:
        return None
    reports = tuple(report for group in tree.programs.values() for report in group)
    if applying and any(may_change(report) for report in reports):
        return None
    files, passed_over = collect(paths, of_files, force_exclude=settings.force_exclude)
    if tuple(map(str, files)) != tree.targets or tuple(passed_over) != tree.passed_over:
        return None
    if find_roots(paths, settings.src) != tree.roots or not _is_as_asked(tree):
        return None
    if settings_key(of_files, tree.files) != tree.settings:
        return None
    now = unchanged(tree.files)
    sources = None if now is None else _mentioned(reports, tree.files)
    if now is None or sources is None:
        return None
    memory.keep(replace(tree, files=now))
    return reports, (*tree.passed_over, *tree.unreadable), RecalledSources(tree.files, sources)


def settings_key(of_files: SettingsOf, paths: Iterable[str]) -> str:
    """Stands for the settings of some files."""
    one_each = {os.path.dirname(path): path for path in paths}
    told = [(folder, repr(of_files.of(path).of_findings)) for folder, path in sorted(one_each.items())]
    return digest(repr(told).encode(errors="surrogateescape"))


def may_change(report: FileReport) -> bool:
    """Whether applying fixes may change anything in a file."""
    return any(finding.fix is not None for finding in report.findings)


def unchanged(files: Files) -> Files | None:
    """The files with the signatures that they have now; None when one of them has another content."""
    renewed: dict[str, tuple[str, Signature]] = {}
    for path, (content, known) in files.items():
        found = signature(path)
        if found is None:
            return None
        if found == known:
            continue
        try:
            if digest(read_bytes(path)) != content:
                return None
        except OSError:
            return None
        if is_settled(found):
            renewed[path] = (content, found)
    return {**files, **renewed} if renewed else files


def _is_as_asked(tree: Tree) -> bool:
    """Whether there is still a file where one was, and none where none was."""
    return all(map(os.path.isfile, tree.present)) and not any(_appeared(tree.absent))


def _appeared(absent: Iterable[str]) -> Iterator[str]:
    folders: defaultdict[str, list[str]] = defaultdict(list)
    for path in absent:
        folder, name = os.path.split(path)
        folders[folder].append(name)
    for folder, names in folders.items():
        try:
            there = frozenset(os.listdir(folder or os.curdir))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            there = frozenset(names)  # it cannot be listed, but perhaps be entered
        for name in names:
            if name in there and os.path.isfile(path := os.path.join(folder, name)):
                yield path


def _mentioned(reports: Iterable[FileReport], files: Files) -> dict[str, Source] | None:
    """The sources that findings speak of; None when one is not what it was."""
    wanted = {path for report in reports for finding in report.findings for path in _paths(finding)}
    sources = {path: _source(path, files[path][0]) for path in wanted if path in files}
    found = {path: source for path, source in sources.items() if source is not None}
    return found if len(found) == len(wanted) else None


def _paths(finding: Finding) -> Iterator[str]:
    yield finding.path
    yield from (note.path for note in (*finding.notes, *finding.marks))
    for fix in (finding.fix, *finding.alternatives):
        if fix is not None:
            yield from (item.path for item in fix.edits)


def _source(path: str, content: str | None = None) -> Source | None:
    try:
        data = read_bytes(path)
    except OSError:
        return None
    if content is not None and digest(data) != content:
        return None
    source = decode_text(path, data)
    return source if isinstance(source, Source) else None
