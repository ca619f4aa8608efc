"""Own choice: the device that the program chooses, spelt out where no name for it is in sight.

A table of tensors at the top of a module, or a function that builds something for somebody else, knows no
device; the program says elsewhere how it is chosen, and that can be said here as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.findings import Applicability, Edit, FileEdit, Fix, Operand, Origin, SetKeyword, WrapExpression

_MADE = ("factory", "random-factory")


def fixes(facts: Facts, operand: Operand) -> Iterator[Fix]:
    """Makes what the operand goes back to on the chosen device, or moves it there as soon as it is made."""
    code = next(_choices(facts), None)
    trails = operand.roots if operand.trail and operand.trail[0].kind == "result" else (operand.trail,)
    firsts = [trail[0] for trail in trails if trail]
    if code is None or not firsts or any(first.kind not in (*_MADE, "module") for first in firsts):
        return
    edits = [_edit(facts, first, code) for first in dict.fromkeys(firsts)]
    placed = tuple(edit for edit in edits if edit is not None)
    if len(placed) == len(edits):
        yield Fix(f"make `{operand.text}` on the device that the program chooses", placed, Applicability.SAFE)


def _edit(facts: Facts, first: Origin, code: str) -> FileEdit | None:
    outline = facts.outline(first.path)
    call = outline.expression_at(first.span)
    if not isinstance(call, ast.Call) or not _imports_torch(outline.source.tree):
        return None
    named = getattr(call.func, "attr", getattr(call.func, "id", ""))
    given = any(keyword.arg == "device" for keyword in call.keywords)
    edit: Edit = SetKeyword(first.span, "device", code)
    if first.kind != "factory" or given or named.endswith("Tensor"):
        edit = WrapExpression(first.span, "", f".to({code})")
    return FileEdit(first.path, edit)


def _choices(facts: Facts) -> Iterator[str]:
    """Expressions that choose a device and need nothing but torch, as the program has them."""
    for path in sorted(facts.program.sources):
        source = facts.source(path)
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Assign) and _is_choice(node.value):
                yield " ".join(source.segment(source.span(node.value)).split())


def _is_choice(value: ast.expr) -> bool:
    """Whether an expression comes to a device or the name of one: a table of what there is does not."""
    chooses = isinstance(value, ast.IfExp) or (isinstance(value, ast.Call) and _is_device(value.func))
    names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    words = {node.value for node in ast.walk(value) if isinstance(node, ast.Constant)}
    asks = any(isinstance(node, ast.Attribute) and node.attr == "is_available" for node in ast.walk(value))
    return chooses and asks and names == {"torch"} and "cpu" in words


def _is_device(func: ast.expr) -> bool:
    return ast.unparse(func) == "torch.device"


def _imports_torch(tree: ast.Module) -> bool:
    imports = (node for node in tree.body if isinstance(node, ast.Import))
    return any(alias.name == "torch" and not alias.asname for node in imports for alias in node.names)
