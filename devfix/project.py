"""Project: the files of a run, how they import each other, and the programs they form."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from devfix.discovery import collect, matches_glob, short_path
from devfix.findings import Skipped
from devfix.imports import Import, Layout, find_imports
from devfix.source import Source, read_source

__all__ = ["Import", "Layout", "Program", "Project", "collect", "find_imports", "matches_glob", "short_path"]

#: A file at one of these marks the folder from which a project's scripts are run.
_ROOT_MARKS = (".git", "pyproject.toml", "setup.cfg", "setup.py")


@dataclass(frozen=True)
class Program:
    """Files that import one another: the unit of analysis.

    Only ``targets`` may be reported on and written; the other sources are context.
    """

    sources: Mapping[str, Source]
    targets: frozenset[str]
    layout: Layout = field(compare=False, repr=False)
    device_policy: str = "cuda"

    def resolve(self, importer: str, module: str, level: int = 0) -> str | None:
        """The path of the source that ``module`` means in ``importer``, or None."""
        return self.layout.resolve(importer, module, level)

    def module_name(self, path: str) -> str:
        """The dotted name of the module at ``path``."""
        return self.layout.module_name(path)

    def with_texts(self, texts: Mapping[str, str]) -> Program:
        """The same program with other text in some files; a text that is unchanged keeps its tree."""
        sources = dict(self.sources)
        for path, text in texts.items():
            if sources[path].text != text:
                sources[path] = sources[path].with_text(text)
        return replace(self, sources=MappingProxyType(sources))

    def __getstate__(self) -> dict[str, object]:
        """Plain data for another process; the layout is built anew from the sources."""
        return {
            "sources": dict(self.sources),
            "targets": self.targets,
            "roots": self.layout.roots,
            "device_policy": self.device_policy,
        }

    def __setstate__(self, state: dict[str, object]) -> None:
        sources, roots = state["sources"], state["roots"]
        assert isinstance(sources, dict)  # noqa: S101 - what __getstate__ gave
        assert isinstance(roots, tuple)  # noqa: S101 - what __getstate__ gave
        set_ = object.__setattr__
        set_(self, "sources", MappingProxyType(sources))
        set_(self, "targets", state["targets"])
        set_(self, "device_policy", state["device_policy"])
        set_(self, "layout", Layout(roots, sources.__contains__))


class Project:
    """A set of sources and the graph of their imports."""

    def __init__(
        self,
        sources: Iterable[Source],
        *,
        targets: Iterable[str] | None = None,
        roots: Iterable[str] = (),
        device_policy: str = "cuda",
    ) -> None:
        self.sources: Mapping[str, Source] = MappingProxyType({source.path: source for source in sources})
        self.targets = frozenset(self.sources if targets is None else targets)
        self.layout = Layout(tuple(roots), self.sources.__contains__)
        self.device_policy = device_policy

    def resolve(self, importer: str, module: str, level: int = 0) -> str | None:
        """The path of the source that ``module`` means in ``importer``, or None."""
        return self.layout.resolve(importer, module, level)

    def imports(self) -> dict[str, list[str]]:
        """For each source the sources it imports."""
        return {
            path: self.layout.dependencies(path, find_imports(source.tree))
            for path, source in self.sources.items()
        }

    def programs(self) -> list[Program]:
        """The connected parts of the import graph that hold a target, in order of path."""
        groups = connected(self.imports())
        return [self._program(group) for group in groups if not self.targets.isdisjoint(group)]

    def _program(self, paths: Iterable[str]) -> Program:
        sources = {path: self.sources[path] for path in sorted(paths)}
        layout = Layout(self.layout.roots, sources.__contains__)
        return Program(
            MappingProxyType(sources), self.targets.intersection(sources), layout, self.device_policy
        )


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
    device_policy: str = "cuda",
    read: Callable[[str], Source | Skipped] = read_source,
) -> tuple[Project, list[Skipped]]:
    """Read the targets and, as context, the files below the roots that they import.

    What cannot be read among the targets is returned; context that cannot be read is as if it
    were not there.
    """
    wanted = list(dict.fromkeys(targets))
    roots = tuple(roots)
    layout = Layout(roots, os.path.isfile)
    sources: dict[str, Source] = {}
    skipped: list[Skipped] = []
    seen, pending = set(wanted), list(wanted)
    while pending:
        path = pending.pop()
        source = read(path)
        if isinstance(source, Skipped):
            skipped.append(source)
            continue
        sources[path] = source
        fresh = [each for each in layout.dependencies(path, find_imports(source.tree)) if each not in seen]
        seen.update(fresh)
        pending.extend(fresh)
    named = set(wanted)
    faults = [each for each in skipped if each.path in named]
    ordered = [sources[path] for path in sorted(sources)]
    project = Project(ordered, targets=named & set(sources), roots=roots, device_policy=device_policy)
    return project, sorted(faults, key=lambda each: each.path)


def find_roots(paths: Iterable[str | os.PathLike[str]]) -> tuple[str, ...]:
    """The folders that imports start from: those named, and the project's own around each path."""
    roots: dict[str, None] = {}
    for path in paths:
        folder = os.path.abspath(path)
        if not os.path.isdir(folder):
            folder = os.path.dirname(folder)
        roots[short_path(folder)] = None
        marked = _marked_root(folder)
        if marked is not None:
            roots[short_path(marked)] = None
    return tuple(roots)


def _marked_root(folder: str) -> str | None:
    while not any(os.path.exists(os.path.join(folder, mark)) for mark in _ROOT_MARKS):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder
