"""To the host: the ways to hand an accelerator's tensor to code that reads the CPU's memory."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.scope_names import binds, own_nodes, parameters_of
from devfix.analysis.torch_model.tensors.legacy_types import type_named
from devfix.findings import (
    Applicability,
    FileEdit,
    Fix,
    Mismatch,
    Operand,
    ReplaceExpression,
    WrapExpression,
)
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import argument_move, suffixes
from devfix.placement.text.naming import may_be_number
from devfix.placement.to_host import handed_copy, host_list, host_once, host_rows

_ELEMENT = "t"


def copied_to_host(facts: Facts, mismatch: Mismatch, operand: Operand) -> list[Fix]:
    """The operand's copy on the CPU; on a CPU tensor ``.cpu()`` is the identity.

    A tensor that requires grad is detached first: NumPy refuses it wherever it is. Of a list, each
    tensor is copied.
    """
    suffix = ".detach().cpu()" if mismatch.get("grad") else ".cpu()"
    outline = facts.outline(operand.path)
    node = outline.expression_at(operand.span)
    if node is None or operand.span == mismatch.sink:
        return []
    place = Place(operand.path, outline, node)
    if _is_asked_for_array(outline, node):
        edits: tuple[FileEdit, ...] = (FileEdit(place.path, WrapExpression(operand.span, "", suffix)),)
    elif mismatch.get("inside") == "rows":
        edits = host_rows.copied(facts, place, mismatch.get("columns") or "", suffix)
    elif mismatch.get("inside"):
        edits = host_list.filled_with_copies(facts, place, suffix)
        # Where a list of numbers may stand as well its items have no such method.
        if not edits and not facts.holds_numbers(place.path, operand.span):
            edits = _of_items(facts, place, suffix)
    else:
        added = suffixes.added(facts, place.outline, node, suffix)
        edits = (host_once.copied_before(facts, place, suffix) or added) if added else ()
    if not edits and not mismatch.get("inside") and may_be_number(outline, facts, node):
        edits = _where_named(facts, operand, suffix) or handed_copy.by_callers(facts, place, suffix)
    if mismatch.get("inside") == "mixed" or not edits:
        return []
    title = f"copy {'what is in ' if mismatch.get('inside') else ''}`{operand.text}` to the CPU"
    doubtful = _ends_gradient(mismatch) or _takes_lists(place, mismatch)
    return [Fix(title, edits, Applicability.UNSAFE if doubtful else Applicability.SAFE)]


def _takes_lists(place: Place, mismatch: Mismatch) -> bool:
    """Whether a function is given what a legacy constructor makes a tensor of: calls that nobody saw may give it a list."""
    function = place.outline.function_of(place.node)
    if type_named(mismatch.operation) is None or function is None or not isinstance(place.node, ast.Name):
        return False
    given = {each.arg for each in parameters_of(function) if each.annotation is None}
    return place.node.id in given and place.node.id not in {
        name for node in own_nodes(function.body) for name in binds(node)
    }


def _ends_gradient(mismatch: Mismatch) -> bool:
    """Whether what is computed with NumPy no longer reaches the parameters, where the author may have wanted it to.

    What is only shown, printed or asked to be an array goes no further.
    """
    return bool(mismatch.get("grad") and mismatch.get("inside")) and mismatch.operation.startswith("numpy.")


def _is_asked_for_array(outline: Outline, node: ast.expr) -> bool:
    """Whether it is ``node.numpy()``: whatever else a function is handed, what gets there is a tensor."""
    asked = outline.parents.get(node)
    return isinstance(asked, ast.Attribute) and asked.attr == "numpy"


def _where_named(facts: Facts, operand: Operand, suffix: str) -> tuple[FileEdit, ...]:
    """The copy where the tensor got a name, or was kept by an object, that stands for a number or an array as well."""
    site = next((each for each in reversed(operand.trail) if each.kind in ("name", "attribute")), None)
    value = argument_move.named_value(place_at(facts, site.path, site.span)) if site is not None else None
    return suffixes.added(facts, value.outline, value.node, suffix) if value is not None else ()


def _of_items(facts: Facts, place: Place, suffix: str) -> tuple[FileEdit, ...]:
    node = place.node
    if isinstance(node, ast.ListComp):
        return suffixes.added(facts, place.outline, node.elt, suffix)
    if isinstance(node, (ast.List, ast.Tuple)):
        return tuple(
            edit for item in node.elts for edit in suffixes.added(facts, place.outline, item, suffix)
        )
    if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
        return ()
    source = place.outline.source
    span = source.span(node)
    code = f"[{_ELEMENT}{suffix} for {_ELEMENT} in {source.segment(span)}]"
    return (FileEdit(place.path, ReplaceExpression(span, code)),)
