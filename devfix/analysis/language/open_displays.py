"""Open displays: ``n, *_, device = *x.shape, x.device``, of which nobody knows how many items the starred part has.

Whatever their number is, the targets at both ends are given what stands at both ends.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import Sequence, Value
from devfix.analysis.language import binding, iteration

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What can be asked again without anything happening.
_AT_HAND = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant)


def unpack(interp: Interpreter, target: ast.expr, value: Value, statement: ast.Assign) -> bool:
    """Give targets what such a display has for them; False for any other assignment, which has given them nothing yet."""
    written = statement.value
    if not isinstance(value, Sequence) or not isinstance(written, ast.Tuple):
        return False
    stars = [number for number, part in enumerate(written.elts) if isinstance(part, ast.Starred)]
    if not isinstance(target, (ast.Tuple, ast.List)) or len(stars) != 1:
        return False
    first, last = written.elts[: stars[0]], written.elts[stars[0] + 1 :]
    if not all(isinstance(part, _AT_HAND) for part in (*first, *last)):
        return False
    targets, between = target.elts, iteration.element(interp, value, None)
    star = next((n for n, part in enumerate(targets) if isinstance(part, ast.Starred)), None)
    if star is None and len(targets) < len(first) + len(last):
        return False  # it raises
    heads = len(targets) if star is None else star
    tails = len(targets) if star is None else len(targets) - star - 1
    told = dict(zip(targets[:heads], first, strict=False))
    told |= dict(zip(reversed(targets[len(targets) - tails :]), reversed(last), strict=False))
    found = {each: interp.eval(part) for each, part in told.items()}
    for each in targets:
        rest = value if isinstance(each, ast.Starred) else between
        binding.bind(interp, each, found.get(each, rest), statement)
    return True
