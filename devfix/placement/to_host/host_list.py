"""Host lists: a list that nobody but the host reads is filled with copies, and not copied wherever it is read."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import FileEdit, Span
from devfix.placement.devices.device_expression import Place
from devfix.placement.moves import suffixes
from devfix.placement.text.dependence import dotted

Edits = tuple[FileEdit, ...]


def filled_with_copies(facts: Facts, place: Place, suffix: str) -> Edits:
    """``losses.append(loss.cpu())``, where all else that is done with ``losses`` is to hand it to NumPy, or to count it.

    Nothing where somebody else may get the list, or where more than one statement adds to it.
    """
    outline = place.outline
    read = {m.operands[0].span for m in facts.mismatches("numpy") if m.path == place.path and m.get("inside")}
    added: list[ast.expr] = []
    is_made = False
    for node in _occurrences(facts, place):
        made = _made(outline, node)
        given = made.elt if isinstance(made, ast.ListComp) else _added(facts, outline, node)
        is_made |= made is not None
        if given is not None:
            added.append(given)
        elif made is None and not _is_on_host(outline, node, read):
            return ()
    return suffixes.added(facts, outline, added[0], suffix) if is_made and len(added) == 1 else ()


def appended(facts: Facts, place: Place) -> list[ast.expr]:
    """What a list is filled with, in the code that may: ``(epoch, loss)`` of ``history.append((epoch, loss))``."""
    outline = place.outline
    given: list[ast.expr | None] = []
    for node in _occurrences(facts, place):
        made = _made(outline, node)
        given.append(made.elt if isinstance(made, ast.ListComp) else _added(facts, outline, node))
    return [each for each in given if each is not None]


def _occurrences(facts: Facts, place: Place) -> list[ast.expr]:
    """Where a list is named: in the code that binds the name, or of an attribute in the class; none where others may, too."""
    node, outline = place.node, place.outline
    function = outline.function_of(node)
    if isinstance(node, ast.Name):
        is_local = function is not None and node.id in outline.names_in(function).bound
        scope = function if function is not None and is_local else outline.source.tree
        return list(outline.occurrences(scope, node.id))
    cls = outline.class_of(function) if function is not None else None
    if not isinstance(node, ast.Attribute) or cls is None:
        return []
    name = dotted(node)
    found: list[ast.expr] = [
        each for each in ast.walk(cls) if isinstance(each, ast.Attribute) and dotted(each) == name
    ]
    is_own = name == f"{outline.receiver_name(function)}.{node.attr}"
    everywhere = sum(source.text.count(f".{node.attr}") for source in facts.program.sources.values())
    return found if is_own and everywhere == len(found) else []


def _made(outline: Outline, node: ast.expr) -> ast.expr | None:
    """What makes the list where it gets its name: an empty display, or a comprehension; None for any other place."""
    statement = outline.parents[node]
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    if value is None or value is node:
        return None
    return value if isinstance(value, ast.ListComp) or ast.unparse(value) in ("[]", "list()") else None


def _added(facts: Facts, outline: Outline, node: ast.expr) -> ast.expr | None:
    """``loss`` of ``losses.append(loss)``, and of ``losses.extend(loss)`` where that is a tensor."""
    method = outline.parents[node]
    call = outline.parents[method]
    if not isinstance(method, ast.Attribute) or not isinstance(call, ast.Call) or len(call.args) != 1:
        return None
    given = call.args[0]
    if method.attr == "extend" and isinstance(given, ast.Name):
        bindings = facts.bindings(outline.source.path, outline.scopes(node)[0]).get(given.id, [])
        return given if bindings and all(each.kind == "tensor" for each in bindings) else None
    return given if method.attr == "append" else None


def _is_on_host(outline: Outline, node: ast.expr, read: set[Span]) -> bool:
    """Whether NumPy is handed the list, or nothing is asked but how long it is."""
    if outline.source.span(node) in read:
        return True
    asker = outline.parents[node]
    if isinstance(asker, ast.Call):
        return getattr(asker.func, "id", "") == "len"
    return isinstance(asker, (ast.If, ast.While, ast.IfExp)) and asker.test is node
