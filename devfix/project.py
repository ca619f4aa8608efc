"""Project: the files of a run, how they import each other, and the programs they form."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

from devfix import dynamic_imports
from devfix.discovery import collect, short_path
from devfix.file_report import Skipped
from devfix.imports import Import, Layout, find_imports, folders_added, folders_around
from devfix.source import Source, read_source

__all__ = ["Layout", "Program", "Project", "Scanned", "collect", "find_roots", "load_project"]

#: What is in the folder that a repository has its files in.
REPOSITORY_MARK = ".git"
#: A file at one of these marks the folder from which a project's scripts are run.
_ROOT_MARKS = (REPOSITORY_MARK, "pyproject.toml", "setup.cfg", "setup.py")


#: How programs name their device, or what says it of the files of one.
Policy = str | Callable[[frozenset[str]], str]


@dataclass(frozen=True)
class Program:
    """Files that import one another: the unit of analysis.

    Only ``targets`` may be reported on and written; the other sources are context. A program that
    ``adopts`` has just been given its device: all that meets what is there is meant to be there.
    The project knows the ``importing`` of its files; other texts are asked for it.
    """

    sources: Mapping[str, Source]
    targets: frozenset[str]
    layout: Layout = field(compare=False, repr=False)
    device_policy: str = "cuda"
    adopts: bool = False
    importing: frozenset[str] | None = field(default=None, compare=False, repr=False)

    @property
    def imported(self) -> frozenset[str]:
        """The sources that an import statement of another one names."""
        if self.importing is not None:
            return self.importing
        return frozenset(
            target
            for path, source in self.sources.items()
            for target in self.layout.dependencies(path, find_imports(source.tree))
        )

    def resolve(self, importer: str, module: str, level: int = 0) -> str | None:
        """The path of the source that ``module`` means in ``importer``, or None."""
        added = folders_added(self.sources[importer].tree) if importer in self.sources else ()
        return self.layout.resolve(importer, module, level, added)

    def reached(self, paths: Iterable[str]) -> set[str]:
        """Some of the sources, and those that they get to by import statements, wherever in a file these stand."""
        pending, found = list(paths), set[str]()
        while pending:
            path = pending.pop()
            if path in self.sources and path not in found:
                found.add(path)
                pending += self.layout.dependencies(path, find_imports(self.sources[path].tree))
        return found

    def fitting(self, importer: str, pattern: str) -> list[str]:
        """The paths of the sources that a name like ``pattern`` may mean in ``importer``; none for any name at all."""
        if pattern.startswith(dynamic_imports.ANY):
            return []
        return sorted(dynamic_imports.matching(pattern, self.layout.places(importer), self.sources, importer))

    def module_name(self, path: str) -> str:
        """The dotted name of the module at ``path``."""
        return self.layout.module_name(path)

    def is_folder(self, path: str) -> bool:
        """Whether there are sources in a folder, or below it."""
        return path in self._folders

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(folder for path in self.sources for folder in folders_around(path))

    def with_texts(self, texts: Mapping[str, str]) -> Program:
        """The same program with other text in some files; a text that is unchanged keeps its tree."""
        sources = dict(self.sources)
        for path, text in texts.items():
            if sources[path].text != text:
                sources[path] = sources[path].with_text(text)
        return self.with_sources(sources)

    def with_sources(self, sources: Mapping[str, Source]) -> Program:
        """The same program with other sources at the same paths."""
        return replace(self, sources=MappingProxyType(sources), importing=None)

    def without(self, path: str) -> Program:
        """The same program as if one of its files were not there."""
        sources = {each: source for each, source in self.sources.items() if each != path}
        layout = Layout(self.layout.roots, sources.__contains__, self.layout.packages)
        targets = self.targets.difference([path])
        return replace(self.with_sources(sources), targets=targets, layout=layout)

    def __getstate__(self) -> dict[str, object]:
        """Plain data for another process; the layout is built anew from the sources."""
        return {
            "sources": dict(self.sources),
            "targets": self.targets,
            "roots": self.layout.roots,
            "packages": self.layout.packages,
            "device_policy": self.device_policy,
            "adopts": self.adopts,
            "importing": self.importing,
        }

    def __setstate__(self, state: dict[str, object]) -> None:
        sources, roots, packages = state["sources"], state["roots"], state["packages"]
        assert isinstance(sources, dict)  # noqa: S101 - what __getstate__ gave
        assert isinstance(roots, tuple)  # noqa: S101 - what __getstate__ gave
        assert isinstance(packages, frozenset)  # noqa: S101 - what __getstate__ gave
        set_ = object.__setattr__
        set_(self, "sources", MappingProxyType(sources))
        set_(self, "targets", state["targets"])
        set_(self, "device_policy", state["device_policy"])
        set_(self, "adopts", state["adopts"])
        set_(self, "importing", state["importing"])
        set_(self, "layout", Layout(roots, sources.__contains__, packages))


@dataclass(frozen=True, slots=True)
class Scanned:
    """A source that parses, what it imports, and the patterns of the names that its runs import.

    One that was only ``glanced`` at has not been parsed, and perhaps imports less. What does not ``matter`` by
    itself may still belong to a program that does. Its ``late_bodies`` are what another run need not parse at once.
    """

    source: Source
    imports: tuple[Import, ...]
    patterns: tuple[str, ...] = ()
    glanced: bool = False
    matters: bool = True
    late_bodies: str = ""


def scan(path: str) -> Scanned | Skipped:
    """Read a file and find its imports."""
    source = read_source(path)
    return source if isinstance(source, Skipped) else scanned(source)


def scanned(source: Source) -> Scanned:
    """A source with its imports."""
    imports = find_imports(source.tree)
    by_runs = any(item.module == "importlib" for item in imports)
    if not by_runs:
        return Scanned(source, imports)
    return Scanned(source, imports, dynamic_imports.patterns(source.tree, folders_added(source.tree)))


class Project:
    """A set of sources and the graph of their imports; ``packages`` are folders known to be some by files left out."""

    def __init__(
        self,
        sources: Iterable[Source | Scanned],
        *,
        targets: Iterable[str] | None = None,
        roots: Iterable[str] = (),
        packages: Iterable[str] = (),
        device_policy: Policy = "cuda",
    ) -> None:
        files = [item if isinstance(item, Scanned) else scanned(item) for item in sources]
        self.sources: Mapping[str, Source] = MappingProxyType(
            {file.source.path: file.source for file in files}
        )
        self.targets = frozenset(self.sources if targets is None else targets)
        self.layout = Layout(tuple(roots), self.sources.__contains__, frozenset(packages))
        self.device_policy = device_policy
        self._files = {file.source.path: file for file in files}

    def resolve(self, importer: str, module: str, level: int = 0) -> str | None:
        """The path of the source that ``module`` means in ``importer``, or None."""
        return self.layout.resolve(importer, module, level)

    def imports(self) -> Mapping[str, list[str]]:
        """For each source the sources it imports."""
        return self._imports

    @cached_property
    def _imports(self) -> dict[str, list[str]]:
        by_text = any(dynamic_imports.ANY in file.patterns for file in self._files.values())
        return {
            path: [
                *self._dependencies[path],
                *self._named_by_runs(path, file.patterns),
                *(self._named_by_texts(file.source) if by_text else ()),
            ]
            for path, file in self._files.items()
        }

    @cached_property
    def _dependencies(self) -> dict[str, list[str]]:
        """For each source those that its import statements name."""
        return {
            path: self.layout.dependencies(path, tuple(filter(self._may_be_here, file.imports)))
            for path, file in self._files.items()
        }

    def _may_be_here(self, item: Import) -> bool:
        """Whether an import may name a source; most name a library, which need not be looked for in each folder."""
        return item.level > 0 or item.module.partition(".")[0] in self._names

    def _named_by_texts(self, source: Source) -> Iterator[str]:
        for module in source.named_modules:
            if self._names.issuperset(module.split(".")):
                found = self.resolve(source.path, module)
                if found is not None and found != source.path:
                    yield found

    @cached_property
    def _names(self) -> frozenset[str]:
        """What the files, and the folders that they are in, are called."""
        paths = (os.path.splitext(os.path.abspath(path))[0] for path in self.sources)
        return frozenset(name for path in paths for name in path.split(os.sep))

    def _named_by_runs(self, path: str, patterns: tuple[str, ...]) -> Iterator[str]:
        for pattern in patterns:
            if pattern == dynamic_imports.ANY:
                continue
            yield from dynamic_imports.matching(pattern, self.layout.places(path), self.sources, path)

    def programs(self) -> list[Program]:
        """The connected parts of the import graph that hold a target, in order of path."""
        groups = connected(self.imports())
        return [self._program(group) for group in groups if not self.targets.isdisjoint(group)]

    def whole(self) -> Program:
        """All sources as one program: files may belong together in ways that no import statement shows."""
        return self._program(self.sources)

    def _program(self, paths: Iterable[str]) -> Program:
        sources = {path: self.sources[path] for path in sorted(paths)}
        packages = self.layout.packages_around(sources)
        layout = Layout(self.layout.roots, sources.__contains__, packages)
        targets = self.targets.intersection(sources)
        policy = self.device_policy
        policy = policy if isinstance(policy, str) else policy(targets)
        importing = frozenset(target for path in sources for target in self._dependencies[path])
        return Program(MappingProxyType(sources), targets, layout, policy, importing=importing)


def connected(graph: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The weakly connected components of a graph, each sorted, in order of their first member."""
    neighbours: dict[str, set[str]] = {node: set() for node in graph}
    for node, others in graph.items():
        for other in others:
            neighbours[node].add(other)
            neighbours[other].add(node)
    seen: set[str] = set()
    return [sorted(_reach(node, neighbours, seen)) for node in sorted(graph) if node not in seen]


