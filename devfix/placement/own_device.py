"""Own device: whether an object can have an attribute ``device``, and where one that keeps a module gets it."""

from __future__ import annotations

import ast
import re

from devfix.analysis.facts import Facts
from devfix.analysis.outline import Outline
from devfix.findings import FileEdit, InsertAfter

_SET = re.compile(r"\.device\s*=(?!=)|\bdef device\b|\b__slots__\b|\bsetattr\(")


def is_free(facts: Facts, cls: ast.ClassDef) -> bool:
    """Whether nothing else can be called ``device`` in objects of a class: none of the program has one."""
    if any(getattr(base, "id", "") != "object" for base in cls.bases):
        return False
    return not any(_SET.search(source.text) for source in facts.program.sources.values())


def beside_module(facts: Facts, outline: Outline, cls: ast.ClassDef, attribute: str) -> FileEdit | None:
    """``self.device = next(model.parameters()).device``, behind ``self.model = model`` in the constructor."""
    setters = [node for node in ast.walk(cls) if isinstance(node, ast.Assign) and _sets(node, attribute)]
    if len(setters) != 1 or not is_free(facts, cls):
        return None
    [statement] = setters
    function = outline.function_of(statement)
    receiver = outline.receiver_name(function)
    value = statement.value
    if function is None or function.name != "__init__" or statement not in function.body:
        return None
    if isinstance(value, ast.Call) or receiver is None or len(statement.targets) > 1:
        return None
    model = value.id if isinstance(value, ast.Name) else f"{receiver}.{attribute}"
    code = f"{receiver}.device = next({model}.parameters()).device"
    return FileEdit(outline.source.path, InsertAfter(outline.source.span(statement), code))


def _sets(node: ast.Assign, attribute: str) -> bool:
    return any(
        isinstance(part, ast.Attribute) and part.attr == attribute and isinstance(part.ctx, ast.Store)
        for target in node.targets
        for part in ast.walk(target)
    )
