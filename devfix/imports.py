"""Imports: which modules a file names, and which files those are."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain

from devfix.discovery import short_path
from devfix.kept_answers import kept
from devfix.late_bodies import LATE
from devfix.search_path import added_folders

#: Names that always mean the installed package, also where a project has a folder of that name.
_NEVER_LOCAL = frozenset({"jax", "keras", "mindspore", "mxnet", "numpy", "paddle", "tensorflow", "torch"})
#: Names that mean the installed package, too, where a folder of that name does not say that it is a package.
_RATHER_INSTALLED = frozenset(
    {"accelerate", "diffusers", "lightning", "timm", "torchaudio", "torchvision", "transformers"}
)
#: Folders of installed packages. Each knows the others as libraries, and not by their text.
_INSTALLATIONS = frozenset({"dist-packages", "site-packages"})
#: What a file imports that adds to the folders where modules are looked for.
_ADDING = frozenset({"site", "sys"})
#: The file that makes a folder a package.
_PACKAGE = "__init__.py"
#: What may hold statements. Only these hold imports; expressions, most of any tree, are not entered.
_HOLDERS: tuple[type[ast.AST], ...] = (
    ast.Module,
    ast.ExceptHandler,
    ast.match_case,
    *ast.stmt.__subclasses__(),
    *LATE,
)
_BLOCKS = {
    kind: tuple(name for name in ("body", "handlers", "orelse", "finalbody", "cases") if name in kind._fields)
    for kind in _HOLDERS
}


@dataclass(frozen=True, slots=True)
class Import:
    """One imported module; ``names`` are what ``from module import`` takes from it.

    It is looked for in folders that its file ``added``, too: they are seen from the folder of the file.
    """

    module: str
    level: int = 0
    names: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


@kept
def find_imports(tree: ast.Module) -> tuple[Import, ...]:
    """The imports of a module at any depth, each once, in order; the tree keeps the answer."""
    found: dict[Import, None] = {}
    added = folders_added(tree)
    for node in import_statements(tree):
        if isinstance(node, ast.Import):
            found.update((Import(alias.name, added=added), None) for alias in node.names)
        else:
            names = tuple(alias.name for alias in node.names)
            found[Import(node.module or "", node.level, names, () if node.level else added)] = None
    return tuple(found)


@kept
def folders_added(tree: ast.Module) -> tuple[str, ...]:
    """The folders that a module has others looked for in besides, as seen from its own; the tree keeps the answer."""
    imported = (node for node in import_statements(tree) if isinstance(node, ast.Import))
    if all(alias.name not in _ADDING for node in imported for alias in node.names):
        return ()
    return added_folders(statement for statement in _statements(tree) if isinstance(statement, ast.stmt))


@kept
def import_statements(tree: ast.Module) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """The statements of a module that import something, at any depth; the tree keeps the answer."""
    return tuple(node for node in _statements(tree) if isinstance(node, (ast.Import, ast.ImportFrom)))


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """What there is in a module but for expressions, at any depth."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        yield node
        for name in _BLOCKS.get(node.__class__, ()):
            pending += getattr(node, name)


def modules_called(tree: ast.Module) -> Iterator[tuple[str, str, int]]:
    """The names that a module's imports bind, each with the module, and its level, that it may mean."""
    for node in import_statements(tree):
        level = 0 if isinstance(node, ast.Import) else node.level
        base = f"{node.module}." if isinstance(node, ast.ImportFrom) and node.module else ""
        for alias in node.names:
            bare = alias.name.partition(".")[0] if isinstance(node, ast.Import) else alias.name
            yield (alias.asname, base + alias.name, level) if alias.asname else (bare, base + bare, level)


