"""Devices that are asked for more than once get a name, and those that nobody asks for none."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from devfix.analysis.text.scope_names import COMPREHENSIONS
from devfix.analysis.text.syntax import first_name, in_rows
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
from devfix.tidying.written import Written

_ASKED = re.compile(r"next\((?P<module>[A-Za-z_]\w*)\.parameters\(\)\)\.device")
_OF_TENSOR = re.compile(r"(?<![\w.])(?P<tensor>[A-Za-z_]\w*)\.device\b(?!\()")
_MOVES = ("to", "cuda", "cpu", "to_empty")
_CHOSEN = re.compile(r"(?P<name>device|DEVICE) = .*\S\s*")
_KEPT = re.compile(r"\s*(?P<object>\w+)\.device = .*\S\s*")


def named(written: Written) -> str:
    """The text with ``device = next(model.parameters()).device`` in functions that ask again and again."""
    lines = list(written.after.lines)
    for function in functions(written.after.tree):
        found = _asked_for(written, function)
        if found is None:
            continue
        text, numbers = found
        for number in numbers:
            lines[number - 1] = lines[number - 1].replace(text, "device")
        own = bound_names(function)
        for number, name in asked_of_tensors(written, function):
            if name in own:
                lines[number - 1] = re.sub(rf"(?<![\w.]){name}\.device\b", "device", lines[number - 1])
        first = first_statement(function)
        line = lines[first.lineno - 1]
        indent = indent_of(line)
        lines[first.lineno - 1] = f"{indent}device = {text}{written.after.newline}{line}"
    return "".join(lines)


def _asked_for(written: Written, function: Function) -> tuple[str, list[int]] | None:
    """The device that new lines of a function ask a module for more than once that it does not bind or move, and the lines."""
    given, bound = arguments_of(function), bound_names(function)
    first = first_statement(function)
    if "device" in given | bound | read_names(function) or holds_functions(function):
        return None
    moved = _moved_in(function)
    asked: dict[str, list[int]] = {}
    for number in range(first.lineno, (function.end_lineno or first.lineno) + 1):
        for match in _ASKED.finditer(written.after.lines[number - 1]):
            if match["module"] not in bound and match["module"] not in moved:
                asked.setdefault(match[0], []).append(number)
    text = max(asked, key=lambda each: len(asked[each]), default="")
    numbers = asked.get(text, [])
    again = len(numbers) > 1 or not _asked_for_each(function).isdisjoint(numbers)
    named = again and first.lineno > function.lineno and all(map(written.is_new_line, numbers))
    return (text, sorted(set(numbers))) if named else None


def _asked_for_each(function: Function) -> set[int]:
    """The lines of what comprehensions in loops make of each item: ``{k: v.to(device) for k, v in batch.items()}``."""
    loops = (node for node in in_rows(function) if isinstance(node, ast.For | ast.AsyncFor | ast.While))
    inside = (part for loop in loops for each in loop.body for part in in_rows(each))
    rows = [node for node in inside if isinstance(node, COMPREHENSIONS)]
    made = (part for row in rows for part in ([row.value] if isinstance(row, ast.DictComp) else [row.elt]))
    return {node.lineno for part in made for node in in_rows(part) if isinstance(node, ast.Attribute)}


def asked_of_tensors(written: Written, function: Function) -> list[tuple[int, str]]:
    """The new lines of a function that ask a tensor for its device, ``x.device``, and did not before, and whom."""
    return [
        (number, match["tensor"])
        for number in range(function.lineno, (function.end_lineno or function.lineno) + 1)
        if written.is_new_line(number)
        for match in _OF_TENSOR.finditer(written.after.lines[number - 1])
        if match["tensor"] not in ("self", "cls") and match[0] not in written.instead_of(number)
    ]


def _moved_in(function: Function) -> set[str]:
    """The names of what a function may put on another device itself."""
    methods = (node for node in in_rows(function) if isinstance(node, ast.Attribute) and node.attr in _MOVES)
    return {method.value.id for method in methods if isinstance(method.value, ast.Name)}


def without_unused(path: str, files: Mapping[str, Written]) -> str:
    """A file without new lines that keep a device where nothing asks for it any more."""
    written = files[path]
    others = [other for name, other in files.items() if name != path]
    lines = _without_unread(written, others)
    if any(_may_ask(other) for other in others):
        return "".join(lines)
    for number, line in enumerate(lines, 1):
        kept = _KEPT.fullmatch(line)
        if kept is None or not written.is_new_line(number):
            continue
        if len(re.findall(rf"\b{kept['object']}\.device\b", written.after.text)) == 1:
            lines[number - 1] = ""
    return "".join(lines)


def _without_unread(written: Written, others: Sequence[Written]) -> list[str]:
    """The lines without a variable of the file, and the blank line that came with it, that no code reads."""
    lines = list(written.after.lines)
    for number, line in enumerate(written.after.lines, 1):
        chosen = _CHOSEN.fullmatch(line)
        if chosen is None or not written.is_new_line(number) or written.instead_of(number).strip():
            continue
        name, tree = chosen["name"], written.after.tree
        if name in read_names(tree) or any(_may_import(other, name) for other in others):
            continue
        lines[number - 1] = ""
        beside = (each for each in (number + 1, number - 1) if 0 < each <= len(lines))
        blank = (each for each in beside if written.is_new_line(each) and not lines[each - 1].strip())
        for each in [*blank][:1]:
            lines[each - 1] = ""
    return lines


def _may_import(written: Written, name: str) -> bool:
    """Whether another file may have taken a name from the one that binds it."""
    nodes = [*in_rows(written.after.tree)]
    aliases = [
        alias for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names
    ]
    modules = {(alias.asname or alias.name).partition(".")[0] for alias in aliases}
    asked = {part.attr for part in nodes if isinstance(part, ast.Attribute) and first_name(part) in modules}
    return name in asked or any(alias.name in (name, "*") for alias in aliases)


def _may_ask(written: Written) -> bool:
    """Whether new lines of another file ask an object for its device, and not a class of their own."""
    asked = (
        name
        for number, line in enumerate(written.after.lines, 1)
        if written.is_new_line(number)
        for name in re.findall(r"([\w.]+)\.device\b(?!\()", line)
    )
    return any(name != "self" for name in asked)
