"""Unpacking: one statement for each name that a batch is unpacked into, at the top of the loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import Edit, FileEdit, InsertAfter, InsertAtBodyStart
from devfix.placement.batches import batch_forms
from devfix.placement.batches.branching import with_second_try
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place
from devfix.placement.text import chains
from devfix.placement.text.dependence import dotted

_LOOPS = (ast.For, ast.AsyncFor)
_MOVES = ("to", "cuda")


def moved_at_loop(facts: Facts, place: Place, form: str) -> tuple[FileEdit, ...]:
    """Statements that move what the loader at ``place`` yields, where it gets its names.

    ``form`` says what is to be moved: ``tensor``, ``object``, ``dict``, ``list``, or the items of
    a tuple as ``0:tensor,2:dict``.
    """
    statement = place.outline.statement_of(place.node)
    if isinstance(statement, _LOOPS):
        target = _target(statement.iter, place.node, statement.target)
        return _at_names(facts, place, statement, target, form)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = _target(statement.value, place.node, statement.targets[0])
        return _at_names(facts, place, statement, target, form)
    return ()


def _target(iterated: ast.AST, loader: ast.AST, target: ast.expr) -> ast.expr | None:
    """The part of the target that gets the loader's batches, under ``enumerate``, ``zip``, ``tqdm``."""
    if iterated is loader:
        return target
    if not isinstance(iterated, ast.Call):
        return None
    name = (dotted(iterated.func) or "").rpartition(".")[2]
    for index, arg in enumerate(iterated.args):
        if not any(node is loader for node in in_rows(arg)):
            continue
        position = 1 if name == "enumerate" else index if name == "zip" else None
        inner = target if position is None else _element(target, position)
        return _target(arg, loader, inner) if inner is not None else None
    return None


def _element(target: ast.expr, index: int) -> ast.expr | None:
    if isinstance(target, (ast.Tuple, ast.List)) and index < len(target.elts):
        return target.elts[index]
    return None


def _at_names(
    facts: Facts, place: Place, statement: ast.stmt, target: ast.expr | None, form: str
) -> tuple[FileEdit, ...]:
    """The insertion after the statement, or after the one in its body that takes the batch apart."""
    after = statement
    rest = statement.body if isinstance(statement, _LOOPS) else _following(place, statement)
    if isinstance(target, ast.Name) and form not in ("tensor", "object", "dict", ""):
        apart = next((s for s in rest if _takes_apart(s, target.id)), None)
        if isinstance(apart, ast.Assign):
            after, target = apart, apart.targets[0]
            rest = rest[rest.index(apart) + 1 :]
    if target is None or not rest:
        return ()
    # What the statement itself unpacks is about to move: it tells nothing.
    above = (
        after.iter if isinstance(after, _LOOPS) else after.value if isinstance(after, ast.Assign) else after
    )
    found = device_expression.find(facts, Place(place.path, place.outline, above), [])
    if found is None:
        return ()
    names = [(name, part) for name, part in _names(target, form) if _is_read(place, statement, name)]
    moved = [(name, part) for name, part in names if not _is_moved(rest, name)]
    lines = [line for name, part in moved for line in _move(name, part, found.code)]
    if not lines:
        return ()
    after = with_second_try(place.outline, after, {name for name, _ in moved})
    span = place.outline.source.span(after)
    code = "\n".join(lines)
    edit: Edit = InsertAtBodyStart(span, code) if isinstance(after, _LOOPS) else InsertAfter(span, code)
    return (*found.edits, FileEdit(place.path, edit))


def _following(place: Place, statement: ast.stmt) -> list[ast.stmt]:
    block = place.outline.block_of(statement)
    return block[block.index(statement) + 1 :]


def _takes_apart(statement: ast.stmt, name: str) -> bool:
    """Whether a statement is ``x, y = batch``."""
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], (ast.Tuple, ast.List))
        and isinstance(statement.value, ast.Name)
        and statement.value.id == name
    )


def _names(target: ast.expr, form: str) -> Iterator[tuple[str, str]]:
    """The names that tensors end up in, and in what form."""
    if isinstance(target, ast.Name):
        yield target.id, form
    elif isinstance(target, (ast.Tuple, ast.List)):
        items = dict(item.split(":", 1) for item in form.split(",") if ":" in item)
        for index, part in enumerate(target.elts):
            inner = "tensor" if form == "list" else items.get(str(index), "")
            if isinstance(part, ast.Name) and inner:
                yield part.id, inner


def _move(name: str, form: str, device: str) -> Iterator[str]:
    if form:
        known = {"tensor": form, "object": form, "dict": "mixed dict"}.get(form, "mixed list")
        yield batch_forms.moved(known, name, device)


def _is_read(place: Place, statement: ast.stmt, name: str) -> bool:
    """Whether anything in the function, or the file, reads a name: often one stands there but to be passed over."""
    scope = place.outline.function_of(statement) or place.outline.source.tree
    return any(isinstance(node.ctx, ast.Load) for node in place.outline.occurrences(scope, name))


def _is_moved(statements: list[ast.stmt], name: str) -> bool:
    """Whether the loop moves what is behind a name by itself."""
    calls = (node for s in statements for node in in_rows(s) if isinstance(node, ast.Call))
    methods = (call.func for call in calls if isinstance(call.func, ast.Attribute))
    return any(
        method.attr in _MOVES and chains.name_of(method.value, ast.Attribute, ast.Subscript) == name
        for method in methods
    )
