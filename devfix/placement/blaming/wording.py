"""Wording: what a tired person needs to read about a mismatch."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterable, Iterator

from devfix.analysis.torch_model.names import is_in_place
from devfix.findings import OF_DTYPES, Mismatch, Note, Operand, Origin, Span
from devfix.origin_kinds import DISCARDED
from devfix.placement.blaming.causes import Trail, misplaced

_SPOKEN = {
    "factory": "is made here, on the CPU",
    "random-factory": "is drawn here, on the CPU",
    "loader": "hands out its batches here, on the CPU",
    "array": "comes from NumPy here",
    "numpy": "is made of an array here, on the CPU",
    "move": "moves here",
    "all-moved": "moves here",
    "cast": "is cast here",
    "module": "is constructed here",
    "tokenizer": "comes out of the tokenizer here, on the CPU",
    "checkpoint": "is loaded here",
    "host-checkpoint": "is loaded to the CPU here",
    "replaced": "becomes the data of a parameter here",
    "assigned": "takes over what was loaded, where that is",
    "attribute": "is stored here",
    "module-attribute": "is stored here as a plain attribute, which `Module.to` does not move",
    **dict.fromkeys(
        ("left-tuple", "left-namedtuple", "left-list", "left-dict", "left-mapping", "left-dataclass"),
        "is handed on as it is here, where batches of other forms move",
    ),
    "left-part": "is handed on as it is here, where other parts move",
    "used-before": "uses the accelerator before the process starts",
    "used-in-process": "uses it in the process",
    **dict.fromkeys(DISCARDED, "is moved here, but the result is thrown away"),
    "discarded-copy": "is in what is moved here as a copy, which is thrown away",
}


#: What makes a tensor where it is to be, which may be the accelerator.
_MADE = ("factory", "random-factory", "numpy")
#: Kinds of mismatch in which nothing is met: what is made cannot be made.
_ALONE = ("legacy-constructor", "device-string")
#: Where a dtype comes from, in the same words without a device.
_GIVES_DTYPE = {
    "factory": "is made here",
    "random-factory": "is drawn here",
    "array": "comes from NumPy here",
    "numpy": "is made of an array here",
    "cast": "is cast here",
    "tokenizer": "comes out of the tokenizer here",
    "checkpoint": "is loaded here",
    "host-checkpoint": "is loaded here",
}
#: A move at the end of a text that says where to: ``x.cpu()``, ``x.to("cuda:0")``.
_TOLD_DEVICE = re.compile(r"""\.(?:(cpu|cuda)\(|to\((?:device=)?["'](cpu|cuda)\b)[^()]*\)$""")


def device_name(device: str | None) -> str:
    """A device as a person says it."""
    if device == "cpu":
        return "the CPU"
    # Which one nobody knows where a program writes its number into a text.
    return "the accelerator" if device in ("cuda", "cuda:?", "same-as") else str(device)


def named(mismatch: Mismatch, operand: Operand) -> str:
    """An operand by name; what stands in one list with the operand that it meets has none of its own."""
    text = f"`{spoken(operand)}`"
    return f"one of {text}" if _stand_together(mismatch, operand) else text


def others(mismatch: Mismatch, operand: Operand) -> str:
    """What an operand meets on the accelerator, by name: a module's parameters are its module's."""
    if _stand_together(mismatch, operand):
        return "another of them"
    names = [
        owned(mismatch, other) for other in _on_accelerator(mismatch, operand) if other.text != operand.text
    ]
    return " and ".join(dict.fromkeys(names[:2])) or "a tensor"


def _on_accelerator(mismatch: Mismatch, operand: Operand) -> list[Operand]:
    return [
        other for other in mismatch.operands if other is not operand and other.device not in ("cpu", None)
    ]


def _stand_together(mismatch: Mismatch, operand: Operand) -> bool:
    """Whether all that an operand meets stands in the same list: ``torch.stack(parts)``."""
    met = _on_accelerator(mismatch, operand)
    return bool(met) and all((other.span, other.role) == (operand.span, operand.role) for other in met)


def spoken(operand: Operand) -> str:
    """What a person calls an operand: ``s.mul_(x)`` is still ``s``."""
    if "_(" not in operand.text:
        return operand.text  # nothing in it writes in place
    try:
        node = ast.parse(operand.text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return operand.text  # it is cut short, or goes over lines
    receiver = node
    while (
        isinstance(receiver, ast.Call)
        and isinstance(receiver.func, ast.Attribute)
        and is_in_place(receiver.func.attr)
    ):
        receiver = receiver.func.value
    return operand.text if receiver is node else ast.unparse(receiver)


def owned(mismatch: Mismatch, operand: Operand) -> str:
    """An operand by name: a module's parameters are its module's."""
    return f"the parameters of `{operand.text}`" if _is_module(mismatch, operand) else f"`{operand.text}`"


def _is_module(mismatch: Mismatch, operand: Operand) -> bool:
    if operand.role != "weight":
        return False
    library, _, name = mismatch.operation.rpartition(".")
    is_layer = library == "torch.nn" and name[:1].isupper() and not name.endswith("Loss")
    return mismatch.get("module") is not None or (is_layer and mismatch.kind in OF_DTYPES)


def operand_marks(mismatch: Mismatch) -> tuple[Note, ...]:
    """The operands to underline, each with where it is."""
    if mismatch.kind in _ALONE:
        return ()
    return tuple(
        Note(operand.path, operand.span, _state(mismatch, operand))
        for operand in mismatch.operands
        if operand.device is not None or operand.dtype is not None
    )


def focus(mismatch: Mismatch, path: str, span: Span) -> Span | None:
    """The operand to blame, if it stands in a region: more of that need not be underlined."""
    operand = misplaced(mismatch)
    stands_there = operand is not None and operand.path == path and span.contains(operand.span)
    return operand.span if operand is not None and stands_there else None


def _state(mismatch: Mismatch, operand: Operand) -> str:
    """Where an operand is, or its dtype where that is what matters."""
    role = "parameters" if _is_module(mismatch, operand) else operand.role
    if operand.dtype is not None and (operand.device is None or mismatch.kind in OF_DTYPES):
        return f"{role}: {operand.dtype}"
    return f"{role}: on {device_name(operand.device)}"


def life(mismatch: Mismatch) -> tuple[Note, ...]:
    """Where each operand came from."""
    if mismatch.kind in _ALONE:
        return ()
    if mismatch.kind in OF_DTYPES:
        told = (_life_of_dtype(mismatch, operand) for operand in mismatch.operands)
    else:
        told = (_life_of_device(operand) for operand in mismatch.operands)
    return tuple(dict.fromkeys(note for notes in told for note in notes))


def _life_of_device(operand: Operand) -> Iterator[Note]:
    """Where an operand was made, if it is on the CPU, and where it moved."""
    hosted = operand.device in ("cpu", None)
    for trail in (operand.trail, *operand.roots):
        last = max((number for number, site in enumerate(trail) if site.kind == "move"), default=None)
        for number, site in enumerate(trail):
            if site.kind == "move" and trail is not operand.trail and _leads_elsewhere(site, hosted=hosted):
                continue
            if number == last and operand.device is not None:
                yield _note(site, f"moves to {device_name(operand.device)} here")
            elif site.kind in _SPOKEN and (hosted or site.kind == "move"):
                yield _note(site, _SPOKEN[site.kind])
    if hosted:
        yield from _of_weights(operand)
    else:
        yield from _made_there(operand)


def _leads_elsewhere(move: Origin, *, hosted: bool) -> bool:
    """Whether a move that something has behind it by now says by itself that it leads to the other side."""
    told = _TOLD_DEVICE.search(move.text)
    return told is not None and ((told[1] or told[2]) == "cpu") is not hosted


def _of_weights(operand: Operand) -> Iterator[Note]:
    """Where something was made of a module's weights, which it does not follow when they move."""
    made = next(iter(operand.trail), None)
    if made is not None and made.kind == "result" and any(root[0].kind == "module" for root in operand.roots):
        yield _note(made, "is made of its weights here")


def _made_there(operand: Operand) -> Iterator[Note]:
    """Where an operand that never moved was made on the accelerator, if there is one such place."""
    lives = (operand.trail, *operand.roots)
    begins = [operand.trail[:1]] if operand.trail[:1] and operand.trail[0].kind in _MADE else []
    begins = begins or [root[:1] if _says_device(root) else () for root in operand.roots]
    moved = any(site.kind == "move" for trail in lives for site in trail)
    if len(set(begins)) == 1 and begins[0] and begins[0][0].kind in _MADE and not moved:
        (made,) = begins[0]
        yield _note(made, _SPOKEN[made.kind].replace("the CPU", "the accelerator"))


def _says_device(root: Trail) -> bool:
    """Whether what a value was computed from was made where the value is: what lay on the CPU may have met a module."""
    return bool(root) and "device" in root[0].text


def _life_of_dtype(mismatch: Mismatch, operand: Operand) -> Iterator[Note]:
    """Where the dtype to blame comes from, or where another operand was cast to its own."""
    blamed = operand is mismatch.operands[0]
    telling = _GIVES_DTYPE if blamed else ("cast", "array")
    lives = (operand.trail, *operand.roots)
    notes = [note for trail in lives for note in _dtypes_given(mismatch, operand, trail, telling)]
    if blamed and not notes:
        moved = (site for trail in lives for site in trail if site.kind in ("move", "loader"))
        notes = [_note(site, _SPOKEN[site.kind]) for site in moved]
    yield from notes


def _dtypes_given(
    mismatch: Mismatch, operand: Operand, trail: Iterable[Origin], telling: Container[str]
) -> Iterator[Note]:
    """The sites of a trail that give a dtype; the last of them gave the operand its own."""
    found = [site for site in trail if site.kind in telling]
    for site in found:
        own = operand.dtype if site is found[-1] else None
        if own is not None and site.kind == "cast":
            yield _note(site, f"is cast to {own} here")
        else:
            yield _note(site, _GIVES_DTYPE[site.kind] + (f", in {own}" if own is not None else ""))
    if mismatch.kind == "array-dtype":
        results = (site for site in trail if site.kind == "result")
        yield from (_note(site, f"is computed here, in {operand.dtype}") for site in results)


def _note(site: Origin, what: str) -> Note:
    return Note(site.path, site.span, f"`{site.text}` {what}")
