"""Start method: processes that are spawned, where those that are forked could not use the accelerator."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.findings import (
    Applicability,
    FileEdit,
    Fix,
    Mismatch,
    ReplaceExpression,
    SetKeyword,
    WrapExpression,
)
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.text import imported_package

_PACKAGE = "multiprocessing"
_PACKAGES = (_PACKAGE, "torch.multiprocessing")
_SPAWN = 'get_context("spawn")'


def spawned(facts: Facts, mismatch: Mismatch) -> list[Fix]:
    """The processes start by spawn; nothing where that is not known to work, or where it is not told which ones they are."""
    made = mismatch.operands[0].trail[0]
    place = place_at(facts, made.path, made.span)
    if not mismatch.get("spawned") or place is None or not isinstance(place.node, ast.Call):
        return []
    edits = _edits(place, place.node, mismatch.operation)
    return [Fix("spawn the processes", edits, Applicability.UNSAFE)] if edits else []


def _edits(place: Place, call: ast.Call, operation: str) -> tuple[FileEdit, ...]:
    owner, _, name = operation.rpartition(".")
    if name == "ProcessPoolExecutor":
        return _in_executor(place, call)
    if owner in _PACKAGES:
        return _by_context(place, call, name)
    return _instead(place, call.func.value) if isinstance(call.func, ast.Attribute) else ()


def _in_executor(place: Place, call: ast.Call) -> tuple[FileEdit, ...]:
    """``ProcessPoolExecutor(4, mp_context=...)``."""
    given = next((each.value for each in call.keywords if each.arg == "mp_context"), None)
    if given is not None and not (isinstance(given, ast.Constant) and given.value is None):
        return _instead(place, given)
    package, edits = imported_package.named(place.outline, *_PACKAGES)
    if not package or len(call.args) > 1:
        return ()
    keyword = SetKeyword(place.outline.source.span(call), "mp_context", f"{package}.{_SPAWN}")
    return (*(FileEdit(place.path, edit) for edit in edits), FileEdit(place.path, keyword))


def _by_context(place: Place, call: ast.Call, name: str) -> tuple[FileEdit, ...]:
    """``mp.Pool(4)`` becomes ``mp.get_context("spawn").Pool(4)``."""
    if isinstance(call.func, ast.Attribute):
        span = place.outline.source.span(call.func.value)
        return (FileEdit(place.path, WrapExpression(span, "", f".{_SPAWN}")),)
    package, edits = imported_package.named(place.outline, *_PACKAGES)
    if not package:
        return ()
    change = ReplaceExpression(place.outline.source.span(call.func), f"{package}.{_SPAWN}.{name}")
    return (*(FileEdit(place.path, edit) for edit in edits), FileEdit(place.path, change))


def _instead(place: Place, context: ast.expr) -> tuple[FileEdit, ...]:
    """``get_context("fork")``, or the only use of the name that stands for it, asks for the other method."""
    if isinstance(context, ast.Name):
        scope = place.outline.function_of(context) or place.outline.source.tree
        stored, *used = place.outline.occurrences(scope, context.id)
        statement = place.outline.statement_of(stored)
        if len(used) != 1 or not isinstance(statement, ast.Assign) or statement.targets != [stored]:
            return ()
        context = statement.value
    told = (
        [*context.args, *(each.value for each in context.keywords)] if isinstance(context, ast.Call) else []
    )
    if len(told) != 1 or not isinstance(told[0], ast.Constant) or told[0].value != "fork":
        return ()
    return (FileEdit(place.path, ReplaceExpression(place.outline.source.span(told[0]), '"spawn"')),)
