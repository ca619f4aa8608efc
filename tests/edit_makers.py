"""Edits for tests, placed by the piece of text they are about."""

from __future__ import annotations

from collections.abc import Callable

from devfix.findings import (
    BindResult,
    DeleteStatement,
    DropCall,
    Edit,
    InsertAfter,
    InsertAtBodyStart,
    InsertBefore,
    MoveStatement,
    RemoveKeyword,
    ReplaceExpression,
    SetKeyword,
    Span,
    WrapExpression,
)
from devfix.rewrite import apply_edits

#: Makes an edit of the text it is given.
Maker = Callable[[str], Edit]


def place(text: str, part: str, number: int = 0) -> Span:
    """The span of an occurrence of ``part``; lines end with ``\\n`` or ``\\r\\n``."""
    start = -1
    for _ in range(number + 1):
        start = text.index(part, start + 1)
    return Span(*_position(text, start), *_position(text, start + len(part)))


def _position(text: str, offset: int) -> tuple[int, int]:
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1)


def edited(text: str, *edits: Maker | Edit) -> str:
    """The text after the edits."""
    return apply_edits(text, [edit(text) if callable(edit) else edit for edit in edits])


def wrap(part: str, prefix: str = "", suffix: str = "", number: int = 0) -> Maker:
    return lambda text: WrapExpression(place(text, part, number), prefix, suffix)


def replace(part: str, code: str, number: int = 0) -> Maker:
    return lambda text: ReplaceExpression(place(text, part, number), code)


def keyword(part: str, name: str, value: str, number: int = 0) -> Maker:
    return lambda text: SetKeyword(place(text, part, number), name, value)


def no_keyword(part: str, name: str, number: int = 0) -> Maker:
    return lambda text: RemoveKeyword(place(text, part, number), name)


def drop(part: str, number: int = 0) -> Maker:
    return lambda text: DropCall(place(text, part, number))


def bind(part: str, target: str, number: int = 0) -> Maker:
    return lambda text: BindResult(place(text, part, number), target)


def before(part: str, code: str, number: int = 0) -> Maker:
    return lambda text: InsertBefore(place(text, part, number), code)


def after(part: str, code: str, number: int = 0) -> Maker:
    return lambda text: InsertAfter(place(text, part, number), code)


def top(part: str, code: str, number: int = 0) -> Maker:
    return lambda text: InsertAtBodyStart(place(text, part, number), code)


def delete(part: str, number: int = 0) -> Maker:
    return lambda text: DeleteStatement(place(text, part, number))


def move_after(part: str, target: str) -> Maker:
    return lambda text: MoveStatement(place(text, part), after=place(text, target))


def move_before(part: str, target: str) -> Maker:
    return lambda text: MoveStatement(place(text, part), before=place(text, target))
