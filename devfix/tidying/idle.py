"""Idle moves are taken back: the calls, or the statements that are nothing else, and devices that are told in vain."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devfix.analysis.text.syntax import in_rows
from devfix.findings import Span
from devfix.source import Source
from devfix.tidying.written import Offsets, Written
from devfix.tidying.written import without as cut

_BLOCKS = ("body", "orelse", "finalbody")
_MOVES = ("to", "cuda")


def without(written: Written, idle: Iterable[Span]) -> str:
    """The text without those moves that move nothing and that it did not have before."""
    source, places = written.after, frozenset(idle)
    calls = [
        node for node in in_rows(source.tree) if isinstance(node, ast.Call) and source.span(node) in places
    ]
    found: list[Offsets] = []
    for call in calls:
        parts = _parts(written, call, places)
        if parts and written.holds(parts):
            found += parts
    return cut(source.text, found)


def _parts(written: Written, call: ast.Call, idle: frozenset[Span]) -> list[Offsets]:
    """What to leave out so that the move is gone: its statement, its part of one, or the call."""
    if not isinstance(call.func, ast.Attribute):
        return []
    source = written.after
    if call.func.attr not in _MOVES:
        return _device_told(written, call)
    statement = _statement_of(source.tree, call)
    if isinstance(statement, ast.Assign) and _moves_itself(statement, call):
        return [_lines(source, statement)]
    if isinstance(statement, ast.Expr) and statement.value is call and not _is_alone(source.tree, statement):
        return [_lines(source, statement)]
    if isinstance(statement, ast.Assign) and _moves_each(statement, call):
        return _of_several(written, statement, call, idle)
    whole, value = _of_each(source.tree, call) or (call, call.func.value)
    begin, end = written.offsets(source.span(whole))
    first, last = written.offsets(source.span(value))
    if whole is not call:
        return [(begin, first), (last, end)]
    if begin == first:
        return [(last, end)]
    bare = [(begin, first), (last, end)]
    if _means_the_same(source, bare, call):
        return bare
    return [(source.text.index(")", last) + 1, end)]


def _device_told(written: Written, call: ast.Call) -> list[Offsets]:
    """``, device=device`` behind other arguments."""
    places = sorted(map(written.after.span, [*call.args, *(each.value for each in call.keywords)]))
    for each in call.keywords:
        place = written.after.span(each.value)
        before = [other for other in places if other < place]
        if each.arg == "device" and before:
            return [(written.offsets(before[-1])[1], written.offsets(place)[1])]
    return []


def _of_each(tree: ast.Module, call: ast.Call) -> tuple[ast.expr, ast.expr] | None:
    """``tuple(part.to(device) for part in parts)`` or a list like that, around the call, and what its parts are of."""
    for node in in_rows(tree):  # what stands around an expression comes before it
        made = node.args[0] if isinstance(node, ast.Call) and len(node.args) == 1 else node
        if not isinstance(made, (ast.GeneratorExp, ast.ListComp)) or made.elt is not call:
            continue
        each = made.generators[0]
        name = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        plain = len(made.generators) == 1 and not each.ifs and ast.unparse(each.target) == name
        if plain and isinstance(made, ast.ListComp):
            return made, each.iter
        tupled = isinstance(node, ast.Call) and ast.unparse(node.func) == "tuple"
        return (node, each.iter) if plain and tupled and isinstance(node, ast.Call) else None
    return None


def _moves_itself(statement: ast.Assign, call: ast.Call) -> bool:
    """Whether a statement is ``x = x.to(device)``."""
    name = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    return statement.value is call and [ast.unparse(target) for target in statement.targets] == [name]


def _is_alone(tree: ast.Module, statement: ast.stmt) -> bool:
    """Whether nothing else is in the block of a statement."""
    blocks = (getattr(node, name, None) for node in in_rows(tree) for name in _BLOCKS)
    return any(block == [statement] for block in blocks)


def _lines(source: Source, statement: ast.stmt) -> Offsets:
    begin = sum(map(len, source.lines[: statement.lineno - 1]))
    return begin, begin + sum(map(len, source.lines[statement.lineno - 1 : statement.end_lineno]))


def _moves_each(statement: ast.Assign, call: ast.Call) -> bool:
    """Whether a statement is ``x, y = x.to(device), y.to(device)``, with the call as one of its values."""
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple) or call not in value.elts:
        return False
    pairs = zip(target.elts, value.elts, strict=False)
    return len(target.elts) == len(value.elts) and all(
        isinstance(made, ast.Call)
        and isinstance(made.func, ast.Attribute)
        and ast.unparse(made.func.value) == ast.unparse(part)
        for part, made in pairs
    )


def _of_several(
    written: Written, statement: ast.Assign, call: ast.Call, idle: frozenset[Span]
) -> list[Offsets]:
    """The name and the value of one of several, with the comma between them and what stays."""
    source, value, target = written.after, statement.value, statement.targets[0]
    assert isinstance(value, ast.Tuple) and isinstance(target, ast.Tuple)  # noqa: S101, PT018 - seen before
    stays = [index for index, each in enumerate(value.elts) if source.span(each) not in idle]
    if not stays:
        return [_lines(source, statement)]
    index = value.elts.index(call)
    return [_element(written, each.elts, index, after=index > stays[0]) for each in (target, value)]


def _element(written: Written, elements: list[ast.expr], index: int, *, after: bool) -> Offsets:
    """An element of a tuple, with the comma before it where that is ``after`` one that stays, else the one behind."""
    begin, end = written.offsets(written.after.span(elements[index]))
    if after:
        return written.offsets(written.after.span(elements[index - 1]))[1], end
    return begin, written.offsets(written.after.span(elements[index + 1]))[0]


def _statement_of(tree: ast.Module, call: ast.Call) -> ast.stmt | None:
    found = None
    for node in in_rows(tree):  # breadth first: the last one around the call is the innermost
        if isinstance(node, ast.stmt) and any(part is call for part in in_rows(node)):
            found = node
    return found


def _means_the_same(source: Source, parts: list[Offsets], call: ast.Call) -> bool:
    """Whether the text without the call and its parentheses is the program without the call."""
    try:
        short = ast.parse(cut(source.text, parts))
    except SyntaxError:
        return False
    whole = _Unwrap(call).visit(ast.parse(source.text))
    return ast.dump(whole) == ast.dump(short)


class _Unwrap(ast.NodeTransformer):
    """Replaces the call at a place by what it is called on."""

    def __init__(self, call: ast.Call) -> None:
        self._place = _place(call)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if _place(node) == self._place and isinstance(node.func, ast.Attribute):
            return node.func.value
        return self.generic_visit(node)


def _place(node: ast.Call) -> tuple[int, int, int | None, int | None]:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
