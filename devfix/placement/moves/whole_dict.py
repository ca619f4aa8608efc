"""Whole dicts: what a function returned as a dict of tensors moves as a whole where it gets its name.

Several of its entries meet what is on the accelerator, and nothing but the entries is asked for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import positional_of
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, InsertAfter, Operand
from devfix.placement.batches import batch_forms
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place, place_at

Edits = tuple[FileEdit, ...]
#: What moves an entry by itself, or wants it on the host.
_OWN = ("to", "cuda", "numpy")
#: With fewer entries that meet what is elsewhere, each moves by itself.
_FEWEST = 2
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
#: How many functions hand the dict on.
_MAX_DEPTH = 2


def moved(facts: Facts, operand: Operand) -> Edits:
    """``data = {k: v.to(device) for k, v in data.items()}`` after ``data = load()``."""
    entry = next(_entries(facts, operand), None)
    if (
        entry is None
        or not isinstance(entry.node, ast.Subscript)
        or not isinstance(entry.node.value, ast.Name)
    ):
        return ()
    name = entry.node.value.id
    bound = _binding(facts, entry, name)
    if bound is None or not _is_read_by_entries(entry, name) or not _are_several(facts, entry, name):
        return ()
    return moved_after(facts, entry, bound, name)


def moved_after(facts: Facts, place: Place, bound: ast.stmt, name: str) -> Edits:
    """The move of a dict of tensors behind the statement, near a place, that gives it its name; nothing where no device is in sight."""
    block = place.outline.block_of(bound)
    rest = block[block.index(bound) + 1 :]
    found = device_expression.chosen(facts, Place(place.path, place.outline, rest[0])) if rest else None
    if found is None or found.code.partition(".")[0] == name:
        return ()
    code = batch_forms.moved("dict", name, found.code)
    return (*found.edits, FileEdit(place.path, InsertAfter(place.outline.source.span(bound), code)))


def _entries(facts: Facts, operand: Operand) -> Iterator[Place]:
    """The places at which the operand, or what it is computed of, is ``data["x"]``."""
    sites = [
        site
        for life in (operand.trail, *operand.roots)
        for site in reversed(life)
        if site.kind in ("given", "result")
    ]
    spans = [(operand.path, operand.span), *((site.path, site.span) for site in dict.fromkeys(sites))]
    for path, span in spans:
        place = place_at(facts, path, span)
        for node in _computed_of(place.node) if place is not None else ():
            if place is not None and isinstance(node.value, ast.Name) and _is_key(node):
                yield Place(place.path, place.outline, node)


def _computed_of(node: ast.AST) -> Iterator[ast.Subscript]:
    """The items of which an expression takes items, calls methods or computes, without what it gives these."""
    if isinstance(node, ast.BinOp):
        yield from _computed_of(node.left)
        yield from _computed_of(node.right)
    elif isinstance(node, ast.UnaryOp):
        yield from _computed_of(node.operand)
    elif isinstance(node, ast.Subscript):
        yield node
        yield from _computed_of(node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        yield from _computed_of(node.func.value)
    elif isinstance(node, ast.Attribute):
        yield from _computed_of(node.value)


def _is_key(node: ast.Subscript) -> bool:
    return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)


def _binding(facts: Facts, entry: Place, name: str) -> ast.Assign | None:
    """The statement that gives the name to what a call returned, always a dict of tensors, before the entry."""
    outline = entry.outline
    known = facts.bindings(entry.path, outline.scopes(entry.node)[0]).get(name, [])
    names = outline.names_in(outline.function_of(entry.node) or outline.source.tree)
    bound = None if names.headers(name) else _last(outline, names.binders(name), entry.node)
    if not isinstance(bound, ast.Assign) or not isinstance(bound.value, ast.Call):
        return None
    target = bound.targets[0] if len(bound.targets) == 1 else None
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    named = any(isinstance(part, ast.Name) and part.id == name for part in parts)
    sure = known and all(each.kind == "dict" for each in known) and outline.dominates(bound, entry.node)
    return bound if named and sure else None


def _last(outline: Outline, binders: Sequence[ast.stmt], node: ast.AST) -> ast.stmt | None:
    """The statement among those that bind a name whose value it has at a node; None where that is not certain."""
    around = list(outline.around(node))
    before = [each for each in binders if each.lineno <= getattr(node, "lineno", 0) and each not in around]
    last = max(before, key=lambda each: each.lineno, default=None)
    if last is None or len(binders) == 1:
        return last
    outer = list(outline.around(last))
    loops = [each for each in around if isinstance(each, _LOOPS) and each not in outer]
    # A further round of a loop that begins behind the statement may come with the value of another one.
    again = any(each is not last and loop in outline.around(each) for each in binders for loop in loops)
    return last if not again and outline.dominates(last, node) else None


def _is_read_by_entries(entry: Place, name: str) -> bool:
    """Whether the name is only read as ``data["x"]``, and no entry moves by itself or is replaced.

    A function of the file that is given the dict reads it in the same way.
    """
    return _reads_entries(entry.outline, entry.outline.function_of(entry.node), name, _MAX_DEPTH)


def _reads_entries(outline: Outline, function: ast.AST | None, name: str, depth: int) -> bool:
    for node in in_rows(function or outline.source.tree):
        if not isinstance(node, ast.Name) or node.id != name or not isinstance(node.ctx, ast.Load):
            continue
        whole = outline.parents[node]
        if isinstance(whole, ast.Call) and node in whole.args and depth:
            given = _given_to(outline, whole, node)
            if given is None or not _reads_entries(outline, *given, depth - 1):
                return False
            continue
        if (
            not isinstance(whole, ast.Subscript)
            or whole.value is not node
            or not isinstance(whole.ctx, ast.Load)
        ):
            return False
        asked = outline.parents[whole]
        if not _is_key(whole) or (isinstance(asked, ast.Attribute) and asked.attr in _OWN):
            return False
    return True


def _given_to(outline: Outline, call: ast.Call, argument: ast.expr) -> tuple[ast.AST, str] | None:
    """The function of the file, or method of the same class, that a call means for certain, and what it calls an argument."""
    if any(isinstance(each, ast.Starred) for each in call.args):
        return None
    around = outline.function_of(call)
    method = call.func.attr if isinstance(call.func, ast.Attribute) else None
    cls = outline.class_of(around) if around is not None else None
    receiver = outline.receiver_name(around) if around is not None else None
    if method is not None and cls is not None and receiver is not None:
        name = method if ast.unparse(call.func) == f"{receiver}.{method}" else ""
        body, skipped = cls.body, 1
    else:
        name, body, skipped = getattr(call.func, "id", ""), outline.source.tree.body, 0
    found = [each for each in body if getattr(each, "name", None) == name]
    function = found[0] if len(found) == 1 else None
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return None
    parameters = positional_of(function)[skipped + call.args.index(argument) :]
    if not parameters or len(outline.names_in(function).binders(parameters[0].arg)) > 0:
        return None
    return function, parameters[0].arg


def _are_several(facts: Facts, entry: Place, name: str) -> bool:
    """Whether several entries meet what is on the accelerator."""
    keys = {
        place.node.slice.value
        for mismatch in facts.mismatches("device")
        for operand in mismatch.operands
        if operand.device == "cpu"
        for place in _entries(facts, operand)
        if isinstance(place.node, ast.Subscript) and isinstance(place.node.slice, ast.Constant)
        if place.path == entry.path and ast.unparse(place.node.value) == name
    }
    return len(keys) >= _FEWEST
