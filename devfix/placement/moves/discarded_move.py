"""Discarded moves: binding the result of ``x.to(device)`` to ``x``."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text import attributes_by_name
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import own_nodes
from devfix.analysis.text.syntax import entry_of_items, in_rows
from devfix.findings import (
    Applicability,
    BindResult,
    FileEdit,
    Fix,
    Origin,
    ReplaceExpression,
    WrapExpression,
)
from devfix.origin_kinds import OF_LOOPS
from devfix.placement.moves import looped_move


def binding_fix(facts: Facts, move: Origin) -> Fix | None:
    """Makes the statement at ``move`` an assignment to what is moved."""
    if move.path not in facts.program.sources:
        return None
    outline = facts.outline(move.path)
    if move.kind in OF_LOOPS:
        return looped_move.kept(outline, move)
    statement = outline.statement_at(move.span)
    if isinstance(statement, ast.Expr) and (kept := _kept_by_name(facts, outline, statement)):
        return Fix("set the attribute to the result", kept, Applicability.SAFE)
    if isinstance(statement, ast.Assign):
        return _kept_in_entry(outline, statement)
    copied = move.text if move.kind == "discarded-copy" else ""
    receiver = copied or (_receivers(outline, statement) if isinstance(statement, ast.Expr) else "")
    if statement is None or not receiver:
        return None
    edit = BindResult(outline.source.span(statement), receiver)
    return Fix(f"bind the result to `{receiver}`", (FileEdit(move.path, edit),), Applicability.SAFE)


def _kept_by_name(facts: Facts, outline: Outline, statement: ast.Expr) -> tuple[FileEdit, ...]:
    """``setattr(self, name, value.to(device))`` where a loop goes through the attributes of an object."""
    loop = next(
        (node for node in outline.around(statement) if isinstance(node, (ast.For, ast.AsyncFor))), None
    )
    read = attributes_by_name.moved_in_vain(loop, statement)
    if read is None or loop is None:
        return ()
    if _names_fixed_property(facts, outline.class_of(outline.function_of(statement) or loop)):
        return ()
    path, name, edits = outline.source.path, ast.unparse(read.name), []
    scope = outline.function_of(statement) or outline.source.tree
    if name == "_" and _can_be_renamed(scope, "name"):
        name = "name"  # now it is used
        edits = [FileEdit(path, ReplaceExpression(outline.source.span(read.name), name))]
    prefix = f"setattr({ast.unparse(read.owner)}, {name}, "
    return (*edits, FileEdit(path, WrapExpression(outline.source.span(statement.value), prefix, ")")))


def _kept_in_entry(outline: Outline, statement: ast.Assign) -> Fix | None:
    """``batch[key] = value.to(device)`` where a loop gives the copy to the name that it has for the entry, which then holds it."""
    target = statement.targets[0]
    scope = outline.function_of(statement) or outline.source.tree
    loops = [node for node in outline.around(statement) if isinstance(node, (ast.For, ast.AsyncFor))]
    if not isinstance(target, ast.Name) or not loops:
        return None
    end = max(node.end_lineno or 0 for node in loops)
    later = (node for node in own_nodes(scope.body) if isinstance(node, ast.Name) and node.id == target.id)
    if any(node.lineno > end and isinstance(node.ctx, ast.Load) for node in later):
        return None  # there the name stands for the last copy
    code = _kept_as(outline, statement, target)
    edit = ReplaceExpression(outline.source.span(target), code)
    return Fix(f"keep the result in `{code}`", (FileEdit(outline.source.path, edit),), Applicability.SAFE)


def _can_be_renamed(scope: ast.AST, name: str) -> bool:
    """Whether nothing reads ``_``, and nothing has the name that it is to have."""
    nodes = list(in_rows(scope))
    read = any(
        isinstance(node, ast.Name) and node.id == "_" and isinstance(node.ctx, ast.Load) for node in nodes
    )
    return not read and not any(getattr(node, "id", getattr(node, "arg", "")) == name for node in nodes)


def _names_fixed_property(facts: Facts, cls: ast.ClassDef | None) -> bool:
    """Whether a text of the program is the name of a property that cannot be set, of a class or its kin, or of any."""
    nodes = [node for source in facts.program.sources.values() for node in in_rows(source.tree)]
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    kin = classes if cls is None else _kin(cls.name, classes)
    decorated = {
        (node.name, ast.unparse(each))
        for owner in kin
        for node in owner.body
        if isinstance(node, ast.FunctionDef)
        for each in node.decorator_list
    }
    fixed = {name for name, by in decorated if by == "property" and (name, f"{name}.setter") not in decorated}
    return any(isinstance(node, ast.Constant) and node.value in fixed for node in nodes)


def _kin(name: str, classes: list[ast.ClassDef]) -> list[ast.ClassDef]:
    """The classes of a name, those that they are derived from, and those derived from them, by their names."""
    bases = {each: {ast.unparse(base).rpartition(".")[2] for base in each.bases} for each in classes}
    above, below = {name}, {name}
    while more := {base for each, own in bases.items() if each.name in above for base in own} - above:
        above |= more
    while more := {each.name for each, own in bases.items() if own & below} - below:
        below |= more
    return [each for each in classes if each.name in above | below]


def _receivers(outline: Outline, statement: ast.Expr) -> str:
    """What the moves of a statement are called on; of several beside each other all."""
    parts = statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]
    found = [_receiver(outline, statement, part) for part in parts]
    return ", ".join(found) if all(found) and len(set(found)) == len(found) else ""


def _receiver(outline: Outline, statement: ast.Expr, part: ast.expr) -> str:
    if isinstance(part, ast.Name):
        return part.id  # one that stays as it is
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
        return _kept_as(outline, statement, part.func.value)
    return ""


def _kept_as(outline: Outline, statement: ast.stmt, receiver: ast.expr) -> str:
    """What keeps the tensor: what it is called, or the entry of the dict that a loop goes through."""
    text = outline.source.segment(outline.source.span(receiver))
    for part in (statement, *outline.around(statement)) if isinstance(receiver, ast.Name) else ():
        entry = entry_of_items(part, text)
        if entry is not None:
            return f"{outline.source.segment(outline.source.span(entry[0]))}[{entry[1].id}]"
    return text
