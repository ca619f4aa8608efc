"""Sibling modules: a module moves beside another one that the same function moves."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from devfix.analysis.domain.lattice import ACCELERATOR
from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, InsertAfter, Origin, Span, WrapExpression
from devfix.placement.devices import move_guards
from devfix.placement.devices.device_expression import Place
from devfix.placement.siblings.sibling_move import bindings_at, last_move, move_of, names

Edits = tuple[FileEdit, ...]


def beside(facts: Facts, site: Origin) -> Edits:
    """``net.cuda()`` after ``other.cuda()``, where ``net`` got its name at ``site``, above.

    For programs that name no device: what their author wrote for one model does for the other. Under a guard it does
    so for data as well: where the guard is not fulfilled the data stays on the CPU, and so has the model to.
    """
    outline = facts.outline(site.path)
    named = outline.expression_at(site.span) if site.kind in ("name", "attribute") else None
    if isinstance(named, ast.Attribute):
        return _beside_attribute(facts, site.path, named)
    if not isinstance(named, ast.Name) or not isinstance(outline.statement_of(named), ast.Assign):
        return ()
    moves = list(_moves(outline, outline.statement_of(named)))
    if any(other == named.id for _, other, _ in moves):
        return ()  # it is moved there already: something else is wrong
    for statement, other, suffix in moves:
        kind = _placed(facts, site.path, outline, statement, other)
        if kind and not names(suffix, named.id):
            bound = f"{named.id} = " if isinstance(statement, ast.Assign) and kind == "module" else ""
            edit = InsertAfter(outline.source.span(statement), f"{bound}{named.id}{suffix}")
            return (FileEdit(site.path, edit),)
    return _as_above(facts, site.path, named)


def in_mover(facts: Facts, site: Origin) -> Edits:
    """``self.net.to(device)`` after ``self.other.to(device)`` in the method ``to`` of the object that keeps both, and moves the one alone."""
    outline = facts.outline(site.path)
    named = outline.expression_at(site.span) if site.kind == "attribute" else None
    return _beside_attribute(facts, site.path, named, "to") if isinstance(named, ast.Attribute) else ()


def in_one_assignment(facts: Facts, site: Origin) -> Edits:
    """``net.cuda()`` in ``net, other = net, other.cuda()``, which binds each to its name again."""
    outline = facts.outline(site.path)
    named = outline.expression_at(site.span) if site.kind in ("name", "attribute") else None
    statement = outline.statement_of(named) if named is not None else None
    if named is None or not isinstance(statement, ast.Assign):
        return ()
    targets, value = statement.targets[0], statement.value
    if not isinstance(targets, ast.Tuple) or not isinstance(value, ast.Tuple):
        return ()
    pairs = [(ast.unparse(target), part) for target, part in zip(targets.elts, value.elts, strict=False)]
    own = next((part for name, part in pairs if name == ast.unparse(named) == ast.unparse(part)), None)
    moved = {name: part for name, part in pairs if ast.unparse(part) == name + (last_move(part) or "?")}
    moves = {_suffix(outline, part) for part in moved.values()}
    if own is None or len(moves) != 1:
        return ()
    if not any(_placed(facts, site.path, outline, statement, other) == "module" for other in moved):
        return ()
    return (FileEdit(site.path, WrapExpression(outline.source.span(own), "", moves.pop())),)


def _suffix(outline: Outline, move: ast.expr) -> str:
    """``.cuda(0)`` as it is written, whatever parentheses are around what is moved."""
    receiver = (
        move.func.value if isinstance(move, ast.Call) and isinstance(move.func, ast.Attribute) else move
    )
    begin, end = outline.source.span(receiver).end, outline.source.span(move).end
    return outline.source.segment(Span(*begin, *end)).lstrip(") ")


def _as_above(facts: Facts, path: str, named: ast.Name) -> Edits:
    """``net.cuda()`` at once, where one that was made above in the same block moved so, in any case."""
    outline = facts.outline(path)
    made = outline.statement_of(named)
    block = outline.block_of(made)
    for above in reversed(block[: block.index(made)]):
        moved = next((move for move in _moves_in(above) if above is move[0]), None)
        if moved is None or not moved[2].startswith(".cuda(") or names(moved[2], named.id):
            continue
        if _placed(facts, path, outline, above, moved[1]) == "module":
            bound = f"{named.id} = " if isinstance(above, ast.Assign) else ""
            edit = InsertAfter(outline.source.span(made), f"{bound}{named.id}{moved[2]}")
            return (FileEdit(path, edit),)
    return ()


def _beside_attribute(facts: Facts, path: str, named: ast.Attribute, mover: str = "") -> Edits:
    """``self.net.cuda()`` after ``self.other.cuda()``, in whichever method, where one block makes both.

    With a ``mover`` it is ``self.net.to(device)``, in the method of that name alone. What is bound to its name again, as ``self.other = self.other.cuda()``, has its like written beside it.
    """
    outline = facts.outline(path)
    made, name = outline.statement_of(named), ast.unparse(named)
    function = outline.function_of(made)
    owner = outline.class_of(function) if function is not None else None
    if not isinstance(made, ast.Assign) or owner is None or not isinstance(named.value, ast.Name):
        return ()
    together = {ast.unparse(target) for part in outline.block_of(made) for target in _targets(part)}
    moves = [
        part
        for part in in_rows(owner)
        if isinstance(part, ast.Expr | ast.Assign)
        and _moved(part, mover or "cuda")
        and _is_of_module(facts, path, part)
    ]
    if any(_moved(part) == name for part in moves):
        return ()  # it is moved there already: something else is wrong
    if mover:
        moves = [part for part in moves if getattr(outline.function_of(part), "name", "") == mover]
    later = (part for part in moves if outline.function_of(part) is not function or part.lineno > made.lineno)
    found = next((part for part in later if _moved(part) in together), None)
    if found is None:
        return ()
    last = [part for part in outline.block_of(found) if part in moves and _moved(part) in together][-1]
    bound = f"{name} = " if isinstance(last, ast.Assign) else ""
    suffix = ast.unparse(last.value)[len(_moved(last)) :]
    return (FileEdit(path, InsertAfter(outline.source.span(last), f"{bound}{name}{suffix}")),)


def _targets(statement: ast.stmt) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else []


def _moved(statement: ast.stmt, move: str = "") -> str:
    """What ``self.net.cuda()`` moves, a statement of its own or one that binds it to its name; "" for any other.

    Of the two ways to move something that is one, if that is given.
    """
    value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    func = value.func if isinstance(value, ast.Call) else None
    if (
        not isinstance(func, ast.Attribute)
        or func.attr not in ((move,) if move else ("cuda", "to"))
        or not isinstance(func.value, ast.Attribute)
    ):
        return ""
    moved = ast.unparse(func.value)
    return moved if all(ast.unparse(target) == moved for target in _targets(statement)) else ""


def _is_of_module(facts: Facts, path: str, move: ast.Expr | ast.Assign) -> bool:
    """Whether a move is one of a module: all that are statements of their own are, of the others what was bound tells."""
    if isinstance(move, ast.Expr):
        return True
    outline = facts.outline(path)
    span, function = outline.source.span(move), outline.function_of(move)
    scope = outline.scope(function) if function is not None else ""
    bindings = facts.bindings(path, scope).get(_moved(move), [])
    return {binding.kind for binding in bindings if binding.statement == span} == {"module"}


def _moves(outline: Outline, naming: ast.stmt) -> Iterator[tuple[ast.stmt, str, str]]:
    """The statements that move something by name after ``naming``, under a guard or not."""
    block = outline.block_of(naming)
    for following in block[block.index(naming) + 1 :]:
        yield from _moves_in(following)


def _moves_in(following: ast.stmt) -> Iterator[tuple[ast.stmt, str, str]]:
    for statement in (following, *(following.body if isinstance(following, ast.If) else ())):
        value = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
        suffix = move_of(value) if value is not None else ""
        other = ast.unparse(value)[: -len(suffix)] if value is not None and suffix else ""
        target = ast.unparse(statement.targets[0]) if isinstance(statement, ast.Assign) else other
        if suffix and target == other:
            yield statement, other, suffix


def _placed(facts: Facts, path: str, outline: Outline, statement: ast.stmt, name: str) -> str:
    """What a name was seen to be on the accelerator after a statement: a module (or one without parameters) or data.

    Data counts under a guard that is there for moves; "" for anything else.
    """
    span = outline.source.span(statement)
    bindings = bindings_at(facts, Place(path, outline, statement), statement, name)
    found = [binding for binding in bindings if binding.statement == span]
    kinds = {binding.kind for binding in found}
    if kinds == {"module"} and all((binding.device or ACCELERATOR).is_accelerator for binding in found):
        return "module"
    guarded = move_guards.is_guard(outline.parents[statement])
    placed = all(binding.device is not None and binding.device.is_accelerator for binding in found)
    return "tensor" if guarded and placed and kinds == {"tensor"} else ""
