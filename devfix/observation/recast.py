"""Recast: operands of a wrong dtype where no cast can be written at the use, as in ``getattr(x, name)(*args)``.

They are cast earlier: where they get a name, or where they are made.
"""

from __future__ import annotations

from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, WrapExpression
from devfix.observation.hosted import value_at
from devfix.placement.dtypes.casting import METHODS

#: What is wanted where the kind of a mismatch alone says it.
_WANTED = {"index-dtype": "int64", "mask-dtype": "bool"}


def fixes(facts: Facts, mismatch: Mismatch) -> Iterator[Fix]:
    """Casts along the life of the operand, the latest first."""
    operand = mismatch.operands[0]
    wanted = mismatch.get("wanted") or _WANTED.get(mismatch.kind, "")
    if not mismatch.kind.endswith("dtype") or wanted not in METHODS:
        return
    for site in reversed(operand.trail):
        place = value_at(facts, site)
        if place is not None and place.node is not None:
            edit = WrapExpression(place.outline.source.span(place.node), "", f".{METHODS[wanted]}()")
            yield Fix(f"cast `{site.text}` to {wanted}", (FileEdit(site.path, edit),), Applicability.UNSAFE)
