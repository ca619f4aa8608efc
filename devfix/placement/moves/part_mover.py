"""Part movers: a method that makes an object anew with its parts moved moves a part that it left, too."""

from __future__ import annotations

import ast
from dataclasses import replace

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.torch_model.loading import part_movers
from devfix.analysis.torch_model.loading.part_movers import Rebuilt
from devfix.findings import (
    Edit,
    FileEdit,
    InsertAfter,
    Operand,
    Origin,
    ReplaceExpression,
    SetKeyword,
    WrapExpression,
)
from devfix.placement.devices.device_expression import Place, place_at
from devfix.placement.moves import declared_parts, named_parts

Edits = tuple[FileEdit, ...]
#: How a collection moves, which goes by the name of ``{0}`` and whose tensors move by ``{1}``.
_COLLECTIONS = {
    part_movers.LEFT_IN["list"]: "[part{1} for part in {0}]",
    part_movers.LEFT_IN["tuple"]: "tuple(part{1} for part in {0})",
    part_movers.LEFT_IN["dict"]: "{{key: part{1} for key, part in {0}.items()}}",
}


def completed(facts: Facts, operand: Operand) -> Edits:
    """``edges=self.edges.to(device)`` beside ``x=self.x.to(device)``, for each part that the operand goes back to.

    Nothing unless each of them was left in this way.
    """
    own = any(map(part_movers.is_left, operand.trail))
    ways = [_of_life(facts, life) for life in dict.fromkeys((operand.trail,) if own else operand.roots)]
    return tuple(dict.fromkeys(edit for way in ways for edit in way)) if all(ways) else ()


def _of_life(facts: Facts, life: tuple[Origin, ...]) -> Edits:
    left = next((site for site in reversed(life) if part_movers.is_left(site)), None)
    place = place_at(facts, left.path, left.span) if left is not None else None
    if left is not None and place is not None and named_parts.is_names(place):
        return () if facts.is_leaf(life[0]) else named_parts.with_one_more(facts, place, left.text)
    statement = place.outline.statement_of(place.node) if place is not None else None
    around = place.outline.around(place.node) if place is not None else ()
    giving = next((each for each in around if isinstance(each, ast.Yield)), statement)
    if left is None or place is None or not isinstance(giving, (ast.Return, ast.Assign, ast.Yield)):
        return ()
    rebuilt = part_movers.of(giving)
    if rebuilt is not None:
        if place.node is rebuilt.call and not declared_parts.has(facts, place, rebuilt.receiver, left.text):
            return ()
        return (FileEdit(place.path, _edit(place.outline, place.node, left, rebuilt)),)
    if not isinstance(giving, ast.Assign) or facts.is_leaf(life[0]):
        return ()  # an optimizer would have the leaf, and the object what was moved
    return _beside(facts, place, giving, left)


def _beside(facts: Facts, place: Place, statement: ast.Assign, left: Origin) -> Edits:
    """After the last part that an object moves by itself this one moves as that does."""
    after = _last(facts, place, statement, left)
    if after is None:
        return ()
    source = place.outline.source
    target = source.segment(source.span(statement.targets[0]))
    suffix = source.segment(source.span(statement.value))[len(target) :]
    part = _named(place.outline, statement.targets[0], left.text)
    code = f"{part} = {_moved(left, part, suffix)}"
    if _may_be_missing(after.outline, after.node, left.text):
        code = f"if {part} is not None:\n    {code}"
    return (FileEdit(after.path, InsertAfter(after.outline.source.span(after.node), code)),)


def _last(facts: Facts, place: Place, statement: ast.Assign, left: Origin) -> Place | None:
    """The statement after which a part moves that was left when another one moved.

    What only objects of a derived class have moves in that, after it has had its base move the others.
    """
    target = statement.targets[0]
    own = not isinstance(target, ast.Attribute) or declared_parts.has(
        facts, place, ast.unparse(target.value), left.text
    )
    return replace(place, node=statement) if own else declared_parts.after_base(facts, place, left.text)


def _moved(left: Origin, part: str, suffix: str) -> str:
    """What moves a part, or all that a collection holds which was left."""
    form = _COLLECTIONS.get(left.kind, "{0}{1}")
    return form.format(part, suffix)


def _named(outline: Outline, like: ast.expr, name: str) -> str:
    """The part of that name beside another one, written as that is: ``batch["y"]`` beside ``batch["x"]``."""
    text = outline.source.segment(outline.source.span(like))
    if not isinstance(like, ast.Subscript):
        return f"{text.rpartition('.')[0]}.{name}"
    key = outline.source.segment(outline.source.span(like.slice))
    quote = key[-1] if key[-1:] in ("'", '"') else ""
    return f"{outline.source.segment(outline.source.span(like.value))}[{quote}{name}{quote}]"


def _edit(outline: Outline, node: ast.AST, left: Origin, rebuilt: Rebuilt) -> Edit:
    """The part moves as the first one does that moves; one that may be missing only where it is there."""
    source = outline.source
    like = rebuilt.moved[0].node
    whole = source.segment(source.span(outline.parents[outline.parents[like]]))
    suffix = whole[len(source.segment(source.span(like))) :]
    named = f"{rebuilt.receiver}.{left.text}"
    part = named if node is rebuilt.call else source.segment(source.span(node))
    code = _moved(left, part, suffix)
    kept = node is rebuilt.call or isinstance(node, ast.Attribute)
    optional = kept and _may_be_missing(outline, node, left.text)
    if optional:
        code = f"{code} if {part} is not None else None"
    if node is rebuilt.call:
        return SetKeyword(source.span(node), left.text, code)
    if optional or left.kind in _COLLECTIONS:
        return ReplaceExpression(source.span(node), code)
    return WrapExpression(source.span(node), "", suffix)


def _may_be_missing(outline: Outline, node: ast.AST, name: str) -> bool:
    """Whether the class around says of a field that it may be None."""
    function = outline.function_of(node)
    cls = outline.class_of(function) if function is not None else None
    return declared_parts.may_be_missing(cls, name)
