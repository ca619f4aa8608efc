"""Branches: the body of a test that nobody decides, and what is told of the returns in it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def run(interp: Interpreter, body: list[ast.stmt], *, unusual: bool, alike: bool) -> None:
    """Follow a branch, and mark its returns.

    ``unusual`` are those that only options lead to that are not given as a rule; ``alike`` is what the function gives
    back there to what it gives back elsewhere, since all that parts them is whether a file is there.
    """
    frame = interp.frame
    returned = len(frame.returns)
    frame.branches += 1
    interp.run(body)
    frame.branches -= 1
    if unusual or alike:
        states = {id(state) for _, state in frame.returns[returned:]}
        frame.unusual |= states if unusual else set()
        frame.alike |= states if alike else set()
