"""Whole dicts: what a function returned as a dict of tensors moves as a whole where it gets its name.

Several of its entries meet what is on the accelerator, and nothing but the entries is asked for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.facts import Facts
from devfix.findings import FileEdit, InsertAfter, Operand
from devfix.placement import batch_forms, device_expression
from devfix.placement.device_expression import Place, place_at

Edits = tuple[FileEdit, ...]
#: What moves an entry by itself, or wants it on the host.
_OWN = ("to", "cuda", "numpy")
#: With fewer entries that meet what is elsewhere, each moves by itself.
_FEWEST = 2


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
    block = entry.outline.block_of(bound)
    rest = block[block.index(bound) + 1 :]
    found = device_expression.chosen(facts, Place(entry.path, entry.outline, rest[0])) if rest else None
    if found is None or found.code.partition(".")[0] == name:
        return ()
    code = batch_forms.moved("dict", name, found.code)
    return (*found.edits, FileEdit(entry.path, InsertAfter(entry.outline.source.span(bound), code)))


def _entries(facts: Facts, operand: Operand) -> Iterator[Place]:
    """The places at which the operand, or what it is computed of, is ``data["x"]``."""
    sites = [
        site for life in (operand.trail, *operand.roots) for site in reversed(life) if site.kind == "given"
    ]
    spans = [(operand.path, operand.span), *((site.path, site.span) for site in dict.fromkeys(sites))]
    for path, span in spans:
        place = place_at(facts, path, span)
        node = place.node if place is not None else None
        while isinstance(node, ast.Subscript) and not isinstance(node.value, ast.Name):
            node = node.value
        if place is not None and isinstance(node, ast.Subscript) and _is_key(node):
            yield Place(place.path, place.outline, node)


def _is_key(node: ast.Subscript) -> bool:
    return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)


def _binding(facts: Facts, entry: Place, name: str) -> ast.Assign | None:
    """The one statement that gives the name to what a call returned, always a dict of tensors, before the entry."""
    outline = entry.outline
    known = facts.bindings(entry.path, outline.scopes(entry.node)[0]).get(name, [])
    names = outline.names_in(outline.function_of(entry.node) or outline.source.tree)
    found = names.binders(name)
    bound = found[0] if len(found) == 1 and not names.headers(name) else None
    if not isinstance(bound, ast.Assign) or not isinstance(bound.value, ast.Call):
        return None
    alone = len(bound.targets) == 1 and isinstance(bound.targets[0], ast.Name)
    sure = known and all(each.kind == "dict" for each in known) and outline.dominates(bound, entry.node)
    return bound if alone and sure else None


def _is_read_by_entries(entry: Place, name: str) -> bool:
    """Whether the name is only read as ``data["x"]``, and no entry moves by itself or is replaced."""
    outline = entry.outline
    around = outline.function_of(entry.node) or outline.source.tree
    for node in ast.walk(around):
        if not isinstance(node, ast.Name) or node.id != name or not isinstance(node.ctx, ast.Load):
            continue
        whole = outline.parents[node]
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
