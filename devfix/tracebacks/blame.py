"""Blame: which operand does not fit, how that is known, and what it is called in the user's code."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from devfix.findings import Span
from devfix.tracebacks import signatures
from devfix.tracebacks.call_chain import Step, climb
from devfix.tracebacks.operands import Culprit, call_name, culprits, operands
from devfix.tracebacks.readings import Reading, is_host
from devfix.tracebacks.scene import Placed, Scene
from devfix.tracebacks.suspicion import Suspicion, suspect
from devfix.tracebacks.views import View, operation, view_of


@dataclass(frozen=True, slots=True)
class Blame:
    """The place, the operation there, and its operands that are to blame.

    ``steps`` lead from there to where the first of them came from, a call further out at each step.
    ``guessed``: there are no frames, and ``call`` is what usually ends in this operator.
    """

    suspicion: Suspicion
    place: Placed | None = None
    view: View | None = None
    sink: ast.AST | None = None
    call: str = ""
    culprits: tuple[Culprit, ...] = ()
    steps: tuple[Step, ...] = ()
    guessed: bool = False

    @property
    def span(self) -> Span | None:
        """Where the operation stands in the view."""
        if self.view is None or self.sink is None:
            return None
        return self.view.source.span(self.sink)

    @property
    def candidates(self) -> list[str]:
        """The operands of the operation as they are written, when nothing says which it is."""
        if self.view is None or self.sink is None:
            return []
        return [self.view.text(node) for node in operands(self.sink, through_module=False).values()]


def blame(reading: Reading, scene: Scene) -> Blame:
    """Who is to blame for an error, as far as its text and its frames tell."""
    place, tail = scene.innermost, scene.tail
    marked = any(frame.mark is not None for frame in scene.frames)
    view = view_of(place, marked=marked) if place is not None else None
    sink = operation(view, tail, reading.operator) if view is not None else None
    call = tail.call or (call_name(sink) if sink is not None else "")
    guessed = not call and not scene.frames
    call = signatures.usual_call(reading.operator) if guessed else call
    suspicion = suspect(reading, call)
    found = Blame(suspicion, place, view, sink, call or reading.operator, guessed=guessed and bool(call))
    if view is None or sink is None:
        return found
    named = tuple(
        dict.fromkeys(culprit for role in suspicion.roles for culprit in culprits(role, view, sink, tail))
    )
    if not named and not suspicion.roles and reading.kind == "device":
        named = tuple(_made_on_host(view, sink, reading))
        if named:
            how = "it is made here without `device=`, which puts it on the CPU"
            suspicion = replace(suspicion, roles=(named[0].role,), device="cpu", peer=_peer(reading), how=how)
    found = replace(found, suspicion=suspicion, culprits=named)
    return found if len(named) != 1 else replace(found, steps=tuple(climb(named[0], view, scene)))


def _peer(reading: Reading) -> str:
    return next((device for device in reading.all_devices if not is_host(device)), "")


#: Factory calls that put their result on the CPU unless they are told otherwise.
_FACTORIES = frozenset(
    "tensor zeros ones empty full eye arange linspace rand randn randint randperm Tensor FloatTensor LongTensor from_numpy hann_window".split()
)


def _made_on_host(view: View, sink: ast.AST, reading: Reading) -> list[Culprit]:
    """The one operand that is a factory call without a device, if exactly one is."""
    if not any(is_host(device) for device in reading.all_devices):
        return []
    given = operands(sink, through_module=False)
    made = [Culprit(role, view.text(node), node) for role, node in given.items() if _is_factory(node)]
    return made if len(made) == 1 else []


def _is_factory(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or any(keyword.arg in ("device", None) for keyword in node.keywords):
        return False
    func = node.func
    if not (isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name)):
        return False
    return func.value.id in ("torch", "th") and func.attr in _FACTORIES