@dataclass(frozen=True)
class Layout:
    """How dotted names and paths belong together, the way scripts run: ``python a/b.py`` and ``python -m a.b``.

    An absolute import is looked for in the importing file's own folder, above the outermost
    package the file is in, in the roots and their ``src`` folders, then in the folders around the file: a script may
    stand in any of them. Last come the folders that the file ``added`` to those where modules are looked for. Installed
    packages find their own modules and none of their neighbours. ``exists`` says whether there is a file at a path;
    ``packages`` are folders that have an ``__init__.py``, even one that ``exists`` knows nothing of.
    """

    roots: tuple[str, ...]
    exists: Callable[[str], bool]
    packages: frozenset[str] = frozenset()
    _cache: dict[tuple[str, str, int, tuple[str, ...]], str | None] = field(
        default_factory=dict, compare=False, repr=False
    )
    _bases: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    _surroundings: dict[str, list[str]] = field(default_factory=dict, compare=False, repr=False)

    def resolve(self, importer: str, module: str, level: int = 0, added: tuple[str, ...] = ()) -> str | None:
        """The file that ``module`` means in ``importer``, or None when it is none of ours."""
        return self._resolved(os.path.dirname(importer), module, level, added)

    def _resolved(self, folder: str, module: str, level: int, added: tuple[str, ...]) -> str | None:
        key = (folder, module, level, added)
        if key not in self._cache:
            self._cache[key] = self._resolve(*key)
        return self._cache[key]

    def _resolve(self, folder: str, module: str, level: int, added: tuple[str, ...]) -> str | None:
        if level == 0:
            return self._resolve_absolute(folder, module, added)
        for _ in range(level - 1):
            folder = parent_of(folder)
        return self._module_at(folder, module)

    def module_name(self, path: str) -> str:
        """The dotted name of the module at ``path``, as its project imports it."""
        folder, file = os.path.split(path)
        base = self._import_base(folder)
        relative = os.path.relpath(folder or os.curdir, base or os.curdir)
        parts = [] if relative == os.curdir else relative.split(os.sep)
        stem = os.path.splitext(file)[0]
        if stem != "__init__" or not parts:
            parts.append(stem)
        return ".".join(parts)

    def dependencies(self, importer: str, imports: tuple[Import, ...]) -> list[str]:
        """The files of the project that ``importer`` imports, each once."""
        found: dict[str, None] = {}
        folder = os.path.dirname(importer)
        for item in imports:
            for module in _modules_named(item):
                path = self._resolved(folder, module, item.level, item.added)
                if path is not None and path != importer:
                    found[path] = None
        return list(found)

    def packages_around(self, paths: Iterable[str]) -> frozenset[str]:
        """The packages that some files are in, and those around them."""
        found: set[str] = set()
        for path in paths:
            for folder in folders_around(path):
                if folder in found or not self._is_package(folder):
                    break
                found.add(folder)
        return frozenset(found)

    def places(self, importer: str) -> list[str]:
        """The folders in which absolute imports of ``importer`` are looked for."""
        return list(dict.fromkeys(self._places(os.path.dirname(importer), "")))

    @cached_property
    def _search_roots(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(place for root in self.roots for place in (root, self._at(root, "src"))))

    @cached_property
    def _here(self) -> str:
        # Each import is looked for in many places, and the system is asked once for what all their names depend on.
        return os.getcwd()

    def _at(self, *parts: str) -> str:
        return _joined(parts, self._here)

    def _resolve_absolute(self, folder: str, module: str, added: tuple[str, ...]) -> str | None:
        top = module.partition(".")[0]
        if top in _NEVER_LOCAL:
            return None
        found = self._found(chain(self._places(folder, top), self._around(folder, top)), folder, module)
        first = next(found, None)
        return self._found_in_added(folder, module, added) if first is None and added else first

    def _found(self, places: Iterable[str], folder: str, module: str) -> Iterator[str]:
        """The files that a module imported in ``folder`` may be in some places."""
        top = module.partition(".")[0]
        for place in places:
            if top in _RATHER_INSTALLED and not self._has_module(place, top):
                continue
            if _is_installation(place, self._here) and _is_neighbour(place, folder, top):
                continue
            path = self._module_at(place, module)
            if path is not None:
                yield path

    def _places(self, folder: str, top: str) -> Iterator[str]:
        base = self._package_base(folder)
        is_script_folder = base == folder
        if is_script_folder:
            yield folder
        elif top not in sys.stdlib_module_names:
            # A file inside a package may still be run as a script, but then shadows nothing.
            yield base
            yield from self._search_roots
            yield folder
            return
        else:
            yield base
        yield from self._search_roots

    def _around(self, folder: str, top: str) -> Iterator[str]:
        """The folders around one within a root, where a script may stand; then those that hold one of a name."""
        if top in sys.stdlib_module_names:
            return
        if folder not in self._surroundings:
            self._surroundings[folder] = [
                around
                for around in folders_around(folder)
                if any(_is_below(around, root) for root in self._search_roots)
            ]
        yield from self._surroundings[folder]
        yield from _above_namesakes(folder, top)

    def _found_in_added(self, folder: str, module: str, added: tuple[str, ...]) -> str | None:
        """The one file of a module in folders within a root that a file in ``folder`` added, as seen from it or from a root.

        Which of several is found first only a run tells, as that of options does.
        """
        if module.partition(".")[0] in sys.stdlib_module_names:
            return None
        for start in dict.fromkeys((folder, *self.roots)):
            places = [self._at(start, each) for each in added]
            within = [place for place in places if any(_is_below(place, root) for root in self.roots)]
            found = set(self._found(within, folder, module))
            if found:
                return found.pop() if len(found) == 1 else None
        return None

    def _module_at(self, folder: str, module: str) -> str | None:
        path = self._at(folder, *filter(None, module.split(".")))
        package = os.path.join(path, _PACKAGE)
        if self.exists(package):
            return package
        file = f"{path}.py"
        return file if module and self.exists(file) else None

    def _has_module(self, folder: str, name: str) -> bool:
        """Whether a name is that of a file or a package in a folder, and not only of a folder in it."""
        return self._is_package(self._at(folder, name)) or self._module_at(folder, name) is not None

    def _package_base(self, folder: str) -> str:
        """The folder that holds the outermost package ``folder`` is in."""
        known = self._bases.get(folder)
        if known is None:
            around = parent_of(folder)
            known = self._package_base(around) if self._is_package(folder) else folder
            if known == around and os.path.basename(folder) in _NEVER_LOCAL:
                # Beside a folder that is called as a library only the library is imported: its scripts start in it.
                known = folder
            self._bases[folder] = known
        return known

    def _is_package(self, folder: str) -> bool:
        return folder in self.packages or self.exists(self._at(folder, _PACKAGE))

    def _import_base(self, folder: str) -> str:
        base = self._package_base(folder)
        if base != folder:
            return base
        holders = [root for root in self._search_roots if _is_below(folder, root)]
        return max(holders, key=len, default=folder)


