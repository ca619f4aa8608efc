"""Guarded choices: where an option decides whether inputs move, a device chosen by what the machine has is a guess.

Without the option the inputs stay on the CPU, and what moved wherever there is an accelerator no longer meets them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Applicability, Fix, InsertAfterImports, InsertAtBodyStart, Operand
from devfix.placement.devices.device_expression import place_at
from devfix.placement.devices.move_guards import is_flag

_AVAILABLE = ".is_available()"
#: How many calls there may be between an option and what it decides.
_MAX_DEPTH = 2
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def with_doubt(facts: Facts, fixes: Iterable[Fix], inputs: Iterable[Operand]) -> list[Fix]:
    """The fixes; those that choose a device of their own are unsafe where an option decides that the inputs move."""
    found = list(fixes)
    if not any(map(_chooses, found)) or not any(_is_optional(facts, operand) for operand in inputs):
        return found
    return [
        replace(fix, applicability=min(fix.applicability, Applicability.UNSAFE)) if _chooses(fix) else fix
        for fix in found
    ]


def _chooses(fix: Fix) -> bool:
    edits = [each.edit for each in fix.edits]
    return any(
        isinstance(edit, InsertAfterImports)
        or (isinstance(edit, InsertAtBodyStart) and _AVAILABLE in edit.code)
        for edit in edits
    )


def _is_optional(facts: Facts, operand: Operand) -> bool:
    """Whether all moves that an operand goes back to stand under tests of options."""
    moves = [life[0] for life in (operand.trail, *operand.roots) if life and life[0].kind == "move"]
    places = [place_at(facts, move.path, move.span) for move in moves]
    return bool(places) and all(
        place is not None and _is_under_option(facts, place.outline, place.node, _MAX_DEPTH)
        for place in places
    )


def _is_under_option(facts: Facts, outline: Outline, move: ast.AST, depth: int) -> bool:
    """Whether a move stands under the test of an option, or every call does of the function that makes it."""
    for inner, around in pairwise((move, *outline.around(move))):
        if isinstance(around, _FUNCTIONS):
            calls = list(_calls(facts, around.name)) if depth else []
            return bool(calls) and all(
                _is_under_option(facts, caller, call, depth - 1) for caller, call in calls
            )
        if isinstance(around, (ast.If, ast.IfExp)) and inner is not around.test and is_flag(around.test):
            return not _asks_machine(outline, around.test)
    return False


def _calls(facts: Facts, name: str) -> Iterator[tuple[Outline, ast.Call]]:
    """The calls of what has a name, in all files."""
    for path, source in facts.program.sources.items():
        if name in source.text:
            outline = facts.outline(path)
            yield from ((outline, call) for call in outline.calls(name))


def _asks_machine(outline: Outline, test: ast.expr) -> bool:
    """Whether a test asks nothing but what the machine has, maybe under a name."""
    if isinstance(test, (ast.Name, ast.Attribute)):
        name = ast.unparse(test)
        values = [
            each.value
            for each in in_rows(outline.source.tree)
            if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == name
        ]
        return bool(values) and all(_is_question(value) for value in values)
    return _is_question(test)


def _is_question(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and ast.unparse(value).endswith(_AVAILABLE)