def _reach(start: str, neighbours: Mapping[str, set[str]], seen: set[str]) -> Iterator[str]:
    pending = [start]
    seen.add(start)
    while pending:
        node = pending.pop()
        yield node
        fresh = neighbours[node] - seen
        seen |= fresh
        pending.extend(fresh)


def load_project(
    targets: Iterable[str],
    roots: Iterable[str],
    *,
    device_policy: Policy = "cuda",
    read: Callable[[str], Scanned | Skipped] = scan,
    layout: Layout | None = None,
) -> tuple[Project, list[Skipped]]:
    """Read the targets and, as context, the files below the roots that they import.

    What cannot be read among the targets is returned; context that cannot be read is as if it
    were not there.
    """
    wanted, layout = dict.fromkeys(targets), layout or Layout(tuple(roots), os.path.isfile)
    files, skipped = _read_all(wanted, layout, read)
    faults = sorted((each for each in skipped if each.path in wanted), key=lambda each: each.path)
    ordered = [files[path] for path in sorted(files)]
    named = [path for path in wanted if path in files]
    project = Project(
        ordered,
        targets=named,
        roots=layout.roots,
        packages=layout.packages_around(files),
        device_policy=device_policy,
    )
    return project, faults


def _read_all(
    wanted: Iterable[str], layout: Layout, read: Callable[[str], Scanned | Skipped]
) -> tuple[dict[str, Scanned], list[Skipped]]:
    files: dict[str, Scanned] = {}
    skipped: list[Skipped] = []
    pending = list(wanted)
    seen = set(pending)
    while pending:
        file = read(pending.pop())
        if isinstance(file, Skipped):
            skipped.append(file)
            continue
        path = file.source.path
        files[path] = file
        fresh = [each for each in layout.dependencies(path, file.imports) if each not in seen]
        seen.update(fresh)
        pending.extend(fresh)
    return files, skipped


def find_roots(paths: Iterable[str | os.PathLike[str]], more: Iterable[str] = ()) -> tuple[str, ...]:
    """The folders that imports start from: those named, the project's own around each path, and ``more``.

    The current folder is one for what lies below it: it is there that ``python -m package.train`` looks.
    """
    roots: dict[str, None] = {}
    inside = False
    for path in paths:
        folder = os.path.abspath(path)
        if not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        inside = inside or not os.path.isabs(short_path(folder))
        roots[short_path(folder)] = None
        marked = marked_root(folder)
        if marked is not None:
            roots[short_path(marked)] = None
    roots.update(dict.fromkeys(map(short_path, more)))
    if inside:
        roots[""] = None
    return tuple(roots)


def marked_root(folder: str, marks: Iterable[str] = _ROOT_MARKS) -> str | None:
    """The nearest folder, this one or one above it, that is marked as a project's own; None where none is."""
    while not any(os.path.exists(os.path.join(folder, mark)) for mark in marks):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder
