"""Rows of modules: the lists, tuples and dicts in a container that is registered become ``ModuleList`` and ``ModuleDict`` as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.findings import Edit, ReplaceExpression, WrapExpression
from devfix.placement.modules.registration import Attribute

_KINDS = {"list": "ModuleList", "dict": "ModuleDict"}
_DISPLAYS = {
    ast.List: "list", ast.Tuple: "list", ast.ListComp: "list", ast.Dict: "dict", ast.DictComp: "dict",
}  # fmt: skip
#: The methods that put something into a list or dict.
_ADDING = frozenset({"append", "extend", "insert", "update", "setdefault"})


def registering(
    attribute: Attribute, value: ast.expr | None, rows: str | None, package: str
) -> list[Edit] | None:
    """What makes registered containers of the rows that an attribute's container is made of; None where that is not to be seen.

    ``rows`` says what they are as far as somebody knows; else it is what is written in the place of each.
    """
    written = [*_written(value), *_appended(attribute)]
    if rows is None:
        shown = {_DISPLAYS.get(type(each), "") for each in written}
        rows = shown.pop() if len(shown) == 1 else "mixed" if shown - {""} else ""
    if not rows:
        return []
    if (
        rows not in _KINDS
        or not written
        or any(map(_holds_others, written))
        or _is_changed_otherwise(attribute)
    ):
        return None
    return [_wrapped(attribute, each, package + _KINDS[rows]) for each in written]


def gone_through(
    attribute: Attribute, value: ast.expr | None, rows: str | None, name: str, package: str
) -> Edit | None:
    """``ModuleList(ModuleList(row) for row in made())``: a list of rows that somebody else makes; None for any other."""
    added = any(True for _ in _appended(attribute)) or _is_changed_otherwise(attribute)
    if rows not in _KINDS or not isinstance(value, ast.Call) or not name.endswith("List") or added:
        return None
    source = attribute.outline.source
    listed = isinstance(value.func, ast.Name) and value.func.id in ("list", "tuple") and len(value.args) == 1
    made = source.segment(source.span(value.args[0] if listed else value))
    return ReplaceExpression(source.span(value), f"{name}({package}{_KINDS[rows]}(row) for row in {made})")


def _written(value: ast.expr | None) -> Iterator[ast.expr]:
    """What is written in the place of each row where a container is made."""
    if isinstance(value, ast.Call) and len(value.args) == 1:
        value = value.args[0]
    if isinstance(value, (ast.List, ast.Tuple)):
        yield from value.elts
    elif isinstance(value, (ast.ListComp, ast.GeneratorExp)):
        yield value.elt
    elif isinstance(value, ast.Dict):
        yield from value.values
    elif isinstance(value, ast.DictComp):
        yield value.value


def _appended(attribute: Attribute) -> Iterator[ast.expr]:
    """What the class appends to the container, or puts into it under a key."""
    for _, call in _changes(attribute):
        if isinstance(call, ast.Call):
            yield call.args[0]
        elif isinstance(call, ast.Assign):
            yield call.value


def _is_changed_otherwise(attribute: Attribute) -> bool:
    """Whether something is put into the container in another way, or from somewhere else."""
    kept = ast.unparse(attribute.target)
    return any(change is None or ast.unparse(node) != kept for node, change in _changes(attribute))


def _changes(attribute: Attribute) -> Iterator[tuple[ast.Attribute, ast.Call | ast.Assign | None]]:
    """Where the file puts something into what is called like the container, with the statement or call that does so if it is a plain one."""
    parents = attribute.outline.parents
    for node in ast.walk(attribute.outline.source.tree):
        if not isinstance(node, ast.Attribute) or node.attr != attribute.name:
            continue
        above = parents.get(node)
        around = parents.get(above) if above is not None else None
        if isinstance(above, ast.AugAssign):
            yield node, None
        elif isinstance(above, ast.Attribute) and above.attr in _ADDING:
            plain = isinstance(around, ast.Call) and above.attr == "append" and len(around.args) == 1
            yield node, around if plain and isinstance(around, ast.Call) else None
        elif isinstance(above, ast.Subscript) and isinstance(above.ctx, ast.Store) and above.value is node:
            yield node, around if isinstance(around, ast.Assign) else None


def _holds_others(row: ast.expr) -> bool:
    """Whether something in a row is certainly no module, or is written so that nobody sees what it is."""
    parts = (
        row.elts
        if isinstance(row, (ast.List, ast.Tuple))
        else row.values
        if isinstance(row, ast.Dict)
        else ()
    )
    return isinstance(row, ast.Starred) or any(
        isinstance(part, (ast.Constant, ast.Starred)) for part in parts
    )


def _wrapped(attribute: Attribute, row: ast.expr, name: str) -> Edit:
    source = attribute.outline.source
    span = source.span(row)
    text = source.segment(span)
    if isinstance(row, ast.Tuple) and text.startswith("(") and "#" not in text:
        return ReplaceExpression(span, f"{name}([{text[1:-1].strip().removesuffix(',')}])")
    if isinstance(row, (ast.List, ast.Dict)) and text in ("[]", "{}"):
        return ReplaceExpression(span, f"{name}()")
    return WrapExpression(span, f"{name}(", ")")
