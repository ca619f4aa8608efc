"""Subject: one program to prove: its script, its arguments, and the folders it lives in."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from devfix.config import SettingsOf
from devfix.discovery import PROGRAM_SUFFIXES, collect, short_path
from devfix.imports import Import, find_imports
from devfix.project import Project, find_roots, load_project, marked_root
from devfix.source import Source

#: A program that imports none of these has nothing to do with accelerators.
_TENSOR_PACKAGES = frozenset(
    "torch torchvision torchaudio torchtext transformers diffusers accelerate lightning pytorch_lightning timm".split()
)
#: Files that are no programs even where nothing imports them.
_NO_PROGRAMS = ("conftest.py", "setup.py", "__init__.py", "noxfile.py")


class SubjectError(Exception):
    """What is to be proven does not exist, or is no program."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A script or notebook with its arguments.

    ``root`` is the folder that is copied for a run, ``folder`` the one the program starts in. With a
    ``module`` it is started as ``python -m``, since it imports from its own package.
    """

    script: Path
    root: Path
    folder: Path
    arguments: tuple[str, ...] = ()
    module: str | None = None

    @property
    def name(self) -> str:
        """The script and its arguments as one types them."""
        return " ".join([short_path(str(self.script)), *map(shlex.quote, self.arguments)])

    def command(self, inside: Callable[[Path], Path]) -> list[str]:
        """What follows the options of the launcher; ``inside`` maps a path to where the run sees it."""
        if self.module is not None:
            return ["-m", self.module, *self.arguments]
        if self.script.is_relative_to(self.folder):
            return [str(self.script.relative_to(self.folder)), *self.arguments]
        return [str(inside(self.script)), *self.arguments]


def script_subject(script: Path, arguments: Sequence[str], here: Path) -> Subject:
    """The program that ``python script arguments`` would run in the folder ``here``.

    Raises SubjectError when there is no such file, or it is neither Python nor a notebook.
    """
    if not script.is_file():
        raise SubjectError(f"{short_path(str(script))} does not exist")
    if script.suffix not in PROGRAM_SUFFIXES:
        raise SubjectError(f"{short_path(str(script))} is not a Python file (.py) or notebook (.ipynb)")
    script, here = Path(os.path.realpath(script)), Path(os.path.realpath(here))
    root = _root_of(script, here)
    return Subject(script, root, here if here.is_relative_to(root) else script.parent, tuple(arguments))


def _root_of(script: Path, here: Path) -> Path:
    """The folder of the project a script belongs to; never one that holds all sorts of things."""
    marked = marked_root(str(script.parent))
    candidates = [] if marked is None else [Path(marked)]
    if script.is_relative_to(here):
        candidates.append(here)
    return next((folder for folder in candidates if not _is_catch_all(folder)), script.parent)


def _is_catch_all(folder: Path) -> bool:
    everything = {Path(folder.anchor), Path.home(), Path(tempfile.gettempdir())}
    return folder in {Path(os.path.realpath(each)) for each in everything}


def folder_subjects(folder: Path, arguments: Sequence[str], settings: SettingsOf) -> list[Subject]:
    """Every program of a folder: the files with a main guard, or that nobody imports, and that use torch."""
    files, _ = collect([folder], settings)
    project, _ = load_project([str(file) for file in files], find_roots([folder]))
    graph = project.imports()
    imported = {path for others in graph.values() for path in others}
    using = _users(project, graph)
    entries = [
        path
        for path in sorted(project.targets & using)
        if _is_entry(project.sources[path], is_imported=path in imported)
    ]
    root = Path(os.path.realpath(folder))
    return [_subject(path, root, tuple(arguments), project) for path in entries]


def _subject(path: str, root: Path, arguments: tuple[str, ...], project: Project) -> Subject:
    script = Path(os.path.realpath(path))
    module = project.layout.module_name(path)
    if not _is_part_of(module.rpartition(".")[0], find_imports(project.sources[path].tree), script.parent):
        return Subject(script, root, script.parent, arguments)
    # Started as a module, it is found from the folder that holds its outermost package.
    depth = module.count(".") + 1 + (script.name == "__init__.py")
    base = script.parents[depth - 1] if depth <= len(script.parents) else root
    return Subject(script, root, base if base.is_relative_to(root) else root, arguments, module)


def _is_part_of(package: str, imports: Iterable[Import], folder: Path) -> bool:
    """Whether a script imports what it does not find unless it is started as a module of its package."""
    top = package.partition(".")[0]
    if any(each.level for each in imports):
        return True
    named = any(each.module.partition(".")[0] == top for each in imports)
    return bool(top) and named and not any((folder / name).exists() for name in (top, f"{top}.py"))


def _is_entry(source: Source, *, is_imported: bool) -> bool:
    name = os.path.basename(source.path)
    if name in _NO_PROGRAMS or name.startswith("test_") or name.endswith("_test.py"):
        return False
    return not is_imported or _has_main_guard(source)


def _has_main_guard(source: Source) -> bool:
    return any(
        line.startswith("if ") and "__name__" in line and "__main__" in line
        for line in source.text.splitlines()
    )


def _users(project: Project, graph: Mapping[str, list[str]]) -> set[str]:
    """The files that use torch themselves, or import one that does."""
    using = {path for path, source in project.sources.items() if _uses(find_imports(source.tree))}
    grown = True
    while grown:
        more = {path for path, others in graph.items() if path not in using and not using.isdisjoint(others)}
        using |= more
        grown = bool(more)
    return using


def _uses(imports: Iterable[Import]) -> bool:
    return any(not each.level and each.module.partition(".")[0] in _TENSOR_PACKAGES for each in imports)


def files_of(subject: Subject) -> list[Path]:
    """The script, and the files below its root that it imports, as far as that can be read off the text."""
    script = short_path(str(subject.script))
    project, _ = load_project([script], find_roots([subject.root, subject.script]))
    files = {script, *project.sources}
    return sorted(Path(file) for file in files if Path(os.path.realpath(file)).is_relative_to(subject.root))
