"""Package texts: classes and functions of lines, and files that import from one another what they name."""

from __future__ import annotations

import ast
import re
import symtable
import textwrap
from collections.abc import Iterator, Sequence

from repair.carried_program import Texts, needed

#: What a function is called, and its lines.
Method = tuple[str, Sequence[str]]


def class_of(head: str, *methods: Method) -> str:
    """A class with methods; one whose name begins with ``@`` has that decorator, parted by a line."""
    return f"class {head}:\n" + "\n\n".join(textwrap.indent(function(*method), "    ") for method in methods)


def function(head: str, lines: Sequence[str]) -> str:
    """A function; decorators may stand in lines before its name."""
    *decorators, name = head.split("\n")
    return "\n".join([*decorators, f"def {name}:", *indented(lines)])


def indented(lines: Sequence[str]) -> list[str]:
    """Lines within something."""
    return textwrap.indent("\n".join(lines), "    ").split("\n")


def files(imports: Sequence[str], texts: Texts) -> Texts:
    """A file for each text, which imports from those before it what it names and does not define."""
    found: Texts = {}
    defined: dict[str, str] = {}
    for name, text in texts.items():
        if text:
            own = set(_bound(text))
            used = _read(text) - own
            kept = dict.fromkeys(line for line in (needed(line, used) for line in imports) if line)
            more = [f"from {defined[each]} import {each}" for each in sorted(used & defined.keys())]
            found[f"{name}.py"] = "\n".join([*kept, *more]) + "\n\n\n" + text + "\n"
            defined |= dict.fromkeys(own, name)
    return found


def with_imported(texts: Texts, silent: Sequence[str]) -> Texts:
    """The files, of which the entry imports those that nobody names."""
    begin = "".join(f"import {name}\n" for name in silent)
    return {**texts, "main.py": begin + texts["main.py"]}


def in_package(texts: Texts, silent: Sequence[str]) -> Texts:
    """The files in a package that has their names for its entry, and imports those that nobody names."""
    own = "|".join(path.removesuffix(".py") for path in texts)
    main = texts["main.py"]
    begin = [f"from . import {name}" for name in silent]
    begin += [f"from .{line[5:]}" for line in main.split("\n") if re.match(rf"from ({own}) import", line)]
    found = {"app/__init__.py": "\n".join(begin) + "\n"}
    for path, text in texts.items():
        relative = re.sub(rf"^from ({own}) import", r"from .\1 import", text, flags=re.MULTILINE)
        found[f"app/{path}"] = relative.replace('import_module("', 'import_module("app.')
    del found["app/main.py"]
    entry = re.sub(rf"^from ({own}) import", "from app import", main, flags=re.MULTILINE)
    return {**found, "main.py": entry.replace('import_module("', 'import_module("app.')}


def _read(text: str) -> set[str]:
    """Names that a text takes from outside, or from the top of its file."""
    tables, found = [symtable.symtable(text, "", "exec")], set[str]()
    for table in tables:
        top = table.get_type() == "module"
        symbols = (each for each in table.get_symbols() if each.is_referenced())
        found |= {each.get_name() for each in symbols if top or each.is_global()}
        tables += table.get_children()
    return found


def _bound(text: str) -> Iterator[str]:
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        else:
            names = (each for each in ast.walk(node) if isinstance(each, ast.Name))
            yield from (each.id for each in names if isinstance(each.ctx, ast.Store))
