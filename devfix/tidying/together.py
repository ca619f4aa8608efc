"""Arguments that move one by one where they are used move together, at the top of their function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.text.syntax import in_rows
from devfix.tidying.arguments import moved_part, suffix_of
from devfix.tidying.bindings import is_used_otherwise
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

#: What may run at another time than where it stands, or not at all.
_ASIDE = (
    ast.If, ast.IfExp, ast.BoolOp, ast.Try, ast.While, ast.Match,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
#: Fewer lines than these are as well changed one by one.
_LINES = 3


def moved_together(written: Written) -> str:
    """The text with ``x, y = x.to(device), y.to(device)`` at the top instead of new moves of each on several lines.

    So it is where nothing else is done with these arguments.
    """
    source = written.after
    insertions: list[tuple[int, str]] = []
    cuts: list[Offsets] = []
    for function in functions(source.tree):
        found = _moved(written, function)
        if found is None:
            continue
        device, moves = found
        first = first_statement(function)
        indent = indent_of(source.lines[first.lineno - 1])
        names = [name for name in _in_order(function) if name in moves]
        code = "".join(f"{indent}{name} = {name}.to({device}){source.newline}" for name in names)
        insertions.append((first.lineno, code))
        cuts += [suffix_of(written, move) for each in moves.values() for move in each]
    lines = list(source.with_text(without(source.text, cuts)).lines)
    for number, code in sorted(insertions, reverse=True):
        lines.insert(number - 1, code)
    return "".join(lines)


def _in_order(function: Function) -> list[str]:
    spec = function.args
    return [each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]


def _moved(written: Written, function: Function) -> tuple[str, dict[str, list[ast.Call]]] | None:
    """The device to which several arguments of a function move, each wherever it is used, and their moves."""
    if holds_functions(function) or first_statement(function).lineno == function.lineno:
        return None
    nodes = list(in_rows(function))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    free = arguments_of(function) - bound_names(function)
    names = {name for call in calls if (name := moved_part(call)) in free}
    if len(names) < 2:
        return None
    parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
    for device in sorted({ast.unparse(call.args[0]) for call in calls if moved_part(call) in names}):
        moves = {name: _moves(written, function, nodes, parents, name, device) for name in sorted(names)}
        moves = {name: each for name, each in moves.items() if each}
        lines = {call.lineno for each in moves.values() for call in each}
        asked = read_names(ast.parse(device))
        if len(moves) > 1 and len(lines) >= _LINES and asked.isdisjoint({*bound_names(function), *moves}):
            return device, moves
    return None


def _moves(
    written: Written,
    function: Function,
    nodes: list[ast.AST],
    parents: dict[ast.AST, ast.AST],
    name: str,
    device: str,
) -> list[ast.Call]:
    """The new moves of an argument to a device, if each of its uses is one, or within what moves there as a whole."""
    found = [node for node in nodes if isinstance(node, ast.Call) and moved_part(node) == name]
    if not found or any(ast.unparse(call.args[0]) != device for call in found):
        return []
    if not all(written.holds([suffix_of(written, call)]) for call in found):
        return []
    if any(isinstance(above, _ASIDE) for call in found for above in _around(parents, call, function)):
        return []
    wholes = [call for call in _wholes(nodes, name, device) if written.holds([suffix_of(written, call)])]
    return [] if is_used_otherwise(nodes, parents, name, [*found, *wholes]) else found


def _wholes(nodes: list[ast.AST], name: str, device: str) -> Iterator[ast.Call]:
    """``(2 * x).to(device)``: moves of what is computed from a name."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "to":
            told = [ast.unparse(each) for each in node.args]
            if told == [device] and not node.keywords and name in read_names(node.func.value):
                yield node


def _around(parents: dict[ast.AST, ast.AST], node: ast.AST, function: Function) -> Iterator[ast.AST]:
    while node is not function:
        node = parents[node]
        yield node