def _above_namesakes(folder: str, top: str) -> Iterator[str]:
    """The folders that hold one by a name which a file is in: ``python -m`` is started there where no folder is a package."""
    around = os.path.abspath(folder)
    while (above := os.path.dirname(around)) != around:
        if os.path.basename(around) == top:
            yield short_path(above)
        around = above


def _is_neighbour(place: str, folder: str, top: str) -> bool:
    """Whether a name in a folder of installed packages is not that of the package the importing folder is in."""
    return os.path.relpath(folder or os.curdir, place or os.curdir).partition(os.sep)[0] != top


@lru_cache(maxsize=1024)
def _is_installation(place: str, here: str) -> bool:
    """Whether a place, from the current folder, is one of installed packages."""
    return os.path.basename(os.path.normpath(os.path.join(here, place))) in _INSTALLATIONS


def _modules_named(item: Import) -> Iterator[str]:
    """The modules an import may load: itself, its parents where it binds them, its names."""
    if item.module or item.level:
        yield item.module
    if not item.names:
        parts = item.module.split(".")
        yield from (".".join(parts[:count]) for count in range(1, len(parts)))
    for name in item.names:
        yield f"{item.module}.{name}" if item.module else name


def parent_of(path: str) -> str:
    """The folder around a path."""
    return _join(path, os.pardir)


def folders_around(path: str) -> Iterator[str]:
    """The folders that a path lies in, the nearest first."""
    while (folder := parent_of(path)) != path:
        yield folder
        path = folder


def package_file(*folder: str) -> str:
    """The file that makes a folder a package."""
    return _join(*folder, _PACKAGE)


def _join(*parts: str) -> str:
    return _joined(parts, os.getcwd())


@lru_cache(maxsize=65_536)
def _joined(parts: tuple[str, ...], here: str) -> str:  # noqa: ARG001 - what a path is called depends on it
    """Each layout asks for the same places."""
    return short_path(os.path.join(*parts))


def _is_below(folder: str, root: str) -> bool:
    relative = os.path.relpath(folder or os.curdir, root or os.curdir)
    return relative != os.pardir and not relative.startswith(os.pardir + os.sep)
