"""Whether an object counts as true, which its class may decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import Class, Obj, Unknown
from devfix.analysis.nn import modules

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Bases from outside the project that say nothing of it: their objects have no length.
_WITHOUT_LENGTH = frozenset({"builtins.object", "abc.ABC", "torch.nn.Module", "torch.optim.Optimizer"})


def is_certain(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object of a class of the project is true whatever it holds: nothing tells its length."""
    cls = obj.cls
    if obj.kind != "instance" or not isinstance(cls, Class):
        return False
    if not _WITHOUT_LENGTH.issuperset(modules.external_bases(interp, cls)):
        return False
    if any(isinstance(base, Unknown) for each in classes.linearise(cls) for base in each.bases):
        return False
    return all(classes.find(interp, cls, name) is None for name in ("__bool__", "__len__"))
