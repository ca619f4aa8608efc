"""Arguments of which parts move again and again move once, at the top of their function or of the branch that has them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.text.syntax import in_rows
from devfix.tidying.functions import (
    Function,
    arguments_of,
    bound_names,
    first_statement,
    functions,
    holds_functions,
    read_names,
)
from devfix.tidying.lines import indent_of
from devfix.tidying.written import Offsets, Written, without

#: What a tensor shows of itself as a whole, turned.
_TURNED = frozenset({"mT", "mH"})
#: The same by names that fields of other objects have as well.
_MAYBE_TURNED = _TURNED | {"T", "H"}


def moved_once(written: Written) -> str:
    """The text with ``x = x.to(device)`` instead of several new moves of ``x`` or of parts of it."""
    source = written.after
    insertions: list[tuple[int, str]] = []
    cuts: list[Offsets] = []
    for function in functions(source.tree):
        for name, moves in _moved(written, function):
            device = next(_devices(function, moves), None)
            first = _first_for(function, name, moves)
            line = source.lines[first.lineno - 1] if first is not None else ""
            if device is not None and first is not None and not line.lstrip().startswith("elif"):
                indent = indent_of(line)
                insertions.append((first.lineno, f"{indent}{name} = {name}.to({device}){source.newline}"))
                cuts += [suffix_of(written, move) for move in moves]
    lines = list(source.with_text(without(source.text, cuts)).lines)
    for number, line in sorted(insertions, reverse=True):
        lines.insert(number - 1, line)
    return "".join(lines)


def _moved(written: Written, function: Function) -> Iterator[tuple[str, list[ast.Call]]]:
    """The arguments that a function never binds again, and that it has got more than one new move of."""
    if holds_functions(function) or first_statement(function).lineno == function.lineno:
        return
    calls = [node for node in in_rows(function) if isinstance(node, ast.Call)]
    for name in sorted(arguments_of(function) - bound_names(function)):
        moves = [call for call in calls if moved_part(call, _MAYBE_TURNED) == name]
        is_tensor = any(moved_part(move) == name for move in moves)
        if is_tensor and len(moves) > 1 and all(written.holds([suffix_of(written, move)]) for move in moves):
            yield name, moves


def _first_for(function: Function, name: str, moves: list[ast.Call]) -> ast.stmt | None:
    """The statement before which one move does for all: the first of the branch that alone has them, or of the body.

    There is none where another branch has a use of the argument, which may be something else there.
    """
    block = function.body[function.body.index(first_statement(function)) :]
    while (branch := _branch_with_all(block, moves)) is not None:
        block = branch
    choices = (part for part in _parts(block) if isinstance(part, ast.If))
    branches = (branch for choice in choices for branch in (choice.body, choice.orelse))
    used = (branch for branch in branches if any(name in read_names(part) for part in branch))
    return block[0] if all(any(move in _parts(branch) for move in moves) for branch in used) else None


def _branch_with_all(block: list[ast.stmt], moves: list[ast.Call]) -> list[ast.stmt] | None:
    """The branch of one ``if`` of a block in which all the moves are."""
    for choice in (part for part in block if isinstance(part, ast.If)):
        for branch in (choice.body, choice.orelse):
            inside = set(_parts(branch))
            if inside.issuperset(moves):
                return branch
    return None


def _parts(block: list[ast.stmt]) -> Iterator[ast.AST]:
    return (node for part in block for node in in_rows(part))


def moved_part(call: ast.Call, turned: frozenset[str] = _TURNED) -> str:
    """``x`` of ``x[:, 2:].to(device)`` and ``x.mT.to(device)``; "" of anything else."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr != "to" or len(call.args) != 1 or call.keywords:
        return ""
    part = func.value
    while isinstance(part, ast.Subscript) or (isinstance(part, ast.Attribute) and part.attr in turned):
        piece = part.slice if isinstance(part, ast.Subscript) else None
        if piece is not None and not isinstance(part.value, ast.Subscript) and not _slices(piece):
            return ""  # an entry of a dict or a list, which has no ``to`` itself
        part = part.value
    return part.id if isinstance(part, ast.Name) else ""


def _slices(index: ast.expr) -> bool:
    """Whether an index takes a piece of a tensor: what moves then is of the kind of the whole."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    constants = (part.value for part in parts if isinstance(part, ast.Constant))
    return any(isinstance(part, ast.Slice) for part in parts) or any(c in (None, ...) for c in constants)


def _devices(function: Function, moves: list[ast.Call]) -> Iterator[str]:
    """Where the moves go to, as far as that can be said at the top of the function."""
    unknown = bound_names(function) | {moved_part(move) for move in moves}
    for move in moves:
        if read_names(move.args[0]).isdisjoint(unknown):
            yield ast.unparse(move.args[0])


def suffix_of(written: Written, move: ast.Call) -> Offsets:
    """``.to(device)`` of a move, with a parenthesis that may close before it."""
    assert isinstance(move.func, ast.Attribute)  # noqa: S101 - `moved_part` saw to it
    span = written.after.span
    return written.offsets(span(move.func.value))[1], written.offsets(span(move))[1]
