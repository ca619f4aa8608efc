"""Moving modules: methods of a module that it runs on the CPU, as its constructor may, and on the accelerator.

Only the module itself tells where it is each time.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import CPU
from devfix.analysis.record.facts import Facts
from devfix.findings import Operand
from devfix.placement.devices.reaching import is_wanted

if TYPE_CHECKING:
    from devfix.placement.devices.device_expression import Place


def device(facts: Facts, place: Place) -> str | None:
    """``next(self.parameters()).device`` in such a method; None elsewhere.

    The device of a module without parameters, as one is at first, is not known.
    """
    receiver = place.outline.receiver_name(place.outline.function_of(place.node))
    bindings = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(receiver or "", [])
    seen = [binding.device for binding in bindings if binding.kind == "module"]
    moves = len(seen) == len(bindings) and CPU in seen and any(is_wanted(each) for each in seen)
    return f"next({receiver}.parameters()).device" if moves and None not in seen else None


def is_of_itself(facts: Facts, place: Place, peer: Operand) -> bool:
    """Whether the operand is the parameters of the method's object, or of a part of it."""
    function = place.outline.function_of(place.node)
    node = place.outline.expression_at(peer.span) if peer.path == place.path else None
    own = peer.text.partition(".")[0] == place.outline.receiver_name(function)
    here = node is not None and place.outline.function_of(node) is function
    return own and here and stands_for_module(facts, place, peer)


def told(place: Place, name: str) -> str | None:
    """The device of the module, where the method said it in making the tensor of that name: once more says it best."""
    function = place.outline.function_of(place.node)
    receiver = place.outline.receiver_name(function)
    if function is None or receiver is None or not name.isidentifier():
        return None
    itself = f"next({receiver}.parameters()).device"
    made = [getattr(place.outline.parents[node], "value", None) for node in _stored(place, function, name)]
    given = [
        part for call in made if isinstance(call, ast.Call) for part in call.keywords if part.arg == "device"
    ]
    return itself if any(ast.unparse(part.value) == itself for part in given) else None


def _stored(place: Place, function: ast.AST, name: str) -> list[ast.Name]:
    return [node for node in place.outline.occurrences(function, name) if isinstance(node.ctx, ast.Store)]


def stands_for_module(facts: Facts, place: Place, peer: Operand) -> bool:
    """Whether the operand is the parameters of the module that is called, not a weight that a function was given."""
    bindings = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(peer.text, [])
    return peer.role == "weight" and not any(binding.kind == "tensor" for binding in bindings)
