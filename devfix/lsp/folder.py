"""Folder: the Python files of a workspace folder as programs, kept up to date change by change."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property

from devfix.baseline.file import read_baseline
from devfix.baseline.known import Known, admitted
from devfix.config import ConfigError, Configuration, Settings
from devfix.discovery import collect, would_collect
from devfix.engine import Engine
from devfix.file_report import Skipped
from devfix.findings import Finding
from devfix.imports import Import, find_imports
from devfix.judgement import Analyse, Judgement
from devfix.lsp.blank_lines import judgement_after
from devfix.lsp.buffers import Buffer
from devfix.lsp.edited import EditedProgram, Undisturbed, may_be_followed
from devfix.project import Program, Project, Scanned, find_roots, load_project, scan
from devfix.registry import Loaded
from devfix.source import NOTEBOOK_SUFFIX, Source

#: So many judgements are kept: those of texts that an undo brings back, and of the programs at hand.
_KEPT = 24
#: Programs with more text than this build their trees anew for each judgement, or memory would fill up.
_KEPT_TREES = 4_000_000

#: More files than this are not read while somebody waits.
_MANY = 40

#: The packages that a program is in, and its texts.
_Key = tuple[frozenset[str], frozenset[tuple[str, str]]]


@dataclass(frozen=True)
class _SupposingEngine(Engine):
    """An engine that need not find out everything itself about the programs that fixes make."""

    suppose: Callable[[Program], Judgement] = field(kw_only=True)

    def judge(self, program: Program, analyse: Analyse | None = None) -> Judgement:
        """What the rules say of a program."""
        return self.suppose(program) if analyse is None else super().judge(program, analyse)


class Folder:
    """One folder with its settings. A ``loose`` one has only those of its files that are open."""

    def __init__(
        self,
        root: str,
        loaded: Loaded,
        buffers: Mapping[str, Buffer],
        undisturbed: Undisturbed,
        *,
        loose: bool,
    ) -> None:
        self.root = root
        self.loose = loose
        self.fault = ""
        self.skipped: dict[str, str] = {}
        self._loaded = loaded
        self._buffers = buffers
        self._undisturbed = undisturbed
        self._on_disk: list[str] = []
        self._read: dict[str, tuple[object, Scanned | Skipped]] = {}
        self._programs: list[Program] = []
        self._number: dict[str, int] = {}
        self._judged: OrderedDict[_Key, Judgement] = OrderedDict()
        self._last: tuple[Program, Judgement] | None = None
        self._imports: dict[str, tuple[Import, ...]] = {}
        self._edited: EditedProgram | None = None
        self._built = False
        self._configuration = Configuration()
        self._known: tuple[Known, ...] = ()
        self.refresh()

    def _engine(self, settings: Settings, configuration: Configuration | None = None) -> Engine:
        faults = self._loaded.faults
        return Engine(self._loaded.rules, settings, pack_faults=faults, configuration=configuration)

    def refresh(self) -> None:
        """Look at the disk again: settings, and which files there are."""
        self.fault = ""
        before, configuration = self._configuration, Configuration()
        self._configuration = configuration
        try:
            settings = configuration.in_folder(self.root)
            self.engine = self._engine(settings, configuration)
            programs = self._programs_on_disk()
            self.engine.prepare(programs)
            self._known = () if settings.baseline is None else (read_baseline(settings.baseline),)
        except ConfigError as error:
            self.fault = str(error)
            self._known = ()
            self.engine = self._engine(Settings(root=self.root))
            programs = self._programs_on_disk()
        if self.fault or not configuration.agrees(before):
            self._judged.clear()
            self._last = self._edited = None
        self._on_disk = [path for path in programs if not path.endswith(NOTEBOOK_SUFFIX)]
        self._built = False
        self.__dict__.pop("supposing_engine", None)

    @cached_property
    def supposing_engine(self) -> Engine:
        """The engine, for fixes of a program that has been judged."""
        values = {each.name: getattr(self.engine, each.name) for each in fields(Engine)}
        return _SupposingEngine(**values, suppose=self._supposed)

    def reread(self) -> None:
        """Files that were there have other contents."""
        self._built = False

    def changed(self, path: str) -> None:
        """A buffer of this folder has another text, came or went."""
        buffer, number = self._buffers.get(path), self._number.get(path)
        if not self._built or buffer is None or number is None or not isinstance(buffer.good, Scanned):
            self._built = False
            return
        program = self._programs[number]
        known = self._imports.get(path)
        self._imports[path] = buffer.good.imports
        if buffer.good.imports != (find_imports(program.sources[path].tree) if known is None else known):
            self._built = False
        elif program.sources[path] is not buffer.good.source:
            self._programs[number] = program.with_sources({**program.sources, path: buffer.good.source})

    def program_of(self, path: str) -> Program | None:
        """The program that a file belongs to."""
        self._build()
        number = self._number.get(path)
        return None if number is None else self._programs[number]

    def takes_long(self) -> bool:
        """Whether so much must be read first that nobody should wait for it."""
        return not self._built and len(self._on_disk) - len(self._read) > _MANY

    def program_of_open(self, path: str) -> Program | None:
        """The program that the open files make with those they import, without a look at the others."""
        names = [each for each in self._buffers if self._is_ours(each)]
        programs = self._load(names)[0].programs()
        return next((program for program in programs if path in program.sources), None)

    def programs(self) -> list[Program]:
        """All programs of the folder."""
        self._build()
        return list(self._programs)

    def programs_with_notebooks(self) -> list[Program]:
        """All programs of the folder, the notebooks on disk being some: they are read for this alone."""
        return self._load(
            [*self._programs_on_disk(), *(path for path in self._buffers if self._is_ours(path))]
        )[0].programs()

    def judgement(self, program: Program) -> Judgement:
        """What the rules say of a program; known already where its texts are."""
        known = self._known_judgement(program)
        if known is None:
            known = self._followed(program) or self._moved(program) or self.engine.judge(program)
            self._forget_trees(program)
        self._last = (program, known)
        return self._kept(program, known)

    def _supposed(self, program: Program) -> Judgement:
        """What the rules would say of a program that nobody has written yet, such as one after a fix."""
        if program.adopts:
            return self.engine.judge(program)
        known = self._known_judgement(program)
        if known is None and self._edited is not None:
            known = self._edited.suppose(self.engine, program, self._undisturbed)
        if known is None:
            known = self.engine.judge(program)
            self._forget_trees(program)
        return self._kept(program, known)

    def _known_judgement(self, program: Program) -> Judgement | None:
        return self._judged.get(_key(program))

    def _kept(self, program: Program, known: Judgement) -> Judgement:
        key = _key(program)
        self._judged[key] = known
        self._judged.move_to_end(key)
        while len(self._judged) > _KEPT:
            self._judged.popitem(last=False)
        return known

    def admitted(self, program: Program, findings: Sequence[Finding]) -> Sequence[Finding]:
        """The findings that the baseline of the folder does not know."""
        return admitted(self._known, program, findings)

    def follow(self, before: Buffer | None, source: Source) -> Scanned | None:
        """A buffer's next text, if it is seen without a look at the whole that it can be parsed and imports the same.

        The first one is that of the file as it was read, most of the time.
        """
        if before is None:
            return self._as_read(source)
        if self._edited is None or not isinstance(before.good, Scanned) or not self._edited.take(source):
            return None
        return Scanned(source, before.good.imports)

    def _as_read(self, source: Source) -> Scanned | None:
        _, known = self._read.get(source.path, (None, None))
        if not isinstance(known, Scanned) or known.source.notebook is not None:
            return None
        return known if known.source.text == source.text else None

    def get_ready(self, program: Program) -> None:
        """Find out now what makes the next judgement a quick one, if somebody types in a program."""
        if (self._edited is None or not self._edited.is_at(program)) and may_be_followed(program):
            edited = EditedProgram(program)
            edited.judge(self.engine, program)
            self._edited = edited

    def _followed(self, program: Program) -> Judgement | None:
        """The judgement of a program in which somebody is typing: one with the files of the one before."""
        if self._edited is None or not self._edited.is_at(program):
            known = self._last[0].sources.keys() if self._last is not None else frozenset[str]()
            self._edited = None
            if known != program.sources.keys() or not may_be_followed(program):
                return None
            self._edited = EditedProgram(program)
        return self._edited.judge(self.engine, program)

    def _moved(self, program: Program) -> Judgement | None:
        """The judgement before, where nothing but blank lines came and went since."""
        if self._last is None or self._last[0].device_policy != program.device_policy:
            return None
        return judgement_after(*self._last, program)

    def _forget_trees(self, program: Program) -> None:
        if sum(len(source.text) for source in program.sources.values()) > _KEPT_TREES:
            for source in program.sources.values():
                source.forget()

    def _build(self) -> None:
        if self._built:
            return
        names = [*self._on_disk, *(path for path in self._buffers if self._is_ours(path))]
        project, skipped = self._load(names)
        self._read = {
            path: read for path, read in self._read.items() if path in project.sources or path in names
        }
        self._programs = project.programs()
        self._number = {
            path: number for number, program in enumerate(self._programs) for path in program.sources
        }
        self.skipped = {each.path: each.reason for each in skipped}
        self._imports.clear()
        self._built = True

    def _programs_on_disk(self) -> list[str]:
        return [] if self.loose else [str(path) for path in collect([self.root], self.engine.of_files)[0]]

    def has_buffers(self) -> bool:
        """Whether any of its files is open."""
        return any(self._is_ours(path) for path in self._buffers)

    def _load(self, names: Sequence[str]) -> tuple[Project, list[Skipped]]:
        roots = find_roots([self.root], self.engine.settings.src)
        return load_project(names, roots, device_policy=self.engine.device_policy, read=self._scan)

    def _is_ours(self, path: str) -> bool:
        absolute = os.path.abspath(path)
        if self.loose:
            return os.path.dirname(absolute) == self.root
        return would_collect(absolute, self.root, self.engine.of_files)

    def _scan(self, path: str) -> Scanned | Skipped:
        buffer = self._buffers.get(path)
        if buffer is not None:
            return buffer.good
        try:
            status = os.stat(path)
        except OSError as error:
            return Skipped(path, f"cannot be read: {error.strerror}")
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        known = self._read.get(path)
        if known is None or known[0] != stamp:
            known = self._read[path] = (stamp, scan(path))
        return known[1]


def _key(program: Program) -> _Key:
    texts = frozenset((path, source.text) for path, source in program.sources.items())
    return program.layout.packages, texts


def folder_of(path: str, roots: Sequence[str]) -> str | None:
    """The innermost of some folders that a path is in."""
    holders = [root for root in roots if path.startswith(root.rstrip(os.sep) + os.sep)]
    return max(holders, key=len, default=None)
