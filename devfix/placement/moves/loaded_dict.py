"""Loaded dicts: what a function loads to the CPU for several callers moves where one that knows the device names a dict of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, Origin
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import whole_dict
from devfix.placement.telling import told_function

Trail = tuple[Origin, ...]
Edits = tuple[FileEdit, ...]
#: What is read from a file by a program that wrote it has two kinds: what is known of that, and nothing.
_KINDS = frozenset({"dict", "strange", "ungiven"})
#: With fewer uses that fail, the value moves where it is used.
_FEWEST = 2


def moved(facts: Facts, trails: Sequence[Trail]) -> Edits:
    """``control = {k: v.to(device) for k, v in control.items()}`` after ``control = receive(message)["control"]``."""
    births = {life[0] for life in trails if life}
    born = births.pop() if len(births) == 1 else None
    if born is None or born.kind != "host-checkpoint" or not _fails_often(facts, born):
        return ()
    place = place_at(facts, born.path, born.span)
    function = place.outline.function_of(place.node) if place is not None else None
    if place is None or not isinstance(function, ast.FunctionDef):
        return ()
    calls = list(told_function.calls(facts, place.outline, function))
    ways = [edits for call in calls if call is not None and (edits := _after(facts, call))]
    return ways[0] if len(ways) == 1 and None not in calls else ()


def _fails_often(facts: Facts, born: Origin) -> bool:
    """Whether what is loaded meets the accelerator in several places."""
    sinks = {
        (mismatch.path, mismatch.sink)
        for mismatch in facts.mismatches("device")
        for operand in mismatch.operands
        if operand.device == "cpu" and any(life[:1] == (born,) for life in (operand.trail, *operand.roots))
    }
    return len(sinks) >= _FEWEST


def _after(facts: Facts, call: Place) -> Edits:
    """The move of the only dict that a function gives a name, of what a call loads."""
    function = call.outline.function_of(call.node)
    found = list(_named(facts, call, function)) if function is not None else []
    return whole_dict.moved_after(facts, call, *found[0]) if len(found) == 1 else ()


def _named(
    facts: Facts, call: Place, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> Iterator[tuple[ast.Assign, str]]:
    """The statements that give a name to a dict of tensors: to what is loaded, or to an entry of it."""
    known = facts.bindings(call.path, call.outline.scopes(call.node)[0])
    names = call.outline.names_in(function)
    statement = call.outline.statement_of(call.node)
    whole = _name_of(statement)
    for node in in_rows(function):
        name = _name_of(node)
        if name is None or not isinstance(node, ast.Assign) or list(names.binders(name)) != [node]:
            continue
        head = node.value
        while isinstance(head, ast.Subscript) and isinstance(head.slice, ast.Constant):
            head = head.value
        is_entry = (
            isinstance(head, ast.Name) and head.id == whole and list(names.binders(head.id)) == [statement]
        )
        kinds = {each.kind for each in known.get(name, [])}
        if (
            (head is call.node or (is_entry and head is not node.value))
            and "dict" in kinds
            and kinds <= _KINDS
        ):
            yield node, name


def _name_of(node: ast.AST) -> str | None:
    """The one name that a statement gives a value to."""
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    return target.id if isinstance(target, ast.Name) else None
