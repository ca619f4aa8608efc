"""Nested moves: the parts of a batch that are lists or dicts of tensors, moved at the top of the loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, InsertAtBodyStart, Operand
from devfix.placement.batches import batch_forms
from devfix.placement.batches.branching import branches_of
from devfix.placement.batches.whole_batch import is_moved_by_another, moves_parts
from devfix.placement.devices import device_expression
from devfix.placement.devices.boundness import mentions
from devfix.placement.devices.device_expression import Place
from devfix.span import Span

_MOVES = ("to", "cuda")
#: What is asked of a tensor on the host, or moves it.
_HOSTED = ("to", "cuda", "cpu", "numpy", "tolist", "item")


def at_loop(facts: Facts, place: Place, peers: list[Operand]) -> tuple[FileEdit, ...]:
    """Moves of all that the loop over the loader at ``place`` unpacks and that holds tensors, or moves them itself."""
    loop = place.outline.statement_of(place.node)
    if not isinstance(loop, (ast.For, ast.AsyncFor)):
        return ()
    nested = dict(_nested(facts, place, loop))
    found = device_expression.find(facts, Place(place.path, place.outline, loop.body[0]), peers)
    if not nested or found is None or found.code.partition(".")[0] in nested:
        return ()
    if any("mixed" in kind for kind in nested.values()) and is_moved_by_another(facts, place):
        return ()
    lines = [batch_forms.moved(kind, name, found.code) for name, kind in nested.items()]
    edit = InsertAtBodyStart(place.outline.source.span(loop), "\n".join(lines))
    return (*found.edits, FileEdit(place.path, edit))


def _nested(facts: Facts, place: Place, loop: ast.For | ast.AsyncFor) -> Iterator[tuple[str, str]]:
    """Names that the loop binds, each with the form of what it holds, always the same.

    A list under the only name is taken apart further down, where its parts move, or it moves where nothing but items are read.
    """
    whole = isinstance(loop.target, ast.Name)
    span = place.outline.source.span(loop)
    bindings = facts.bindings(place.path, place.outline.scopes(loop)[0])
    for part in in_rows(loop.target):
        if isinstance(part, ast.Name) and (moves_parts(loop, part.id) or _differs_by_branch(loop, part.id)):
            continue  # what else is in it moves in the same way; or in another run it holds no parts
        if isinstance(part, ast.Name) and mentions(loop.body, {part.id}) and not _is_moved(loop, part.id):
            kinds = {bound.kind for bound in bindings.get(part.id, ()) if bound.statement == span}
            by_item = whole and kinds == {"list"} and _is_read_by_items(facts, place, loop, part.id)
            if len(kinds) == 1 and kinds <= (
                batch_forms.PARTS if not whole else batch_forms.COLLECTIONS if by_item else batch_forms.DICTS
            ):
                yield part.id, kinds.pop()


def _differs_by_branch(loop: ast.For | ast.AsyncFor, name: str) -> bool:
    """Whether one branch reads items of a name, and another one all of it: by a switch that is the one or the other."""
    for test in (node for part in loop.body for node in in_rows(part) if isinstance(node, ast.If)):
        ways = {_reads(branch, name) for branch in branches_of(test)}
        if {True, False} <= ways:
            return True
    return False


def _reads(branch: list[ast.stmt], name: str) -> bool | None:
    """Whether statements read items of a name, and not only all of it; None if they do not read it."""
    nodes = [node for statement in branch for node in in_rows(statement)]
    reads = [
        node
        for node in nodes
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]
    items = {node.value for node in nodes if isinstance(node, ast.Subscript)}
    return any(read in items for read in reads) if reads else None


def _is_read_by_items(facts: Facts, place: Place, loop: ast.For | ast.AsyncFor, name: str) -> bool:
    """Whether all that is read of a list are several items by number, each of which meets what is on the accelerator.

    None of them gets a name, or is wanted on the host.
    """
    outline, read = place.outline, dict[int, list[ast.Subscript]]()
    for use in (use for part in loop.body for use in outline.occurrences(part, name)):
        item = outline.parents[use]
        if not (isinstance(item, ast.Subscript) and item.value is use and isinstance(item.ctx, ast.Load)):
            return False
        around = outline.parents[item]
        number = item.slice.value if isinstance(item.slice, ast.Constant) else None
        if (
            type(number) is not int
            or isinstance(around, ast.Assign)
            or getattr(around, "attr", "") in _HOSTED
        ):
            return False
        read.setdefault(number, []).append(item)
    met = _left_on_host(facts, place.path) if len(read) > 1 else set()
    return len(read) > 1 and all(
        any(outline.source.span(item) in met for item in items) for items in read.values()
    )


def _left_on_host(facts: Facts, path: str) -> set[Span]:
    """Where in a file stands what meets something on the accelerator, or was given to where it does."""
    operands = (
        operand
        for found in facts.mismatches("device")
        for operand in found.operands
        if operand.device == "cpu"
    )
    return {
        span
        for operand in operands
        for life in (operand.trail, *operand.roots)
        for where, span in ((operand.path, operand.span), *((site.path, site.span) for site in life))
        if where == path
    }


def _is_moved(loop: ast.For | ast.AsyncFor, name: str) -> bool:
    """Whether the loop's body already gives the name to what it moved, or moves all of it wherever it reads it."""
    nodes = [node for part in loop.body for node in in_rows(part)]
    reads = {id(node) for node in nodes if isinstance(node, ast.Name) and node.id == name}
    if reads and reads <= {id(walked) for node in nodes for walked in _moved_each(node)}:
        return True
    assigned = (node for part in loop.body for node in in_rows(part) if isinstance(node, ast.Assign))
    values = (a.value for a in assigned if any(isinstance(t, ast.Name) and t.id == name for t in a.targets))
    return any(
        isinstance(node, ast.Attribute) and node.attr in _MOVES for value in values for node in in_rows(value)
    )


def _moved_each(node: ast.AST) -> list[ast.expr]:
    """What a comprehension goes through, or the dict whose items it does, that moves each element or what is in it."""
    if isinstance(node, ast.DictComp):
        made: ast.expr = node.value
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        made = node.elt
    else:
        return []
    if len(node.generators) != 1 or node.generators[0].ifs:
        return []
    taken = {part.id for part in in_rows(node.generators[0].target) if isinstance(part, ast.Name)}
    func = made.func if isinstance(made, ast.Call) else None
    moved = [func.value] if isinstance(func, ast.Attribute) and func.attr in _MOVES else _moved_each(made)
    if not any(isinstance(part, ast.Name) and part.id in taken for part in moved):
        return []
    walked = node.generators[0].iter
    asked = walked.func if isinstance(walked, ast.Call) else None
    return [asked.value if isinstance(asked, ast.Attribute) and asked.attr == "items" else walked]
