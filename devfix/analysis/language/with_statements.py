"""``with``: the managers are entered, the body runs, and on every way out of it they are left."""

from __future__ import annotations

import ast
from contextlib import nullcontext
from typing import TYPE_CHECKING

from devfix.analysis.language import binding, contexts, handlers, leaving, raising, suppressing, suspended
from devfix.analysis.language.leaving import Leaving

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def with_(interp: Interpreter, node: ast.With | ast.AsyncWith) -> None:
    """Each manager is entered and its ``as`` bound, then the body runs, and they are left in reverse order.

    Default devices, autocast and the mode of autograd are set by this. A ``@contextmanager`` of the project waits
    at its ``yield`` while the body runs.
    """
    taking = suppressing.as_try(interp, node)
    if taking is not None:
        handlers.try_(interp, taking)
        return
    undo: list[Leaving] = []
    keeping = False
    for item in node.items:
        manager, resume = suspended.managed(interp, item.context_expr)
        entered, leave = contexts.enter(interp, manager, item.context_expr)
        undo.append(resume or leave)
        keeping |= contexts.may_keep_errors(interp, manager, item.context_expr)
        if item.optional_vars is not None:
            binding.bind(interp, item.optional_vars, entered, node)
        else:
            undo.append(contexts.may_cast(interp, manager, item.context_expr))
    before = leaving.so_far(interp)
    with raising.kept(interp) if keeping else nullcontext():
        interp.run(node.body)
    leaving.by_all(interp, undo, before)
