"""Index types: the integers that an operation looks up places by; the others are refused on every device."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import FLOATS, STORED_INTEGERS
from devfix.analysis.torch_model.tensors import requirements

if TYPE_CHECKING:
    import ast

    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.torch_model.tensors.requirements import Part

#: What nothing takes: "gather(): Expected dtype int32/int64 for index".
_REFUSED = frozenset((*FLOATS, "bool", "uint8", "int8", "int16", *STORED_INTEGERS))
#: What takes int64 alone.
_LONG_ALONE = frozenset(
    f"torch.{name}" for name in "index_copy index_fill take take_along_dim put nn.functional.one_hot".split()
)
#: What counts its input, whose numbers are the places: "bincount_cpu" not implemented for 'Float'.
_COUNTING = "torch.bincount"


def check(
    interp: Interpreter, node: ast.AST, operation: str, parts: list[Part], roles: Collection[str]
) -> list[Part]:
    """The operands that are looked up by are of a type that the operation takes; what comes of it is judged as if they were."""
    refused = _REFUSED | {"int32"} if operation in _LONG_ALONE else _REFUSED
    if any(part.role == "offsets" for part in parts):
        refused = frozenset(FLOATS)  # the places get the type of what is beside them
    if operation == _COUNTING:
        refused, roles = frozenset((*FLOATS, "bool")), ("input",)
    judged = []
    for part in parts:
        if part.role in roles and part.tensor.dtype in refused:
            requirements.record(interp, node, operation, "index-dtype", [part])
            judged.append(replace(part, tensor=replace(part.tensor, dtype="int64", typed=())))
        else:
            judged.append(part)
    return judged
