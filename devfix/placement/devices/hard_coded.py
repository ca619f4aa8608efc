"""Hard-coded devices: the places of a file that spell the accelerator out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from devfix.analysis.domain.lattice import BACKENDS, Device, parse_device
from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows, walk
from devfix.findings import Applicability, FileEdit, Fix, ReplaceExpression, Span
from devfix.placement.devices import introduction
from devfix.placement.devices.device_expression import Place

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
#: A file in which no accelerator is spelled out twice has nothing scattered; cheap, and before any walk.
#: The name comes first, and what is not to be before it last: so it can be searched for as a text.
_NAMES = {name: re.compile(rf"{name}(?<!\w{name})\b") for name in sorted(BACKENDS)}
#: Attributes of ``torch.cuda`` and the like that are no moves.
_PACKAGES = frozenset({"torch", "backends", "version", "distributed", "nn"})


def spots(facts: Facts, path: str) -> list[ast.expr]:
    """The expressions that name the most used accelerator, in order; none where a name stands for it."""
    outline = facts.outline(path)
    text = outline.source.text
    named = sum(len(pattern.findall(text)) for name, pattern in _NAMES.items() if name in text)
    if named < 2 or _has_variable(facts, outline):
        return []
    found: dict[Device, list[ast.expr]] = {}
    for node, device in _named(outline):
        if not _is_optional(outline, node):
            found.setdefault(device, []).append(node)
    most = max(found.values(), key=len, default=[])
    return sorted(most, key=lambda node: (node.lineno, node.col_offset))


def _has_variable(facts: Facts, outline: Outline) -> bool:
    """Whether the file keeps a device under a name, or is given one."""
    if any(
        binding.kind == "device" and binding.statement is not None
        for bindings in facts.names(outline.source.path)
        for binding in bindings
    ):
        return True
    return any(
        isinstance(node, ast.arg) and "device" in node.arg.lower() for node in walk(outline.source.tree)
    )


def _named(outline: Outline) -> Iterator[tuple[ast.expr, Device]]:
    """Every expression that stands for an accelerator: ``x.cuda()``, and the names of devices."""
    for node in walk(outline.source.tree):
        if not isinstance(node, ast.Call):
            continue
        if _is_move_to_default(node):
            yield node, Device("accelerator", "0")
        for arg in _device_arguments(node):
            device = _device_of(arg)
            if device is not None and device.is_accelerator:
                yield arg, device


def _is_move_to_default(call: ast.Call) -> bool:
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr != "cuda" or call.args or call.keywords:
        return False
    return not (isinstance(func.value, ast.Name) and func.value.id in _PACKAGES)


def _device_arguments(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments of a call that say where something goes."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "to":
        yield from call.args[:1]
    for keyword in call.keywords:
        if keyword.arg == "device":
            yield keyword.value


def _device_of(node: ast.expr) -> Device | None:
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("torch.device", "device") and node.args:
        return _device_of(node.args[0])
    if isinstance(node, ast.IfExp):
        return _device_of(node.body)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return parse_device(node.value)
    return None


def _is_optional(outline: Outline, node: ast.AST) -> bool:
    """Whether a flag guards the place: then the choice is made once, where the flag is set."""
    current = node
    while not isinstance(current, (ast.Module, *_FUNCTIONS)):
        above = outline.parents[current]
        if isinstance(above, (ast.If, ast.IfExp)) and current is not above.test and _reads_flag(above.test):
            return True
        current = above
    return False


def _reads_flag(test: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Name)
        and isinstance(outer, (ast.Name, ast.Attribute))
        and not _is_called(test, outer)
        for outer in in_rows(test)
        for node in in_rows(outer)
    )


def _is_called(test: ast.expr, part: ast.AST) -> bool:
    """Whether ``part`` belongs to the name of a function that the test calls."""
    calls = [node.func for node in in_rows(test) if isinstance(node, ast.Call)]
    return any(part is inner for func in calls for inner in in_rows(func))


def one_variable(facts: Facts, path: str, found: list[ast.expr]) -> Fix | None:
    """One ``device`` at the top of the file, used at every spot."""
    outline = facts.outline(path)
    chosen = introduction.introduce(facts, Place(path, outline, found[0]))
    if chosen is None:
        return None
    edits = [FileEdit(path, _named_device(outline, node, chosen.code)) for node in found]
    return Fix("choose the device once", (*chosen.edits, *edits), Applicability.DISPLAY)


def _named_device(outline: Outline, node: ast.expr, name: str) -> ReplaceExpression:
    span: Span = outline.source.span(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cuda":
        receiver = outline.source.segment(outline.source.span(node.func.value))
        return ReplaceExpression(span, f"{receiver}.to({name})")
    return ReplaceExpression(span, name)
