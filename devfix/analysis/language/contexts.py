"""Context managers: what ``with`` binds, and what it changes for the body."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.join import join_all
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.state import join_states
from devfix.analysis.domain.values import (
    NONE,
    TRUE,
    UNKNOWN,
    Class,
    Const,
    DeviceValue,
    External,
    Function,
    Obj,
    Ref,
    Sequence,
    Union,
    Unknown,
    Value,
    members,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.language.leaving import NOTHING, Leaving
from devfix.analysis.nn.modules import external_bases
from devfix.analysis.torch_model.devices import choices, function_modes, grad_mode
from devfix.analysis.torch_model.libraries.frameworks import PLACING_MANAGERS
from devfix.analysis.torch_model.modules import hooks
from devfix.analysis.torch_model.python import standard_library

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def decorates(interp: Interpreter, obj: Obj) -> bool:
    """Whether an object is a manager of the project's own that decorates functions as well."""
    return isinstance(obj.cls, Class) and "contextlib.ContextDecorator" in external_bases(interp, obj.cls)


def enter(interp: Interpreter, manager: Value, node: ast.expr) -> tuple[Value, Leaving]:
    """What ``as`` binds, and what to do when the block is left."""
    if isinstance(manager, DeviceValue):
        return manager, _with_default_device(interp, manager)
    if isinstance(manager, Union):
        manager = _that_does_something(interp, manager)
        given = [_handed_on(interp, each) for each in members(manager)]
        known = [each for each in given if each is not None]
        if len(known) == len(given) > 1:
            return join_all(known), NOTHING
    obj = interp.obj_of(manager)
    if obj is not None and isinstance(manager, Ref):
        if isinstance(obj.cls, Class):
            return _enter_object(interp, obj.cls, manager, node)
        if isinstance(obj.cls, External):
            return _enter_external(interp, obj.cls.name, manager, obj)
        return manager, NOTHING
    if isinstance(manager, Sequence):  # a @contextmanager function of the project
        return manager.element, NOTHING
    if isinstance(manager, Unknown) and _expects_error(node):
        return manager, _expecting_errors(interp)
    if isinstance(manager, Unknown) and _may_place(node):
        return manager, _with_default_device(interp, DeviceValue(UNKNOWN_DEVICE))
    return manager, NOTHING


def _enter_external(interp: Interpreter, name: str, manager: Ref, obj: Obj) -> tuple[Value, Leaving]:
    if name == grad_mode.NAME:
        return manager, grad_mode.enter(interp, obj)
    if name == STACK:
        return manager, _with_stack(interp, manager)
    if name == hooks.HANDLE.name:
        return manager, Leaving(partial(hooks.remove, interp, obj))
    if name == standard_library.HANDING_ON:
        return obj.attrs["entered"], NOTHING
    if name == "torch.autocast":
        return manager, _with_autocast(interp, obj)
    if name in _EXPECTING:
        return manager, _expecting_errors(interp)
    return manager, NOTHING


_EXPECTING = frozenset({"pytest.raises", "unittest.raises"})


def may_keep_errors(interp: Interpreter, manager: Value, node: ast.expr) -> bool:
    """Whether a manager may keep what is raised in its block to itself: errors are expected there, or its own ``__exit__`` answers."""
    obj = interp.obj_of(manager)
    if obj is None:
        return isinstance(manager, Unknown) and _expects_error(node)
    if isinstance(obj.cls, Class):
        left = classes.find(interp, obj.cls, EXIT)
        return isinstance(left, Function) and any(
            isinstance(part, ast.Return) and part.value is not None for part in ast.walk(left.node)
        )
    return isinstance(obj.cls, External) and obj.cls.name in _EXPECTING


#: The class of managers that enter others for the time of their own block.
STACK = "contextlib.ExitStack"


def _with_stack(interp: Interpreter, stack: Ref) -> Leaving:
    interp.to_leave.setdefault(stack, [])

    def in_state() -> None:
        for each in reversed(interp.to_leave.get(stack, [])):
            each.in_state()

    def of_run() -> None:
        for each in reversed(interp.to_leave.pop(stack, [])):
            each.of_run()

    return Leaving(in_state, of_run)


def _leave(interp: Interpreter, manager: Value) -> None:
    """Undo what entering a manager did that was entered by a call, or what a stack has entered so far."""
    for each in reversed(interp.to_leave.pop(manager, [])):
        each.leave()


