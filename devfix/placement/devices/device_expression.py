"""Which expression names the wanted device at a place, provably.

First that holds: a device variable in scope, ``self.device``, the device of the operand it meets,
of another tensor in scope, of a module in scope.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import FileEdit, Operand, Span
from devfix.placement.devices import (
    asked_device,
    boundness,
    choosing_call,
    followed_peer,
    kept,
    meeting,
    moving_module,
    named_entry,
    other_accelerator,
    own_device,
    own_inputs,
    peer_moves,
    replaced_buffer,
    settings_entry,
    sizing,
    source_tensor,
    trainer_device,
)
from devfix.placement.devices.moving_module import stands_for_module
from devfix.placement.devices.reaching import (
    has_parameters,
    in_sight,
    is_only_used,
    is_usable,
    is_wanted,
    may_be_packed,
    reaches,
)
from devfix.placement.devices.switch_names import is_default, is_switch
from devfix.placement.moves import autograd_class
from devfix.placement.text.dependence import hands_on, written_around
from devfix.placement.text.naming import is_used_as_tensor, may_be_number, named_at_use, named_tensor

_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$")


@dataclass(frozen=True, slots=True)
class DeviceExpression:
    """An expression for the wanted device, and what must be inserted for it to work."""

    code: str
    edits: tuple[FileEdit, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A node in a file, about to be changed."""

    path: str
    outline: Outline
    node: ast.AST


def place_at(facts: Facts, path: str, span: Span) -> Place | None:
    """The expression at a span; None where the file is none of the program's."""
    outline = facts.outline(path) if path in facts.program.sources else None
    node = outline.expression_at(span) if outline is not None else None
    return Place(path, outline, node) if outline is not None and node is not None else None


#: A way to find the device expression for a place.
Choose = Callable[[Facts, Place], DeviceExpression | None]


def find(facts: Facts, place: Place, peers: list[Operand]) -> DeviceExpression | None:
    """An expression that names the accelerator at ``place`` without introducing anything.

    A choice that the reader of the place has seen comes first, then the tensors at hand, then
    modules, then a choice that the file makes further down.
    """
    followed = next(filter(None, (followed_peer.parameter(facts, place, peer) for peer in peers)), None)
    # What a model that has its device makes of a parameter is where the model is.
    if followed is not None and facts.program.adopts:
        return DeviceExpression(f"{followed}.device")
    itself = moving_module.device(facts, place)
    if itself is not None and any(moving_module.is_of_itself(facts, place, peer) for peer in peers):
        return DeviceExpression(itself)
    own = chosen(facts, place)
    seen = own is not None and _is_seen(facts, place, own.code)
    if own is not None and seen and not _is_strange(facts, place, own.code):
        return own
    attribute = _of_kept_module(facts, place) if facts.program.adopts and own is None else None
    if attribute is not None and attribute.edits:
        return attribute
    modules = [peer for peer in peers if stands_for_module(facts, place, peer)]
    tensors = [peer for peer in peers if peer not in modules]
    code = next(filter(None, (_peer(facts, place, peer) for peer in tensors)), None)
    code = code or sizing.sized_by(facts, place) or source_tensor.made_of(facts, place)
    anywhere = is_in_module(facts, place) or autograd_class.is_around(place.outline, place.node)
    if code is None and (not seen or anywhere):
        code = _name(facts, place, "tensor")
    code = code or replaced_buffer.named(facts, place)
    if code is not None:
        return DeviceExpression(moving_module.told(place, code) or f"{code}.device")
    if own is not None:
        return _on_either_side(facts, place, peers) or own
    told = next(filter(None, (peer_moves.told(place, peer) for peer in tensors)), None)
    told = told or named_entry.of_peers(place, peers)
    told = told or (choosing_call.of_peers(facts, place, peers) if not anywhere else None)
    if (told := told or settings_entry.named(facts, place)) is not None:
        return DeviceExpression(told)
    code = next(filter(None, (_peer(facts, place, peer) for peer in modules)), None)
    if code is not None or (not anywhere and other_accelerator.are_several(place.outline.source.tree)):
        return DeviceExpression(own_device.of_module(facts, place, code)) if code is not None else None
    name = _name(facts, place, "module") or _module_around(facts, place)
    if name is not None:
        return DeviceExpression(own_device.of_module(facts, place, name))
    if (own_input := itself or own_inputs.device(facts, place, peers)) is not None:
        return DeviceExpression(own_input)
    if (asked := asked_device.of_peers(facts, place, peers)) is not None:
        return DeviceExpression(asked)
    beside = kept.tensor(facts, place)
    held = DeviceExpression(f"{beside}.device") if beside is not None else _of_kept_module(facts, place)
    return held or (DeviceExpression(f"{followed}.device") if followed is not None else None)


