"""Imports: files of the project are executed, everything else is known by its dotted name."""

from __future__ import annotations

import ast
import os
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Const, External, Value
from devfix.analysis.language import attributes
from devfix.analysis.language.iteration import exact_items
from devfix.analysis.record import notes
from devfix.analysis.reuse import reads
from devfix.analysis.torch_model import names
from devfix.analysis.torch_model.devices import default_choices
from devfix.imports import package_file, parent_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def import_(interp: Interpreter, node: ast.Import) -> None:
    """``import a.b as c``."""
    for alias in node.names:
        path = reads.resolve(interp, interp.frame.path, alias.name, 0)
        if path is None:
            default_choices.imported(interp, alias.name)
        if alias.asname is not None:
            value = interp.load_module(path, alias.name) if path else names.external(alias.name)
            interp.state.set(interp.frame.id, alias.asname, value)
            continue
        outermost = None
        if path is not None:
            interp.load_module(path, alias.name)
            outermost = _load_folders(interp, path, alias.name)
        head = alias.name.partition(".")[0]
        head_path = reads.resolve(interp, interp.frame.path, head, 0) or outermost
        value = interp.load_module(head_path, head) if head_path else names.external(head)
        interp.state.set(interp.frame.id, head, value)


def _load_folders(interp: Interpreter, path: str, name: str) -> str:
    """Load the folders that are no packages on the way to a file; the outermost, by the ``__init__.py`` it has or lacks."""
    for _ in range(name.count(".") + (os.path.basename(path) == "__init__.py")):
        path = parent_of(path)
        if package_file(path) not in interp.program.sources:
            interp.load_module(package_file(path))
    return package_file(path)


def load_package(interp: Interpreter, path: str, name: str) -> None:
    """Load the package that the file ``path``, imported under a dotted name, is in: what it imports is there before."""
    if "." not in name:
        return
    package = package_file(
        parent_of(path) if os.path.basename(path) != "__init__.py" else parent_of(parent_of(path))
    )
    if package in interp.program.sources and package not in interp.library.modules:
        interp.load_module(package, name.rpartition(".")[0])


def import_from(interp: Interpreter, node: ast.ImportFrom) -> None:
    """``from .a import b as c``."""
    module = node.module or ""
    path = reads.resolve(interp, interp.frame.path, module, node.level)
    if path is None and not node.level:
        default_choices.imported(interp, module)
    for alias in node.names:
        if alias.name == "*":
            _import_all(interp, path, module, node)
            continue
        value = _member(interp, node, path, module, alias.name)
        _bind(interp, alias.asname or alias.name, value, node)


def _bind(interp: Interpreter, name: str, value: Value, node: ast.ImportFrom) -> None:
    """Bind an imported name; a device is one that fixes can name here as well, and what keeps one."""
    interp.state.set(interp.frame.id, name, value)
    if notes.keeps_device(interp, value):
        notes.note_binding(interp, interp.frame.path, interp.frame.scope, name, value, node)


def _member(interp: Interpreter, node: ast.ImportFrom, path: str | None, module: str, name: str) -> Value:
    if path is not None and path != interp.frame.path:
        interp.load_module(path, "" if node.level else module)
        found = reads.variable_of(interp, interp.module_frame(path), name)
        if found is not None:
            return found
    inner = f"{module}.{name}" if module else name
    inner_path = reads.resolve(interp, interp.frame.path, inner, node.level)
    if inner_path is not None:
        return interp.load_module(inner_path, "" if node.level else inner)
    named = ast.copy_location(ast.Name(name), node)
    given = attributes.of_module(interp, path, name, named) if path not in (None, interp.frame.path) else None
    if given is not None:
        return given
    value = names.external("." * node.level + inner)
    if isinstance(value, External) and path not in (None, interp.frame.path):
        return External(value.name, absent=True)
    return value


def _import_all(interp: Interpreter, path: str | None, module: str, node: ast.ImportFrom) -> None:
    if path is not None:
        interp.load_module(path, "" if node.level else module)
        held = dict(reads.all_of(interp, interp.module_frame(path)))
        public = _public(interp, held.get("__all__"))
        for name, value in held.items():
            if name in public if public is not None else not name.startswith("_"):
                _bind(interp, name, value, node)
        return
    for name in names.star_names(module):
        interp.state.set(interp.frame.id, name, names.external(f"{module}.{name}"))


def _public(interp: Interpreter, listed: Value | None) -> frozenset[str] | None:
    """The names that a module's ``__all__`` lists; None where there is none, or not all of it is known."""
    items = exact_items(interp, listed) if listed is not None else None
    if items is None or not all(isinstance(item, Const) for item in items):
        return None
    return frozenset(item.value for item in items if isinstance(item, Const) and isinstance(item.value, str))


def names_of(path: str, name: str) -> dict[str, str]:
    """What a file that is the module ``name`` knows of itself; of which package a script is depends on how it is run."""
    known = {"__name__": name, "__file__": path}
    if name != "__main__":
        is_package = os.path.basename(path) == "__init__.py"
        known["__package__"] = name if is_package else name.rpartition(".")[0]
    return known
