"""Entry dtypes: in which dtypes arrays become tensors at one place, as a comprehension's or a helper's may in several."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def note(interp: Interpreter, node: ast.AST, dtype: str | None) -> None:
    """Remark that an expression made a tensor of an array in a dtype, as far as that is known."""
    if dtype is not None:
        interp.recorder.remarked.add(replace(interp.site("entered", node), text=dtype))