def _on_either_side(facts: Facts, place: Place, peers: list[Operand]) -> DeviceExpression | None:
    """The device of what a function meets on the CPU as well as on the accelerator: it serves both, and takes no side."""
    for peer in peers:
        if (name := followed_peer.itself(facts, place, peer)) is not None:
            return DeviceExpression(f"{name}.device")
        if (name := followed_peer.module(facts, place, peer)) is not None:
            return DeviceExpression(own_device.of_module(facts, place, name))
    return None


def of_data(facts: Facts, place: Place) -> DeviceExpression | None:
    """The device of the tensor whose size what is made at a place has, or whose numbers it is made of."""
    name = sizing.sized_by(facts, place) or source_tensor.made_of(facts, place)
    return DeviceExpression(f"{name}.device") if name is not None else None


def _of_kept_module(facts: Facts, place: Place) -> DeviceExpression | None:
    """The device of a module that the object keeps: its own attribute where it may have one.

    Where the program gets one device, any of its modules tells that.
    """
    names = kept.all_of_kind(facts, place, "module")
    function = place.outline.function_of(place.node)
    cls = place.outline.class_of(function) if function is not None else None
    if not names or cls is None:
        return None
    if not is_in_module(facts, place):
        for name in names if facts.program.adopts else names[:1]:
            receiver, _, attribute = name.partition(".")
            if (edit := own_device.beside_module(facts, place.outline, cls, attribute)) is not None:
                return DeviceExpression(f"{receiver}.device", (edit,))
    return DeviceExpression(own_device.of_module(facts, place, names[0]))


def _is_seen(facts: Facts, place: Place, code: str) -> bool:
    """Whether what ``code`` names is bound above the function around ``place``, or inside of it."""
    function = place.outline.function_of(place.node)
    own, *outer = place.outline.scopes(place.node)
    name = code.partition(".")[0]
    if function is None or _is_known(facts, place, own, name):
        return True
    for scope in outer:
        known = in_sight(place, facts.bindings(place.path, scope).get(name, []))
        spans = [binding.statement for binding in known]
        if spans:
            return any(span is None or span.line < function.lineno for span in spans)
    return True


def _is_strange(facts: Facts, place: Place, code: str) -> bool:
    """Whether a function would come to depend on a name of the file around it that it (or its class) does not use.

    What works on whatever device its input is on, as modules do, has no need of a script's choice.
    """
    name = code.partition(".")[0]
    outline = place.outline
    function = outline.function_of(place.node)
    if function is None or any(
        _is_known(facts, place, scope, name) for scope in outline.scopes(place.node)[:-1]
    ):
        return False
    around = outline.class_of(function) or function
    return not outline.occurrences(around, name)


def chosen(facts: Facts, place: Place) -> DeviceExpression | None:
    """The program's own choice at ``place``: a variable of the function, an attribute of the object, a variable."""
    own, *outer = _variables(facts, place)
    if own is not None and "." in own and facts.program.adopts:
        # What the program was given goes by its own name, where that is in sight.
        own = next((name for name in outer if name and "." not in name), own)
    held = kept.of_kind(facts, place, "device") or own_device.told(facts, place)
    held = held or trainer_device.told(facts, place)
    if own is not None and held is not None and hands_on(place.outline, place.node, held, rather_than=own):
        own = held
    code = own or held or next(filter(None, outer), None)
    return DeviceExpression(code) if code is not None else None


