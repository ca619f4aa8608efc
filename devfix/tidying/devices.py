"""Devices that are asked for more than once get a name, and those that nobody asks for none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from devfix.tidying.written import Written

_ASKED = re.compile(r"next\((?P<module>[A-Za-z_]\w*)\.parameters\(\)\)\.device")
_KEPT = re.compile(r"\s*(?P<object>\w+)\.device = .*\S\s*")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def named(written: Written) -> str:
    """The text with ``device = next(model.parameters()).device`` in functions that ask again and again."""
    lines = list(written.after.lines)
    for function in _functions(written.after.tree):
        found = _asked_for(written, function)
        if found is None:
            continue
        text, numbers = found
        for number in numbers:
            lines[number - 1] = lines[number - 1].replace(text, "device")
        first = _first_statement(function)
        line = lines[first.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        lines[first.lineno - 1] = f"{indent}device = {text}{written.after.newline}{line}"
    return "".join(lines)


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    yield from (node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS))


def _asked_for(
    written: Written, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> tuple[str, list[int]] | None:
    """The device that new lines of a function ask an argument for more than once, and the lines."""
    given = {
        each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    }
    bound = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    again = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    first = _first_statement(function)
    inner = any(
        isinstance(node, (*_FUNCTIONS, ast.Lambda)) for part in function.body for node in ast.walk(part)
    )
    if "device" in bound | given or inner or first.lineno == function.lineno:
        return None
    asked: dict[str, list[int]] = {}
    for number in range(first.lineno, (function.end_lineno or first.lineno) + 1):
        for match in _ASKED.finditer(written.after.lines[number - 1]):
            if match["module"] in given - again:
                asked.setdefault(match[0], []).append(number)
    text = max(asked, key=lambda each: len(asked[each]), default="")
    if len(asked.get(text, ())) < 2 or not all(map(written.is_new_line, asked[text])):
        return None
    return text, sorted(set(asked[text]))


def _first_statement(function: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
    """Where the body of a function begins, behind its docstring."""
    first, *rest = function.body
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and rest
    return rest[0] if told else first


def without_unused(path: str, files: Mapping[str, Written]) -> str:
    """A file without new lines that keep a device in an object where nothing asks for it any more."""
    written = files[path]
    lines = list(written.after.lines)
    if any(_may_ask(other) for name, other in files.items() if name != path):
        return written.after.text
    for number, line in enumerate(lines, 1):
        kept = _KEPT.fullmatch(line)
        if kept is None or not written.is_new_line(number):
            continue
        if len(re.findall(rf"\b{kept['object']}\.device\b", written.after.text)) == 1:
            lines[number - 1] = ""
    return "".join(lines)


def _may_ask(written: Written) -> bool:
    """Whether new lines of another file ask an object for its device, and not a class of their own."""
    asked = (
        name
        for number, line in enumerate(written.after.lines, 1)
        if written.is_new_line(number)
        for name in re.findall(r"([\w.]+)\.device\b(?!\()", line)
    )
    return any(name != "self" for name in asked)
