"""Rows of modules: the lists, tuples and dicts in a container that is registered become ``ModuleList`` and ``ModuleDict`` as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import Edit, ReplaceExpression, WrapExpression
from devfix.placement.modules import row_uses
from devfix.placement.modules.filled_later import is_filled_later
from devfix.placement.modules.registration import Attribute

_KINDS = {"list": "ModuleList", "dict": "ModuleDict"}
_DISPLAYS = {
    ast.List: "list", ast.Tuple: "list", ast.ListComp: "list", ast.Dict: "dict", ast.DictComp: "dict",
}  # fmt: skip
#: What makes a list or dict of what another one holds.
_COPYING = frozenset({"list", "tuple", "dict", "OrderedDict"})
#: The methods that put something into a list or dict.
_ADDING = frozenset({"append", "extend", "insert", "update", "setdefault"})


def kind(facts: Facts, attribute: Attribute, value: ast.expr | None, rows: str | None) -> str | None:
    """The registered container that each row becomes; "" where there are no rows, None where none will do.

    ``rows`` says what they are as far as somebody knows; else it is what is written in the place of each.
    """
    rows = shown(attribute, value) if rows is None else rows
    if not rows:
        return ""
    found = _KINDS.get(rows)
    if found is None or not row_uses.suit(facts, attribute.name, found):
        return None
    return None if _is_changed_otherwise(facts, attribute) else found


def shown(attribute: Attribute, value: ast.expr | None) -> str:
    """What is written in the place of each row: "list", "dict", "" where that is neither, "mixed" where it differs."""
    kinds = {_DISPLAYS.get(type(each), "") for each in (*written(value), *_appended(attribute))}
    return kinds.pop() if len(kinds) == 1 else "mixed" if kinds - {""} else ""


def registering(attribute: Attribute, value: ast.expr | None, name: str) -> list[Edit] | None:
    """What makes registered containers, which are called ``name``, of the rows that an attribute's container is made of; None where that is not to be seen."""
    rows = [*written(value), *_appended(attribute)]
    if not rows or any(_holds_others(row) or _is_others(attribute, row) for row in rows):
        return None
    return [_wrapped(attribute, each, name) for each in rows]


def gone_through(attribute: Attribute, value: ast.expr | None, outer: str, name: str) -> Edit | None:
    """``ModuleList(ModuleList(row) for row in made())``: a list of rows that somebody else makes; None for any other."""
    if (
        not isinstance(value, ast.Call)
        or not outer.endswith("List")
        or any(True for _ in _appended(attribute))
    ):
        return None
    source = attribute.outline.source
    made = source.segment(source.span(value.args[0] if _is_plain(value) else value))
    return ReplaceExpression(source.span(value), f"{outer}({name}(row) for row in {made})")


def written(value: ast.expr | None) -> Iterator[ast.expr]:
    """What is written in the place of each row where a container is made."""
    if isinstance(value, ast.Call) and _is_plain(value):
        value = value.args[0]
    if isinstance(value, (ast.List, ast.Tuple)):
        yield from value.elts
    elif isinstance(value, (ast.ListComp, ast.GeneratorExp)):
        yield value.elt
    elif isinstance(value, ast.Dict):
        yield from value.values
    elif isinstance(value, ast.DictComp):
        yield value.value


def _is_plain(call: ast.Call) -> bool:
    """Whether a call makes a list, tuple or dict of what another one holds."""
    return isinstance(call.func, ast.Name) and call.func.id in _COPYING and len(call.args) == 1


def _is_others(attribute: Attribute, row: ast.expr) -> bool:
    """Whether a row has another name, by which it is filled or may be, when the container that is made of it is not."""
    if isinstance(row, ast.Name):
        return is_filled_later(attribute.outline, row)
    return isinstance(row, (ast.Attribute, ast.Subscript))


def _appended(attribute: Attribute) -> Iterator[ast.expr]:
    """What the class appends to the container, or puts into it under a key."""
    own = attribute.outline.class_of(attribute.function)
    for node, call in _changes(attribute.outline, attribute.name):
        if _class_of(attribute.outline, node) is not own:
            continue
        if isinstance(call, ast.Call):
            yield call.args[0]
        elif isinstance(call, ast.Assign):
            yield call.value


def _is_changed_otherwise(facts: Facts, attribute: Attribute) -> bool:
    """Whether something is put into the container in another way, or from somewhere else."""
    outline = attribute.outline
    own = outline.class_of(attribute.function)
    if any(
        change is None or _class_of(outline, node) is not own
        for node, change in _changes(outline, attribute.name)
    ):
        return True
    others = (path for path in facts.program.sources if path != attribute.site.path)
    named = (path for path in others if f".{attribute.name}" in facts.program.sources[path].text)
    return any(True for path in named for _ in _changes(facts.outline(path), attribute.name))


def _class_of(outline: Outline, node: ast.Attribute) -> ast.ClassDef | None:
    """The class whose object ``self`` is in ``self.rows``."""
    function = outline.function_of(node)
    is_own = isinstance(node.value, ast.Name) and node.value.id == outline.receiver_name(function)
    return outline.class_of(function) if is_own and function is not None else None


def _changes(outline: Outline, name: str) -> Iterator[tuple[ast.Attribute, ast.Call | ast.Assign | None]]:
    """Where a file puts something into what is called so, with the statement or call that does it if it is a plain one."""
    parents = outline.parents
    for node in outline.mentions(name):
        if not isinstance(node, ast.Attribute):
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