def choices_after(facts: Facts, place: Place) -> Iterator[tuple[ast.stmt, str]]:
    """Statements that choose the device at or after ``place``, in its function, with the name."""
    outline, node = place.outline, place.node
    function = outline.function_of(node)
    names = dict(facts.bindings(place.path, outline.scopes(node)[0]))
    names = {name: bindings for name, bindings in names.items() if "." not in name}
    receiver = outline.receiver_name(function)
    if function is not None and receiver is not None:
        for name, bindings in facts.bindings(place.path, outline.scope(function)).items():
            if name.startswith("self."):
                names[name.replace("self", receiver, 1)] = bindings
    for name in sorted(names, key=lambda name: (not name.endswith("device"), name)):
        known = in_sight(place, names[name])
        binding = known[0] if len(known) == 1 else None
        if binding is None or binding.kind != "device" or not is_wanted(binding.device):
            continue
        if is_switch(facts, name):
            continue
        statement = outline.statement_at(binding.statement) if binding.statement is not None else None
        if statement is None or not isinstance(node, ast.stmt):
            continue
        if statement is node or outline.dominates(node, statement):
            yield statement, name


def _variables(facts: Facts, place: Place) -> Iterator[str | None]:
    """For each scope, the innermost first, a plain or dotted name in it that is always the accelerator."""
    inner: list[str] = []
    for scope in place.outline.scopes(place.node):
        found = [
            name
            for name, bindings in facts.on_accelerator(place.path, scope, "device")
            if not any(_is_known(facts, place, each, name.partition(".")[0]) for each in inner)
            and not name.startswith("self.")
            and is_usable(place, scope, bindings, "device")
            and ("." not in name or _root_is_visible(facts, place, name))
            and _is_bound(place, name)
            and not is_switch(facts, name)
            and not is_default(place.outline, name)
        ]
        bound = facts.bindings(place.path, scope)
        if len(found) > 1 and other_accelerator.is_among(place.outline, map(bound.__getitem__, found)):
            found.clear()
        yield min(found, key=partial(_rank, written_around(place.outline, place.node, found)), default=None)
        inner.append(scope)


def _rank(used: set[str], name: str) -> tuple[bool, bool, bool, int, str]:
    return name != "device", name not in used, "." in name, len(name), name


def _is_known(facts: Facts, place: Place, scope: str, name: str) -> bool:
    """Whether a name is one of a scope where ``place`` is."""
    return bool(in_sight(place, facts.bindings(place.path, scope).get(name, [])))


def _root_is_visible(facts: Facts, place: Place, name: str) -> bool:
    """``args.device`` is usable where ``args`` is bound for certain."""
    root = name.partition(".")[0]
    receiver = place.outline.receiver_name(place.outline.function_of(place.node))
    if root == receiver:
        return False  # attributes of self are looked up by class
    for outer in place.outline.scopes(place.node):
        bindings = in_sight(place, facts.bindings(place.path, outer).get(root, []))
        if bindings:
            # What is a list first and a tensor later has no device at every place.
            alike = len({binding.kind for binding in bindings}) == 1
            return alike and any(reaches(place, outer, binding) for binding in bindings)
    return boundness.is_defined_at_top(place.outline, place.node, root)


def _is_bound(place: Place, name: str) -> bool:
    """Whether Python finds the (first part of the) name at the place, whatever path led there."""
    return boundness.is_bound(place.outline, place.node, name.partition(".")[0])


def _peer(facts: Facts, place: Place, peer: Operand) -> str | None:
    """The device of the operand that the moved one meets, when it can be named at the place."""
    if peer.held or peer.path != place.path:
        return None
    if not _DOTTED.match(peer.text):
        return _named_in(facts, place, peer)
    if not _is_bound(place, peer.text):
        return None
    at_sink = place.outline.source.span(place.node) == peer.span or meeting.is_at_once(place, peer)
    root = peer.text.partition(".")[0]
    receiver = place.outline.receiver_name(place.outline.function_of(place.node))
    if stands_for_module(facts, place, peer):
        return _module_peer(facts, place, peer, root, receiver, at_sink=at_sink)
    if at_sink:
        node = place.outline.expression_at(peer.span)
        lacks = node is not None and (
            may_be_number(place.outline, facts, node) or may_be_packed(place, facts, node)
        )
        return None if lacks else peer.text
    if "." in peer.text:
        return None
    bindings = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(root, [])
    if is_used_as_tensor(place.outline, place.node, root):
        bindings = [each for each in bindings if each.kind != "strange"]
    if bindings and is_usable(place, place.outline.scopes(place.node)[0], bindings, "tensor"):
        return peer.text
    return None


