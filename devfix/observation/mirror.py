"""Mirror: a mismatch with the devices changed over.

Most often the operand on the CPU was forgotten. But where somebody chose the CPU, by an option, say, and a
helper put something on the accelerator all the same, the other operand is the one that has to move.
"""

from __future__ import annotations

from dataclasses import replace

from devfix.observation.record import ObservedMismatch, ObservedOperand


def mirrored(one: ObservedMismatch) -> ObservedMismatch | None:
    """The mismatch as if the accelerator were the CPU and the other way round; None for more than two devices."""
    others = {operand.device for operand in one.operands} - {"cpu"}
    if one.kind != "device" or len(others) != 1:
        return None
    [accelerator] = others
    names = tuple(
        tuple((name, _changed_over(what, accelerator)) for name, what in frame) for frame in one.names
    )
    return replace(one, operands=tuple(_operand(each, accelerator) for each in one.operands), names=names)


def _operand(operand: ObservedOperand, accelerator: str) -> ObservedOperand:
    on_host = operand.device == "cpu"
    owners = tuple(replace(owner, kept=None) for owner in operand.owners)
    return replace(operand, device=accelerator if on_host else "cpu", blamed=not on_host, owners=owners)


def _changed_over(what: str, accelerator: str) -> str:
    kind, separator, rest = what.partition(":")
    device, _, sizes = rest.partition(" ")
    if device not in ("cpu", accelerator, accelerator.partition(":")[0]):
        return what
    other = accelerator if device == "cpu" else "cpu"
    return f"{kind}{separator}{other} {sizes}".rstrip()
