"""By hand: what to do about an observed mismatch for which no fix was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from devfix.observation.record import Made, ObservedMismatch, ObservedOperand, Place
from devfix.running import account as words
from devfix.tracebacks.advice import RULES

#: Tells whether a place is in a file that may be rewritten.
IsOwn = Callable[[Place], bool]
_MAKERS = ("factory", "random-factory")


def to_do(mismatch: ObservedMismatch, is_own: IsOwn) -> Iterator[str]:
    """What keeps a fix away, where that is known, and what somebody who knows the program can do."""
    if mismatch.sink is None:
        yield "no line of the program does this: a library does, or code that is built as text"
    elif not is_own(mismatch.sink):
        yield f"{words.where(mismatch.sink)} is none of the project's own files, which alone are rewritten"
    blamed = next((operand for operand in mismatch.operands if operand.blamed), None)
    if mismatch.kind == "device" and blamed is not None:
        yield _move(blamed, mismatch)
    rules = RULES.get(mismatch.kind, ())
    if rules:
        yield f"`devfix explain {rules[0]}` tells how such things are mended"


def _move(blamed: ObservedOperand, mismatch: ObservedMismatch) -> str:
    other = next((each.device for each in mismatch.operands if each.device != blamed.device), "the device")
    owner = next((owner for owner in blamed.owners if owner.whole), None)
    if owner is not None:
        made = f", made in {words.where(owner.made)}," if owner.made is not None else ""
        return f"move all of `{owner.path}`{made} to {other} before it is used"
    name = f"`{blamed.paths[0]}`" if blamed.paths else f"the {blamed.role}"
    made_at = next(iter(words.sources(blamed)), None)
    if made_at is None or made_at.place is None:
        return f"move {name} to {other} before this line"
    return f"{_earlier(made_at)} in {words.where(made_at.place)}, or move {name} to {other} before this line"


def _earlier(made: Made) -> str:
    """What can be done about a tensor where it comes from."""
    if made.kind in _MAKERS:
        return f"tell `{made.by}` the device"
    if made.kind == "checkpoint":
        return f"tell `{made.by}` a `map_location`"
    if made.kind == "loader":
        return "move what the loader gives"
    return f"move what `{made.by}` gives"