def _named_in(facts: Facts, place: Place, peer: Operand) -> str | None:
    """A tensor with a name that the operand is computed from where they meet, or in a script, before that."""
    node = place.outline.expression_at(peer.span) if peer.path == place.path else None
    within = meeting.is_within(place, peer)
    naming = named_at_use if within else named_tensor
    name = naming(place.outline, facts, node) if node is not None and peer.role != "weight" else None
    if node is None or name is None or not _is_bound(place, name.partition("[")[0]):
        return None
    scripted = not place.outline.scopes(place.node)[0] and not place.outline.scopes(node)[0]
    known = facts.bindings(place.path, "").get(name, []) if scripted else []
    return name if within or is_usable(place, "", known, "tensor") else None


def _module_peer(
    facts: Facts, place: Place, peer: Operand, root: str, receiver: str | None, *, at_sink: bool
) -> str | None:
    """``next(model.parameters()).device``; inside the module itself, of ``self``."""
    if root == receiver and _function_of(place, peer) is place.outline.function_of(place.node):
        return receiver if _is_module_scope(facts, place, receiver) else None
    here = at_sink or is_only_used(place, peer)
    if here and "." not in peer.text and has_parameters(facts, place, root):
        return peer.text
    return None


def _function_of(place: Place, peer: Operand) -> ast.AST | None:
    node = place.outline.expression_at(peer.span)
    return place.outline.function_of(node) if node is not None else None


def is_in_module(facts: Facts, place: Place) -> bool:
    """Whether the place is in a method of a module."""
    function = place.outline.function_of(place.node)
    receiver = place.outline.receiver_name(function)
    bindings = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(receiver or "", [])
    return bool(bindings) and all(binding.kind == "module" for binding in bindings)


def _is_module_scope(facts: Facts, place: Place, receiver: str) -> bool:
    """Whether the method's object was seen to be a module on the accelerator, or on whatever device it is given.

    Other calls may have it where nobody knows: what meets its parameters has to be there then, too.
    """
    bindings = facts.bindings(place.path, place.outline.scopes(place.node)[0]).get(receiver, [])
    seen = [b.device for b in bindings if b.kind == "module" and b.device is not None]
    known = [each for each in seen if each.is_known]
    meant = all(each.is_accelerator or each.kind == "same-as" for each in known)
    return len(seen) == len(bindings) and len(known) > 0 and meant


def _name(facts: Facts, place: Place, kind: str) -> str | None:
    """A local name that always stands for a tensor (or module) on the accelerator: rather what is called with the place."""
    scope = place.outline.scopes(place.node)[0]
    if not scope and kind == "tensor":
        return None
    calls = [node.func for node in place.outline.around(place.node) if isinstance(node, ast.Call)]
    called = {func.id for func in calls if isinstance(func, ast.Name)}
    known = facts.on_accelerator(place.path, scope, kind)
    for name, bindings in sorted(known, key=lambda each: each[0] not in called):
        if "." not in name and is_usable(place, scope, bindings, kind) and _is_bound(place, name):
            return name
    return None


def _module_around(facts: Facts, place: Place) -> str | None:
    """A module on the accelerator that a scope around the function has, and that the function uses as well."""
    function = place.outline.function_of(place.node)
    own, *outer = place.outline.scopes(place.node)
    if function is None:
        return None
    known = ((scope, *each) for scope in outer for each in facts.on_accelerator(place.path, scope, "module"))
    for scope, name, bindings in known:
        if "." in name or not place.outline.occurrences(function, name) or _is_known(facts, place, own, name):
            continue
        if is_usable(place, scope, bindings, "module") and _is_bound(place, name):
            return name
    return None
