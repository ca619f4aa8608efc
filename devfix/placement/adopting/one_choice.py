"""One choice: where several files of a program would choose the device, one does, and the others have it from there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, InsertAtBodyStart
from devfix.placement.devices import imported_device
from devfix.placement.devices.device_expression import DeviceExpression, Place
from devfix.placement.telling import told_function
from devfix.placement.telling.told_class import NAME
from devfix.placement.text.dependence import dotted


@dataclass
class Chosen:
    """What chooses the device so far: scripts, by its name there, and classes whose objects keep it."""

    scripts: dict[str, str] = field(default_factory=dict)
    classes: set[ast.ClassDef] = field(default_factory=set)

    def known_to(self, place: Place | None) -> str | None:
        """What the device is called where a script calls something."""
        if place is None:
            return None
        name = self.scripts.get(place.path)
        return name if name is not None else next(self._kept(place), None)

    def _kept(self, place: Place) -> Iterator[str]:
        """``agent.device`` where the same function has bound ``agent = Agent()`` for certain, and to nothing else."""
        statement = place.outline.statement_of(place.node)
        function = place.outline.function_of(statement)
        names = {cls.name for cls in self.classes}
        scope = place.outline.source.tree if function is None else function
        for node in in_rows(scope) if names else ():
            if not isinstance(node, ast.Assign) or place.outline.function_of(node) is not function:
                continue
            target = node.targets[0] if len(node.targets) == 1 else None
            made = dotted(node.value.func) if isinstance(node.value, ast.Call) else None
            if not isinstance(target, ast.Name) or made not in names or node is statement:
                continue
            bound = [
                each
                for each in place.outline.occurrences(scope, target.id)
                if not isinstance(each.ctx, ast.Load)
            ]
            if bound == [target] and place.outline.dominates(node, statement):
                yield f"{target.id}.{NAME}"


def of_object(
    facts: Facts, outline: Outline, constructor: ast.FunctionDef, receiver: str, known: Mapping[str, str]
) -> DeviceExpression | None:
    """``self.device``, which the constructor is told by the scripts that alone make such objects, and choose one."""
    path, span = outline.source.path, outline.source.span(constructor)
    given = told_function.by_scripts(facts, outline, constructor, lambda place: known.get(place.path))
    if not given:
        return None
    kept = FileEdit(path, InsertAtBodyStart(span, f"{receiver}.{NAME} = {NAME}"))
    return DeviceExpression(f"{receiver}.{NAME}", (*given, kept))


def imported(facts: Facts, choices: dict[str, DeviceExpression]) -> dict[str, DeviceExpression]:
    """The choices of files, but that those have it from one of the others which import names from it already."""
    found = dict(choices)
    for path, choice in choices.items():
        for home, there in choices.items():
            if home == path or there.code != choice.code or found[home] != there:
                continue
            edit = imported_device.beside_others(facts, path, home, choice.code)
            if edit is not None:
                found[path] = replace(choice, edits=(edit,))
                break
    return found
