"""Index types: the integers that an operation looks up places by; the others are refused on every device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.lattice import FLOATS
from devfix.analysis.torch_model import requirements

if TYPE_CHECKING:
    import ast

    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.torch_model.requirements import Part

#: What nothing takes: "gather(): Expected dtype int32/int64 for index".
_REFUSED = frozenset((*FLOATS, "bool", "uint8", "int8", "int16"))
#: What takes int64 alone.
_LONG_ALONE = frozenset(
    f"torch.{name}" for name in "index_copy index_fill take take_along_dim put nn.functional.one_hot".split()
)


def check(interp: Interpreter, node: ast.AST, operation: str, parts: list[Part]) -> None:
    """The operands that are looked up by are of a type that the operation takes."""
    refused = _REFUSED | {"int32"} if operation in _LONG_ALONE else _REFUSED
    for part in parts:
        if part.tensor.dtype in refused:
            requirements.record(interp, node, operation, "index-dtype", [part])
