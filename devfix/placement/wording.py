"""Wording: what a tired person needs to read about a mismatch."""

from __future__ import annotations

from devfix.findings import OF_DTYPES, Mismatch, Note, Operand, Origin, Span
from devfix.placement.causes import misplaced

_SPOKEN = {
    "factory": "is made here, on the CPU",
    "random-factory": "is drawn here, on the CPU",
    "loader": "comes out of the loader here, on the CPU",
    "array": "comes from NumPy here",
    "numpy": "is made of an array here, on the CPU",
    "move": "is moved here",
    "cast": "is cast here",
    "module": "is constructed here",
    "tokenizer": "comes out of the tokenizer here, on the CPU",
    "checkpoint": "is loaded here",
    "host-checkpoint": "is loaded to the CPU here",
    "replaced": "becomes the data of a parameter here",
    "attribute": "is stored here",
    "module-attribute": "is stored here as a plain attribute, which `Module.to` does not move",
    **dict.fromkeys(
        ("left-tuple", "left-namedtuple", "left-list", "left-dict"),
        "is handed on as it is here, where batches of other forms move",
    ),
    "left-part": "is handed on as it is here, where other parts move",
    "used-before": "uses the accelerator before the process starts",
    "used-in-process": "uses it in the process",
    "discarded-move": "is moved here, but the result is thrown away",
}


def device_name(device: str | None) -> str:
    """A device as a person says it."""
    return (
        "the CPU" if device == "cpu" else "the accelerator" if device in ("cuda", "same-as") else str(device)
    )


def others(mismatch: Mismatch, operand: Operand) -> str:
    """What an operand meets on the accelerator, by name: a module's parameters are its module's."""
    names = [
        f"the parameters of `{other.text}`" if _is_module(mismatch, other) else f"`{other.text}`"
        for other in mismatch.operands
        if other is not operand and other.device not in ("cpu", None) and other.text != operand.text
    ]
    return " and ".join(dict.fromkeys(names[:2])) or "a tensor"


def _is_module(mismatch: Mismatch, operand: Operand) -> bool:
    return operand.role == "weight" and mismatch.get("module") is not None


def operand_marks(mismatch: Mismatch) -> tuple[Note, ...]:
    """The operands to underline, each with where it is."""
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
    telling = ("move", "cast", "array") if mismatch.kind in OF_DTYPES else ("move",)
    notes: dict[Note, None] = {}
    for operand in mismatch.operands:
        for trail in (operand.trail, *operand.roots):
            for site in trail:
                if mismatch.kind == "array-dtype" and site.kind == "result":
                    notes.setdefault(
                        Note(site.path, site.span, f"`{site.text}` is computed here, in {operand.dtype}")
                    )
                elif site.kind in _SPOKEN and (operand.device in ("cpu", None) or site.kind in telling):
                    notes.setdefault(_note(site))
    return tuple(notes)


def _note(site: Origin) -> Note:
    return Note(site.path, site.span, f"`{site.text}` {_SPOKEN[site.kind]}")
