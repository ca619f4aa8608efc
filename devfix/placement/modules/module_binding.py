"""Module bindings: a module whose tensor stays on the CPU moves where it gets its name, rather than where it is called."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, Mismatch, Operand, Span, WrapExpression
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place, place_at

Edits = tuple[FileEdit, ...]


def moved(facts: Facts, mismatch: Mismatch, operand: Operand) -> Edits:
    """``criterion = build(...).to(device)`` for a criterion that is called by that name, here or in another method.

    Only where that is the one statement that gives it the name, on every way to the call, where the device is chosen
    by then, and where nothing asks for it in between that does not need it there, too.
    """
    used = place_at(facts, operand.path, operand.span) if operand.path == mismatch.path else None
    bound = _binding(facts, used) if used is not None else None
    if used is None or bound is None or not _is_untouched(facts, used, bound):
        return ()
    if _is_moved_since(used, operand, bound):
        return ()
    value = bound.value
    found = device_expression.chosen(facts, Place(used.path, used.outline, value))
    if found is None:
        return ()
    wrap = WrapExpression(used.outline.source.span(value), "", f".to({found.code})")
    return (*found.edits, FileEdit(used.path, wrap))


def _binding(facts: Facts, used: Place) -> ast.Assign | None:
    """The statement that alone calls something for the name of the module that is called at a place."""
    node, outline = used.node, used.outline
    call = outline.parents.get(node)
    if (
        not isinstance(node, (ast.Name, ast.Attribute))
        or not isinstance(call, ast.Call)
        or call.func is not node
    ):
        return None
    name, scope = _known_as(used, node)
    known = facts.bindings(used.path, scope).get(name, [])
    spans = {each.statement for each in known}
    span = spans.pop() if len(spans) == 1 else None
    statement = outline.statement_at(span) if span is not None else None
    if not isinstance(statement, ast.Assign) or any(each.kind != "module" for each in known):
        return None
    targets = [ast.unparse(target) for target in statement.targets]
    alone = targets == [ast.unparse(node)] and _is_bound_once(used, statement)
    reached = alone and _is_bound_before(used, statement)
    return statement if reached and isinstance(statement.value, ast.Call) else None


def _is_moved_since(used: Place, operand: Operand, bound: ast.Assign) -> bool:
    """Whether the tensor is on the CPU by what brought it there elsewhere: a move before that would be in vain."""
    born = operand.trail[0] if operand.trail else None
    if born is None or born.kind != "move":
        return False
    statement = used.outline.source.span(bound)
    return born.path != used.path or not statement.start <= born.span.start < statement.end


def _is_bound_once(used: Place, statement: ast.Assign) -> bool:
    """Whether nothing else in the function, or the class, binds what a statement binds, seen by the analysis or not."""
    outline, name = used.outline, ast.unparse(used.node)
    around = outline.definition_of(statement) or outline.source.tree
    if isinstance(used.node, ast.Attribute):
        around = outline.definition_of(around) or around
    stores = (node for node in in_rows(around) if isinstance(node, (ast.Name, ast.Attribute)))
    return sum(isinstance(each.ctx, ast.Store) and ast.unparse(each) == name for each in stores) == 1


def _is_bound_before(used: Place, statement: ast.Assign) -> bool:
    """Whether a statement stands before the use in its function, or gives an object its attribute in another method."""
    outline, node = used.outline, used.node
    function, maker = outline.function_of(node), outline.function_of(statement)
    if maker is function:
        return outline.dominates(statement, node)
    if function is None or maker is None or not isinstance(node, ast.Attribute):
        return False
    cls = outline.class_of(function)
    return (
        maker.name == "__init__"
        and cls is not None
        and outline.class_of(maker) is cls
        and statement in maker.body
    )


def _known_as(used: Place, node: ast.Name | ast.Attribute) -> tuple[str, str]:
    """The name under which the analysis noted what a module was bound to, and the scope."""
    function = used.outline.function_of(node)
    receiver = used.outline.receiver_name(function)
    if function is not None and isinstance(node, ast.Attribute) and ast.unparse(node.value) == receiver:
        return f"self.{node.attr}", used.outline.scope(function)
    return ast.unparse(node), used.outline.scopes(node)[0]


def _is_untouched(facts: Facts, used: Place, bound: ast.Assign) -> bool:
    """Whether nothing between the binding and the use reads the name, but what fails for the same reason."""
    outline = used.outline
    function = outline.function_of(bound)
    name = ast.unparse(used.node)
    failing = {each.span for found in facts.mismatches() for each in found.operands if each.path == used.path}
    around = function if function is not None else outline.source.tree
    reads = (
        outline.source.span(node)
        for node in in_rows(around)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load)
        if ast.unparse(node) == name
    )
    first, last = outline.source.span(bound), outline.source.span(used.node)
    return all(span in failing or not _is_between(span, first, last) for span in reads)


def _is_between(span: Span, first: Span, last: Span) -> bool:
    return first.end <= span.start < last.start
