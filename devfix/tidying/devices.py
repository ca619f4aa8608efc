"""Devices that are asked for more than once get a name, and those that nobody asks for none."""

from __future__ import annotations

import re
from collections.abc import Mapping

from devfix.tidying.functions import (
    Function,
    arguments_of,
    bound_names,
    first_statement,
    functions,
    holds_functions,
    read_names,
)
from devfix.tidying.written import Written

_ASKED = re.compile(r"next\((?P<module>[A-Za-z_]\w*)\.parameters\(\)\)\.device")
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
        first = first_statement(function)
        line = lines[first.lineno - 1]
        indent = line[: len(line) - len(line.lstrip())]
        lines[first.lineno - 1] = f"{indent}device = {text}{written.after.newline}{line}"
    return "".join(lines)


def _asked_for(written: Written, function: Function) -> tuple[str, list[int]] | None:
    """The device that new lines of a function ask an argument for more than once, and the lines."""
    given, bound = arguments_of(function), bound_names(function)
    first = first_statement(function)
    if "device" in given | bound | read_names(function) or holds_functions(function):
        return None
    asked: dict[str, list[int]] = {}
    for number in range(first.lineno, (function.end_lineno or first.lineno) + 1):
        for match in _ASKED.finditer(written.after.lines[number - 1]):
            if match["module"] in given - bound:
                asked.setdefault(match[0], []).append(number)
    text = max(asked, key=lambda each: len(asked[each]), default="")
    again = len(asked.get(text, ())) > 1 and first.lineno > function.lineno
    return (text, sorted(set(asked[text]))) if again and all(map(written.is_new_line, asked[text])) else None


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
