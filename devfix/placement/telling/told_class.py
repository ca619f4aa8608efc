"""Told classes: a plain class that makes tensors when an object is made is told the device, where the program gets one."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import AddParameter, Edit, FileEdit, Origin, SetKeyword, WrapExpression
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import DeviceExpression, Place, place_at
from devfix.placement.moves.drawing import filled_at_random
from devfix.placement.telling.device_argument import takes_no_device
from devfix.placement.text.provenance import MADE

Trail = tuple[Origin, ...]
Edits = tuple[FileEdit, ...]
#: What the class is told, and what it is by default.
NAME = "device"
HOST = '"cpu"'
#: With fewer uses that fail, the tensor moves where it is used.
_FEWEST = 2


def told(facts: Facts, trails: Iterable[Trail]) -> Edits:
    """``def __init__(self, steps, device="cpu")``, ``torch.ones(steps, device=device)`` and ``Schedule(9, device=device)``.

    Where all the values are made in the constructor of one such class, and kept, and meet others in several places.
    """
    lives = list(trails) if facts.program.adopts else []
    makers = {_maker(facts, life) for life in lives if _is_kept(life)}
    maker = makers.pop() if len(makers) == 1 else None
    cls = maker[0].class_of(maker[1]) if maker is not None else None
    if maker is None or cls is None:
        return ()
    outline, function = maker
    # What is kept is computed from what has no name of its own: that is made there as well.
    if not all(_is_kept(life) or _is_within(facts, life[0], function) for life in lives):
        return ()
    made = _missed(facts, outline, function)
    given = _given(facts, cls) if made else None
    if given is None:
        return ()
    path, span = outline.source.path, outline.source.span(function)
    own = [FileEdit(path, edit) for site in made for edit in on_device(outline, site)]
    return (*given, FileEdit(path, AddParameter(span, NAME, HOST)), *own)


def _maker(facts: Facts, life: Trail) -> tuple[Outline, ast.FunctionDef] | None:
    """The constructor of a class of its own that makes, or computes, what an object keeps."""
    made = life[0].kind in (*MADE, "result")
    place = place_at(facts, life[0].path, life[0].span) if made else None
    function = place.outline.function_of(place.node) if place is not None else None
    cls = place.outline.class_of(function) if place is not None and function is not None else None
    if (
        place is None
        or not isinstance(function, ast.FunctionDef)
        or cls is None
        or function.name != "__init__"
    ):
        return None
    plain = not (cls.bases or cls.keywords or cls.decorator_list or function.decorator_list)
    return (place.outline, function) if plain and not knows(function) else None


def _is_kept(life: Trail) -> bool:
    return any(site.kind == "attribute" for site in life)


def knows(function: ast.AST) -> bool:
    """Whether the constructor has something of that name."""
    parts = in_rows(function)
    return any(NAME in (getattr(part, "id", ""), getattr(part, "arg", "")) for part in parts)


def _missed(facts: Facts, outline: Outline, maker: ast.FunctionDef) -> list[Origin]:
    """The factory calls of a constructor whose tensors meet what is on the accelerator, in methods of the class as well.

    None where one place alone has them, or where the object only keeps for others what they move by themselves.
    """
    made: dict[Origin, None] = {}
    sinks, within = set(), f"{outline.scope(maker)}."
    own = False
    for mismatch in facts.mismatches("device"):
        for operand in mismatch.operands if mismatch.path in facts.program.sources else ():
            lives = (operand.trail, *operand.roots) if operand.device == "cpu" else ()
            found = [life[0] for life in lives if life and life[0].kind in MADE]
            found = [site for site in found if _is_within(facts, site, maker)]
            sinks |= {mismatch.sink} if found else set()
            scope = mismatch.get("scope") or ""
            own |= bool(found) and mismatch.path == outline.source.path and scope.startswith(within)
            made.update(dict.fromkeys(found))
    return list(made) if own and len(sinks) >= _FEWEST else []


def _is_within(facts: Facts, site: Origin, function: ast.AST) -> bool:
    place = place_at(facts, site.path, site.span)
    return place is not None and place.outline.function_of(place.node) is function


def _given(facts: Facts, cls: ast.ClassDef) -> Edits | None:
    """The one call of the class names the device; None where there is not one call, or other uses of the class."""
    named = [use for path in facts.program.sources for use in uses(facts.outline(path), cls.name)]
    call = named[0].outline.parents[named[0].node] if len(named) == 1 else None
    if not isinstance(call, ast.Call) or call.func is not named[0].node:
        return None
    place = Place(named[0].path, named[0].outline, call)
    return handed(place, device_expression.chosen(facts, place)) or None


def handed(place: Place, found: DeviceExpression | None) -> Edits:
    """A call names the device; nothing where it does, is given keywords that nobody sees, or there is no device."""
    call = place.node
    if found is None or not isinstance(call, ast.Call):
        return ()
    if any(keyword.arg in (NAME, None) for keyword in call.keywords):
        return ()
    return (*found.edits, FileEdit(place.path, SetKeyword(place.outline.source.span(call), NAME, found.code)))


def uses(outline: Outline, name: str) -> Iterator[Place]:
    """Where a class or function is named, but where it is imported, and where it says of what kind something is."""
    for node in outline.mentions(name):
        if is_use(outline, node):
            yield Place(outline.source.path, outline, node)


def is_use(outline: Outline, node: ast.AST) -> bool:
    """Whether a class or function is named to be used, and not to say of what kind something is."""
    return isinstance(node, (ast.Name, ast.Attribute)) and not _tells_kind(outline, node)


def _tells_kind(outline: Outline, node: ast.AST) -> bool:
    """Whether a name is part of an annotation, or what ``isinstance`` asks for."""
    while not isinstance(node, ast.stmt) and node in outline.parents:
        around = outline.parents[node]
        if node in (getattr(around, "annotation", None), getattr(around, "returns", None)):
            return True
        if isinstance(around, ast.Call):
            return getattr(around.func, "id", "") == "isinstance" and node in around.args[1:]
        node = around
    return False


def on_device(outline: Outline, made: Origin) -> Iterator[Edit]:
    """The call makes its tensor on the device, or it is drawn as before and moves."""
    call = outline.expression_at(made.span)
    if not isinstance(call, ast.Call):
        return
    drawn = filled_at_random(outline, call)
    if drawn is not None or made.kind == "random-factory" or takes_no_device(outline, call):
        yield WrapExpression(outline.source.span(drawn or call), "", f".to({NAME})")
    else:
        yield SetKeyword(made.span, NAME, NAME)
