"""Another accelerator: names that stand for a second one, or the one place of a program that names one by mistake."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from devfix.analysis.record.facts import Facts
from devfix.analysis.record.recorder import Binding
from devfix.analysis.text.noting import noted
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import called, in_rows
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, ReplaceExpression

#: An accelerator by its number, other than the first.
_NUMBERED = re.compile(r"(\w+):([1-9]\d*)")
_ANY = re.compile(r"(cuda|xpu)(:\d+)?")
#: Programs that say any of this spread over several accelerators on purpose, or renumber them.
_ON_PURPOSE = re.compile(r"set_device|VISIBLE_DEVICES|[Pp]arallel|device_count|rank|torch\.cuda\.device\(")


def same_accelerator(facts: Facts, mismatch: Mismatch) -> Fix | None:
    """The program's only mention of a second accelerator becomes the first; None where modules live there."""
    if any(operand.role == "weight" and operand.device != "cuda" for operand in mismatch.operands):
        return None
    sources = facts.program.sources.values()
    if any(_ON_PURPOSE.search(source.text) for source in sources):
        return None
    found = [
        (source, node, node.value)
        for source in sources
        for node in in_rows(source.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _NUMBERED.fullmatch(node.value)
    ]
    if len(found) != 1:
        return None
    (source, literal, name), *_ = found
    text = source.segment(source.span(literal))
    edit = ReplaceExpression(source.span(literal), text.replace(name, _NUMBERED.sub(r"\1:0", name)))
    return Fix("use the accelerator that the rest uses", (FileEdit(source.path, edit),), Applicability.UNSAFE)


def is_among(outline: Outline, names: Iterable[Iterable[Binding]]) -> bool:
    """Whether one of several names, by what they are bound to, is a second accelerator where the machine has one.

    With one they are all the same: which of them is meant at a place nobody knows.
    """
    spans = [binding.statement for bindings in names for binding in bindings]
    statements = (outline.statement_at(span) for span in spans if span is not None)
    return any(
        isinstance(node, ast.Constant) and _NUMBERED.fullmatch(str(node.value))
        for statement in statements
        if isinstance(statement, (ast.Assign, ast.AnnAssign))
        for node in in_rows(statement)
    )


def is_only(facts: Facts, device: str | None) -> bool:
    """Whether a program names no accelerator but one by its number, and has no module on another, as one without a number is."""
    bindings = (each for path in facts.program.sources for found in facts.names(path) for each in found)
    known = (
        each.device for each in bindings if each.kind in ("device", "module") and each.device is not None
    )
    told = {name for path in facts.program.sources for name in _named_in(facts.source(path).tree)}
    return {*told, *(str(each) for each in known if each.is_accelerator)} <= {device}


@noted
def _named_in(tree: ast.AST) -> frozenset[str]:
    """What a file names by a number: ``"cuda:1"``, ``x.cuda(1)``."""
    texts = {str(node.value) for node in in_rows(tree) if isinstance(node, ast.Constant)}
    calls = (node for node in in_rows(tree) if isinstance(node, ast.Call) and called(node) == "cuda")
    given = (part.value for call in calls for part in call.args if isinstance(part, ast.Constant))
    numbers = {f"cuda:{value}" for value in given if type(value) is int}
    return frozenset(numbers | {text for text in texts if _ANY.fullmatch(text) and ":" in text})


@noted
def are_several(tree: ast.AST) -> bool:
    """Whether a file names several accelerators, so that its modules and tensors need not be on the same."""
    named = {str(node.value) for node in in_rows(tree) if isinstance(node, ast.Constant)}
    return len({name for name in named if _ANY.fullmatch(name)}) > 1 and any(map(_NUMBERED.fullmatch, named))
