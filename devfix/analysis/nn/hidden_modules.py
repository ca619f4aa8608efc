"""Hidden modules: what is put into ``self.__dict__`` past ``nn.Module.__setattr__`` is registered nowhere, and never moved."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import TRUE, Obj, Ref, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: An object's fact of that name and an attribute's: what it holds there is hidden.
_HIDDEN = "hidden "


def hide(interp: Interpreter, owner: Ref, name: str) -> None:
    """From now on the owner does not register what it holds under a name."""
    interp.update(owner, interp.obj(owner).with_fact(f"{_HIDDEN}{name}", TRUE))


def shown(obj: Obj, name: str) -> Obj:
    """The object once ``self.name = value`` registers what it holds there."""
    fact = f"{_HIDDEN}{name}"
    if fact not in obj.facts:
        return obj
    return replace(obj, facts={each: value for each, value in obj.facts.items() if each != fact})


def is_hidden(obj: Obj, name: str) -> bool:
    """Whether an object holds something under a name on all paths without registering it."""
    return bool(obj.facts) and obj.facts.get(f"{_HIDDEN}{name}") == TRUE


def registered(obj: Obj) -> Collection[Value]:
    """What the attributes are of an object, but for what is hidden."""
    for fact in obj.facts:
        if fact.startswith(_HIDDEN):
            return [value for name, value in obj.attrs.items() if not is_hidden(obj, name)]
    return obj.attrs.values()
