"""Reading: the files of a run with what identifies their contents; what is known of a content is not found out again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from devfix.cache.contents import Known
from devfix.cache.memory import kind
from devfix.cache.signatures import Signature, digest, is_settled, signature_of
from devfix.file_report import Skipped
from devfix.kept_trees import KeptTrees
from devfix.late_bodies import places_of
from devfix.prefilter import guessed_imports, matters, needs_parsing
from devfix.project import Scanned, scanned
from devfix.source import check_syntax, decode_text, read_bytes

#: Gives what a file's content comes to, by the path and the digest.
Recall = Callable[[str, str], Known | None]


@dataclass(frozen=True, slots=True)
class Look:
    """One file as it was read; without a digest it could not be."""

    path: str
    file: Scanned | Skipped
    content: str | None = None
    signature: Signature | None = None
    seconds: float = 0.0


def look(path: str, recall: Recall | None = None, *, closely: bool = True) -> Look:
    """Read a file, and find its imports unless they are known; parse it if need be, or if it is to be looked at ``closely``."""
    start = time.perf_counter()
    found = _look(path, recall, closely=closely)
    return replace(found, seconds=time.perf_counter() - start)


def look_at_each(paths: Iterable[str], *, closely: bool) -> list[Look]:
    """Read some files of which nothing is remembered, one after the other: the share of one process."""
    return [look(path, closely=closely) for path in paths]


def size_on_disk(path: str) -> int:
    """How many bytes a file has; none where it cannot be read."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def unread(paths: Iterable[str]) -> list[Look]:
    """What stands for some files that were to be looked at where the process died."""
    return [Look(path, Skipped(path, "was not read: the process died")) for path in paths]


def _look(path: str, recall: Recall | None, *, closely: bool) -> Look:
    try:
        signature = signature_of(os.stat(path))
        data = read_bytes(path)
    except OSError as error:
        return Look(path, Skipped(path, f"cannot be read: {error.strerror or error}"))
    content = digest(data)
    known = None if recall is None else recall(path, content)
    if known is not None and known.glanced and closely:
        known = None
    return Look(
        path, _file(path, data, known, closely=closely), content, signature if is_settled(signature) else None
    )


def _file(path: str, data: bytes, known: Known | None, *, closely: bool) -> Scanned | Skipped:
    if known is not None and known.reason is not None:
        return Skipped(path, known.reason, known.fault, known.line, known.column, known.text)
    source = decode_text(path, data)
    if isinstance(source, Skipped):
        return source
    if known is not None:
        source.late_bodies = known.late_bodies
        return Scanned(source, known.imports, known.patterns, known.glanced, known.matters, known.late_bodies)
    if not closely and source.notebook is None and not needs_parsing(data):
        return Scanned(source, guessed_imports(data), glanced=True, matters=False)
    checked = check_syntax(source)
    if isinstance(checked, Skipped):
        return checked
    return replace(
        scanned(checked),
        matters=matters(source.text.encode(errors="replace")),
        late_bodies=places_of(checked.tree, checked.lines),
    )


def knowledge(file: Scanned | Skipped) -> Known:
    """What the content of a file came to."""
    if isinstance(file, Skipped):
        return Known(reason=file.reason, fault=file.fault, line=file.line, column=file.column, text=file.text)
    return Known(
        file.imports,
        file.patterns,
        glanced=file.glanced,
        matters=file.matters,
        late_bodies=file.late_bodies,
    )


@dataclass(slots=True)
class Looks:
    """All that a run has looked at: the files it read, and the paths it asked for; and which trees it keeps."""

    kept: KeptTrees
    files: dict[str, Look] = field(default_factory=dict)
    asked: dict[str, bool] = field(default_factory=dict)

    def exists(self, path: str) -> bool:
        """Whether there is a file at a path."""
        found = self.asked.get(path)
        if found is None:
            found = self.asked[path] = os.path.isfile(path)
        return found

    def add(self, looks: Iterable[Look], neighbours: Callable[[Scanned], Iterable[str]]) -> None:
        """Take in what was read; ``neighbours`` are the files that one belongs with."""
        for each in looks:
            self.files[each.path] = each
            if isinstance(each.file, Scanned) and each.file.source.is_parsed:
                self.kept.add(each.file.source, neighbours(each.file))

    def seconds(self, paths: Iterable[str]) -> float:
        """How long it took to read some files."""
        return sum(self.files[path].seconds for path in paths if path in self.files)

    def scanned(self, path: str) -> Scanned:
        """A file that was read and can be."""
        file = self.files[path].file
        assert isinstance(file, Scanned)  # noqa: S101 - it is in a project
        return file

    def contents(self) -> dict[str, tuple[str, Signature | None]]:
        """The digest and signature of each file that was read."""
        return {
            p: (each.content, each.signature) for p, each in self.files.items() if each.content is not None
        }

    def known(self) -> dict[str, Known]:
        """What each content came to."""
        return {
            kind(path, each.content): knowledge(each.file)
            for path, each in self.files.items()
            if each.content is not None
        }