def stack_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``stack.enter_context(manager)``; what it does lasts until the stack is left, or closed."""
    manager = site.value(0, "cm")
    if name in ("close", "aclose"):
        _leave(interp, ref)
    if name in ("callback", "push_async_callback") and site.args:
        return _register(interp, ref, site)
    if name in ("close", "aclose", "pop_all"):
        interp.update(ref, replace(obj, facts={}))  # nothing is left to be called, here
    if name not in ("enter_context", "enter_async_context") or manager is None:
        return UNKNOWN
    entered, leave = enter(interp, manager, site.node)
    interp.to_leave.setdefault(ref, []).append(leave)
    return entered


def _register(interp: Interpreter, stack: Ref, site: CallSite) -> Value:
    """``stack.callback(function, *args)``: the function is called when the stack is left, where the run came by here."""
    function, given = site.args[0].value, replace(site, args=site.args[1:])
    leaving = interp.to_leave.setdefault(stack, [])
    registered = f"callback {len(leaving)}"
    obj = interp.obj(stack)
    interp.update(stack, obj.with_fact(registered, TRUE))

    def call() -> None:
        told = interp.obj(stack).facts.get(registered)
        if interp.state.dead or told is None:
            return
        passed_by = interp.state.fork()
        interp.call(function, given)
        if told != TRUE:
            interp.state = join_states(passed_by, interp.state)

    leaving.append(Leaving(call))
    return function


#: What a ``with`` statement calls, and programs call themselves where a block begins in one function and ends in another.
ENTER, EXIT = "__enter__", "__exit__"


def called(interp: Interpreter, manager: Value, name: str, site: CallSite) -> Value:
    """``manager.__enter__()``, ``manager.__exit__(None, None, None)`` of a manager from outside the project."""
    if name == EXIT:
        _leave(interp, manager)
        return NONE
    entered, leave = enter(interp, manager, site.node)
    interp.to_leave.setdefault(manager, []).append(leave)
    return entered


def _that_does_something(interp: Interpreter, manager: Union) -> Value:
    """Of two managers the one that an option turns off: the other, ``nullcontext()``, changes nothing.

    Of several that a release may have the one that chooses a precision.
    """
    found = [each for each in manager.members if not standard_library.is_idle_manager(interp, each)]
    if len(found) == 1:
        return found[0]
    return next((each for each in found if choices.is_autocast(interp, each)), manager)


def _handed_on(interp: Interpreter, manager: Value) -> Value | None:
    """What a manager gives that does nothing else here; None for any other."""
    if isinstance(manager, Sequence):
        return manager.element
    obj = interp.obj_of(manager)
    hands_on = obj is not None and obj.cls == External(standard_library.HANDING_ON)
    return obj.attrs["entered"] if obj is not None and hands_on else None


def _expects_error(node: ast.expr) -> bool:
    """Whether an unknown manager is one of ``unittest``'s: ``self.assertRaises(RuntimeError)``."""
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr in ("assertRaises", "assertRaisesRegex")


def _may_place(node: ast.expr) -> bool:
    """Whether an unknown manager may choose where tensors are made: a device, or what a framework offers."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in PLACING_MANAGERS
    return isinstance(node, (ast.Name, ast.Attribute))


def _with_default_device(interp: Interpreter, device: DeviceValue) -> Leaving:
    before = interp.state.default_device
    interp.state.default_device = device

    def leave() -> None:
        interp.state.default_device = before

    return Leaving(leave)


def may_cast(interp: Interpreter, manager: Value, node: ast.expr) -> Leaving:
    """What is left of a block whose manager gives the program nothing, and which an object makes of which nobody knows what it does.

    It may choose the precision for the block.
    """
    func = node.func if isinstance(node, ast.Call) else None
    owner = func.value if isinstance(func, ast.Attribute) else None
    if not isinstance(manager, Unknown) or not isinstance(owner, (ast.Name, ast.Attribute)):
        return NOTHING
    return _with_precision(interp, "?") if interp.eval(owner) == UNKNOWN else NOTHING


def _with_autocast(interp: Interpreter, manager: Obj) -> Leaving:
    chosen = manager.facts.get("precision")
    name = str(chosen.value) if isinstance(chosen, Const) else "?"
    return _with_precision(interp, None if "disabled" in manager.facts else name)


def _with_precision(interp: Interpreter, name: str | None) -> Leaving:
    before = interp.autocast
    interp.autocast = name

    def leave() -> None:
        interp.autocast = before

    return Leaving(of_run=leave)


def _expecting_errors(interp: Interpreter) -> Leaving:
    interp.recorder.muted += 1

    def leave() -> None:
        interp.recorder.muted -= 1

    return Leaving(of_run=leave)


def _enter_object(interp: Interpreter, cls: Class, ref: Ref, node: ast.expr) -> tuple[Value, Leaving]:
    found = classes.find(interp, cls, "__enter__") or classes.find(interp, cls, "__aenter__")
    entered: Value = ref
    if isinstance(found, Function):
        entered = interp.call_function(found, [ref], node)
    leaving = classes.find(interp, cls, "__exit__") or classes.find(interp, cls, "__aexit__")
    mode = function_modes.enter(interp, cls)

    def leave() -> None:
        mode.in_state()
        if isinstance(leaving, Function) and not interp.state.dead:
            nothing = (Arg(NONE), Arg(NONE), Arg(NONE))
            interp.call_function(leaving, [ref], node, CallSite(node, nothing))

    return entered, Leaving(leave, mode.of_run)
