"""Parts of complex numbers: what is too wide was already so where the complex tensor came into torch.

A cast to a float there would drop half of every number.
"""

from __future__ import annotations

import ast

from devfix.analysis.domain.lattice import COMPLEX_OF
from devfix.analysis.record.facts import Facts
from devfix.findings import FileEdit, Operand, Origin
from devfix.placement.devices import introduction
from devfix.placement.devices.device_expression import place_at
from devfix.placement.moves import suffixes
from devfix.placement.to_host.shared_memory import is_written_later

Edits = tuple[FileEdit, ...]

#: More places than this are not changed together: one cast of their result is clearer.
_MAX_ENTRIES = 3


def has(operand: Operand) -> bool:
    """Whether the operand has its dtype from complex numbers, of which it is the real or the imaginary part."""
    return any(site.kind == "part" for trail in operand.roots for site in trail)


def cast(facts: Facts, operand: Operand, wanted: str) -> Edits:
    """``torch.from_numpy(x).to(torch.complex64)`` where each of them came in, for parts that are to be float32."""
    origins = dict.fromkeys(trail[0] for trail in operand.roots if trail)
    complexes = all(any(site.kind == "part" for site in trail) for trail in operand.roots)
    if not complexes or wanted not in COMPLEX_OF or not 0 < len(origins) <= _MAX_ENTRIES:
        return ()
    edits = [_cast_at(facts, origin, COMPLEX_OF[wanted]) for origin in origins]
    return tuple(dict.fromkeys(edit for each in edits for edit in each)) if all(edits) else ()


def _cast_at(facts: Facts, origin: Origin, dtype: str) -> Edits:
    place = place_at(facts, origin.path, origin.span) if origin.kind == "numpy" else None
    named = introduction.torch_name(facts, origin.path) if place is not None else None
    if place is None or named is None or not isinstance(place.node, ast.Call) or is_written_later(place):
        return ()
    if any(keyword.arg == "dtype" for keyword in place.node.keywords):
        return ()
    torch, imports = named
    added = suffixes.added(facts, place.outline, place.node, f".to({torch}.{dtype})")
    return (*imports, *added) if added else ()
