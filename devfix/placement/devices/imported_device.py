"""Imported devices: the variable of another module of the program that names the device, where a file has none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
from devfix.analysis.text.syntax import in_rows
from devfix.analysis.text.vocabulary import every_name_in
from devfix.findings import AddImport, FileEdit, Span
from devfix.placement.devices import introduction, settings_entry
from devfix.placement.devices.boundness import is_bound
from devfix.placement.devices.device_expression import DeviceExpression, Place
from devfix.placement.devices.reaching import is_wanted


def find(facts: Facts, place: Place) -> DeviceExpression | None:
    """``settings.device`` for a module that the file imports, or ``device`` from one that it or another file imports from.

    A module that comes to import the file itself may not have its device yet. Settings that the file has come first.
    """
    if (entry := settings_entry.of_file(facts, place)) is not None:
        return DeviceExpression(entry)
    for node in place.outline.source.tree.body:
        for module, name in _imported(facts, place.path, node):
            device = _device(facts, module) if not _needs(facts, module, place.path) else None
            if device is None:
                continue
            if name is not None:
                if is_bound(place.outline, place.node, name):
                    return DeviceExpression(f"{name}.{device}")
            elif isinstance(node, ast.ImportFrom) and not _is_known(place, device):
                return _from(place, _spelt(node), device)
    return next(_as_elsewhere(facts, place), None)


def or_own(facts: Facts, place: Place) -> DeviceExpression | None:
    """The same, or else a choice of the file's own, where no other file has made one, or all have made that very one."""
    found = find(facts, place)
    if found is not None or (is_elsewhere(facts, place.path) and not _choose_alike(facts, place.path)):
        return found
    return introduction.at_top(facts, place.path)


def is_elsewhere(facts: Facts, path: str) -> bool:
    """Whether other files have the device, and this one has none of its own: a choice made here might be another one.

    Where the program has just been given its device, all of its choices are the same.
    """
    own = _names_device(facts, path)
    others = (other for other in facts.program.sources if other != path)
    return not facts.program.adopts and not own and any(_names_device(facts, other) for other in others)


def _names_device(facts: Facts, path: str) -> bool:
    """Whether a statement of a file gives a name, or an attribute, the accelerator."""
    return any(_statements(bindings) for bindings in facts.names(path))


def _statements(bindings: list[Binding]) -> set[Span]:
    """The statements that give a name the accelerator."""
    found = (each for each in bindings if each.kind == "device" and is_wanted(each.device))
    return {each.statement for each in found if each.statement is not None}


def _choose_alike(facts: Facts, path: str) -> bool:
    """Whether all that other files do to name a device is to choose it as this file would: one is not another then."""
    others = (other for other in facts.program.sources if other != path)
    return all(_chooses_alike(facts, other, span) for other in others for span in _choices(facts, other))


def _choices(facts: Facts, path: str) -> set[Span]:
    """The statements of a file that name the accelerator, without those that make an object which has the name."""
    names = [(_statements(bindings), bindings) for bindings in facts.names(path)]
    objects = {each.statement for found, bindings in names if not found for each in bindings}
    return set().union(*(found for found, _ in names)) - objects


def _chooses_alike(facts: Facts, path: str, span: Span) -> bool:
    statement = facts.outline(path).statement_at(span)
    return isinstance(statement, ast.Assign) and introduction.is_choice(facts, path, statement.value)


def beside_others(facts: Facts, path: str, home: str, name: str) -> FileEdit | None:
    """``from home import Net, device``, where a file has other names of a module that does not need it in turn."""
    for node in facts.source(path).tree.body:
        if not isinstance(node, ast.ImportFrom) or all(
            module != home or given is not None for module, given in _imported(facts, path, node)
        ):
            continue
        return None if _needs(facts, home, path) else FileEdit(path, AddImport(_spelt(node), name))
    return None


def _from(place: Place, module: str, device: str) -> DeviceExpression:
    return DeviceExpression(device, (FileEdit(place.path, AddImport(module, device)),))


def _as_elsewhere(facts: Facts, place: Place) -> Iterator[DeviceExpression]:
    """The device of a module from which other files import, by the name that they have for it."""
    for path in facts.program.sources:
        for node in facts.source(path).tree.body if path != place.path else ():
            for module, name in _imported(facts, path, node):
                if name is not None or not isinstance(node, ast.ImportFrom) or facts.is_script(module):
                    continue
                device = _device(facts, module)
                alike = facts.program.resolve(place.path, node.module or "", node.level) == module
                if (
                    device
                    and alike
                    and not _is_known(place, device)
                    and not _needs(facts, module, place.path)
                ):
                    yield _from(place, _spelt(node), device)


def _spelt(node: ast.ImportFrom) -> str:
    return "." * node.level + (node.module or "")


def _imported(facts: Facts, path: str, node: ast.stmt) -> Iterator[tuple[str, str | None]]:
    """The program's modules that a statement imports, each with the name that it gets, or names from."""
    sources = facts.program.sources
    if isinstance(node, ast.Import):
        for alias in node.names:
            module = facts.program.resolve(path, alias.name)
            if module in sources and module is not None and (alias.asname or "." not in alias.name):
                yield module, alias.asname or alias.name
    elif isinstance(node, ast.ImportFrom) and node.module:
        module = facts.program.resolve(path, node.module, node.level)
        if module in sources and module is not None and node.names[0].name != "*":
            yield module, None


def _device(facts: Facts, module: str) -> str | None:
    """The variable of a module that is the accelerator wherever it is assigned, at the top, in one statement."""
    tree = facts.source(module).tree
    spans = {facts.source(module).span(part) for part in tree.body if isinstance(part, ast.Assign)}
    found = [
        name
        for name, bindings in facts.on_accelerator(module, "", "device")
        if "." not in name
        and all(each.kind == "device" and is_wanted(each.device) for each in bindings)
        and len({each.statement for each in bindings}) == 1
        and bindings[0].statement in spans
    ]
    return min(found, key=lambda name: (name != "device", len(name), name), default=None)


def _needs(facts: Facts, module: str, path: str) -> bool:
    """Whether importing a module may import a file."""
    seen, pending = {module}, [module]
    while pending:
        current = pending.pop()
        for node in in_rows(facts.source(current).tree):
            for found in _modules(facts, current, node):
                if found not in seen:
                    seen.add(found)
                    pending.append(found)
    return path in seen


def _modules(facts: Facts, path: str, node: ast.AST) -> Iterator[str]:
    """The files of the program that a statement may import."""
    names: list[tuple[str, int]] = []
    if isinstance(node, ast.Import):
        names = [(alias.name, 0) for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        head = node.module or ""
        inner = [(f"{head}.{alias.name}".strip("."), node.level) for alias in node.names]
        names = [(head, node.level), *inner]
    found = (facts.program.resolve(path, name, level) for name, level in names)
    yield from (each for each in found if each is not None and each in facts.program.sources)


def _is_known(place: Place, name: str) -> bool:
    """Whether the file has some use of a name already."""
    return name in every_name_in(place.outline.source.tree)
