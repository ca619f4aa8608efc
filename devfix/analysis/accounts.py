"""Accounts: how much of the analysis each function may take, so that it comes to an end in large programs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import UNKNOWN_DEVICE, Device
from devfix.analysis.domain.values import (
    BoundMethod,
    Const,
    DeviceValue,
    ExternalMethod,
    Function,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Value,
)
from devfix.analysis.nn.modules import is_module, module_device

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

#: A function is interpreted in at least so many contexts, and in more until it took so many statements.
Limit = tuple[int, int]

#: In fewer where no script calls, as arguments that nobody chose tell contexts apart by little.
_CALLED, _UNCALLED = (3, 2_500), (3, 500)
#: In hardly any where in the same file a call was like this one: one more has seldom something to tell.
_ALIKE = (2, 30)
#: A run that no script began is long after so many statements. From there on it follows what is new or
#: cheap alone: what is unknown at its start has been lost sight of, and others have seen the rest.
_LONG_RUN = 100
_IN_LONG_RUN = (3, _LONG_RUN)
#: A forward whose operands are on other devices, or of other dtypes, than ever before is followed in any case: so often in a run
#: that is not too long already, and with all it calls for so many statements.
_GRANTS, _GRANTED_STEPS, _LATE = 8, 1_500, 12_000

#: As long as less than this part of an account is taken, a few statements more or less do not matter.
_AMPLE = 0.8

#: Where the operands of a call are, each in its turn, and of what dtype.
Devices = tuple[str, ...]


#: How often something was done, and in how many statements.
Taken = tuple[int, int]


def is_beyond(calls: int, steps: int, limit: Limit) -> bool:
    """Whether so many calls and statements of a function are enough."""
    return calls >= limit[0] and steps >= limit[1]


@dataclass(slots=True)
class Account:
    """How often a function was interpreted, how many statements that took with all it called, and what it gave."""

    calls: int = 0
    steps: int = 0
    #: What the last call with these arguments gave; tensors are one where device, dtype and rank are.
    results: dict[tuple[Value, ...], Value] = field(default_factory=dict)
    granted: set[Devices] = field(default_factory=set)
    #: What calls gave since that was last asked: most functions are never asked for it.
    _given: list[tuple[tuple[Value, ...], Value]] = field(default_factory=list)
    #: The first arguments of each kind, among as many results as were asked for so far.
    _firsts: dict[tuple[Hashable, ...], tuple[Value, ...]] = field(default_factory=dict)
    _asked: int = 0
    #: Where the modules were that calls gave, when they did.
    homes: dict[int, Device | None] = field(default_factory=dict)
    #: What was taken before; and by then, for each limit, when it was last found not to be reached, and when first to be.
    before: Taken = (0, 0)
    kept_to: dict[Limit, Taken] = field(default_factory=dict)
    reached: dict[Limit, Taken] = field(default_factory=dict)

    def is_overdrawn(self, limit: Limit) -> bool:
        """Whether the function must not be interpreted again: it is beyond the ``limit``.

        What it gave before is forgotten (see ``Library.begin_anew``): where a call is cheap one more tells it again.
        """
        if self.calls == self.before[0] and self.steps <= _LONG_RUN * self.calls:
            return False
        if is_beyond(self.calls, self.steps, limit):
            if limit not in self.reached:
                self.reached[limit] = self.taken()
            return True
        self.kept_to[limit] = self.taken()
        return False

    def taken(self) -> Taken:
        """How often it was interpreted, and in how many statements, apart from what was before."""
        calls, steps = self.before
        return self.calls - calls, self.steps - steps

    def known(self, given: tuple[Value, ...]) -> Value | None:
        """What a call with these arguments gave, or else one with tensors like these and any other objects.

        Where that one gave an object that it was given, this one gives its own.
        """
        self.results.update(self._given)
        self._given.clear()
        found = self.results.get(given)
        if found is not None:
            return found
        for others in islice(self.results, self._asked, None):
            self._firsts.setdefault(tuple(map(_kind, others)), others)
        self._asked = len(self.results)
        first = self._firsts.get(tuple(map(_kind, given)))
        if first is None:
            return None
        result = self.results[first]
        if isinstance(result, Ref) and result in first:
            return given[first.index(result)]
        return result if _have_objects_of(first, given) else _of_other_objects(result, given)

    def book(self, steps: int) -> None:
        """Write down one more call."""
        self.calls += 1
        self.steps += steps

    def keep(self, given: tuple[Value, ...], result: Value) -> None:
        """Write down what a call with these arguments gave."""
        self._given.append((given, result))


def may_follow(interp: Interpreter, function: Function, site: CallSite, *, alike: bool = False) -> bool:
    """Whether a function may be interpreted once more; ``alike`` tells that a call was like this one."""
    account = interp.library.account(function)
    if interp.steps < interp.free_until:
        return True
    if not account.is_overdrawn(_limit(interp, alike=alike and not _tells_more(function, site))):
        return True
    return interp.is_script and _is_granted(interp, account, site)


def _tells_more(function: Function, site: CallSite) -> bool:
    """Whether a call has something to tell though another was like it.

    A constructor fills an object that is empty without it, and what is known to be somewhere meets a module that may be elsewhere.
    """
    values = [arg.value for arg in site.all_args()]
    return getattr(function.node, "name", "") == "__init__" or any(
        isinstance(value, DeviceValue)
        or (isinstance(value, Tensor) and value.device.kind in ("cpu", "accelerator"))
        for value in values
    )


def may_run_dry(interp: Interpreter, account: Account, *, alike: bool) -> bool:
    """Whether a few more statements might make a difference to what is followed."""
    contexts, steps = _CALLED if interp.is_script else _ALIKE if alike else _IN_LONG_RUN
    return account.calls >= contexts and account.steps >= steps * _AMPLE


def _limit(interp: Interpreter, *, alike: bool) -> Limit:
    """What a function may take in the run that goes on."""
    if interp.is_script:
        return _CALLED
    if alike:
        return _ALIKE
    return _IN_LONG_RUN if interp.steps > _LONG_RUN else _UNCALLED


def keep(interp: Interpreter, account: Account, given: tuple[Value, ...], result: Value) -> None:
    """Write down what a call with these arguments gave."""
    account.keep(_in_these_circumstances(interp, given), result)
    if isinstance(result, Ref) and is_module(interp, result):
        account.homes[result.address] = module_device(interp, result)


def _in_these_circumstances(interp: Interpreter, given: tuple[Value, ...]) -> tuple[Value, ...]:
    """What decides what a call with these arguments gives.

    The precision of autocast is part of it, where factories make things, and whether autograd records.
    """
    return _where_autograd(interp, interp.grad, given)


def _where_autograd(interp: Interpreter, records: bool | None, given: tuple[Value, ...]) -> tuple[Value, ...]:
    return (Const((interp.autocast, records, interp.state.default_device)), *given)


def _was_moved(interp: Interpreter, account: Account, given: tuple[Value, ...], found: Value) -> bool:
    """Whether a module that a call made is elsewhere by now: one that is made anew would be where that one was."""
    if not isinstance(found, Ref) or found in given or found.address not in account.homes:
        return False
    return module_device(interp, found) != account.homes[found.address]


def known(interp: Interpreter, account: Account, given: tuple[Value, ...]) -> Value | None:
    """What a function that is not followed any more gives again; None when that is not known."""
    found = account.known(_in_these_circumstances(interp, given))
    if found is None and interp.grad is False:
        found = _unrecorded(account.known(_where_autograd(interp, True, given)))
    if found is None or not is_there(interp, found) or _was_moved(interp, account, given, found):
        return None
    return _where_its_module_is(interp, found, given)


def _unrecorded(found: Value | None) -> Value | None:
    """What a call gave as autograd recorded it, for one that it does not record; None where that may not be the same."""
    if isinstance(found, TupleValue):
        items = [_unrecorded(item) for item in found.items]
        kept = [item for item in items if item is not None]
        return found.with_items(kept) if len(kept) == len(items) else None
    if not isinstance(found, Tensor) or found.parameter or found.leaf:
        return found if isinstance(found, (Scalar, Const)) else None
    return replace(found, grad=False, leaf=None)


def _where_its_module_is(interp: Interpreter, found: Value, given: tuple[Value, ...]) -> Value:
    """What another module of the same kind gave: nobody knows where this one gives the tensors in it that is elsewhere."""
    if not isinstance(found, (Tensor, TupleValue)):
        return found
    modules = (value for value in given if isinstance(value, Ref) and is_module(interp, value))
    homes = [
        home
        for home in (module_device(interp, each) for each in modules)
        if home is not None and home.is_known
    ]
    return _unless_elsewhere(found, homes) if homes else found


def _unless_elsewhere(found: Value, homes: list[Device]) -> Value:
    if isinstance(found, TupleValue):
        return found.with_items(_unless_elsewhere(item, homes) for item in found.items)
    if not isinstance(found, Tensor) or all(home == found.device for home in homes):
        return found
    return replace(found, device=UNKNOWN_DEVICE, split=None)


def is_there(interp: Interpreter, result: Value) -> bool:
    """Whether what a call gave some time ago is still there: objects made on another path, or in another run, are not."""
    if isinstance(result, (Union, TupleValue)):
        parts = result.members if isinstance(result, Union) else result.items
        return all(is_there(interp, part) for part in parts)
    if isinstance(result, Sequence):
        return is_there(interp, result.element)
    if isinstance(result, (BoundMethod, ExternalMethod)):
        return is_there(interp, result.receiver)
    return not isinstance(result, Ref) or interp.obj_of(result) is not None


def _is_granted(interp: Interpreter, account: Account, site: CallSite) -> bool:
    """Whether a module is called with operands where none have been since its account is empty."""
    if interp.granted >= _GRANTS or interp.steps > _LATE:
        return False
    devices = _devices(interp, site)
    if devices is None or devices in account.granted:
        return False
    account.granted.add(devices)
    interp.granted += 1
    interp.free_until = interp.steps + _GRANTED_STEPS
    return True


def _devices(interp: Interpreter, site: CallSite) -> Devices | None:
    """Where a module on an accelerator and what it is called with are, and how it is asked; None for any other call."""
    values: list[Value] = [arg.value for arg in site.all_args()]
    if len(values) < 2 or not is_module(interp, values[0]):
        return None
    home = module_device(interp, values[0])
    tensors = [value for value in values[1:] if isinstance(value, Tensor)]
    if home is None or not home.is_accelerator or not any(tensor.device.is_known for tensor in tensors):
        return None
    asked = [
        str(value.value) for value in values[1:] if isinstance(value, Const) and isinstance(value.value, bool)
    ]
    return (f"{home} {interp.autocast}", *(f"{tensor.device} {tensor.dtype}" for tensor in tensors), *asked)


def _kind(value: Value) -> Hashable:
    """What alike arguments have in common, which differ in nothing but which object, tensor or number they are."""
    if isinstance(value, Tensor):
        return (Tensor, value.device, value.dtype)
    if isinstance(value, Scalar) or (isinstance(value, Const) and value.value.__class__ in (int, float)):
        return Scalar
    return Ref if _is_object(value) else value


def _have_objects_of(one: tuple[Value, ...], other: tuple[Value, ...]) -> bool:
    """Whether two calls were given the same objects."""
    return all(a == b for a, b in zip(one, other, strict=True) if _is_object(a))


def _of_other_objects(result: Value, given: tuple[Value, ...]) -> Value:
    """What a call gave, for one with other objects: where they keep their tensors, and of what dtype, only such tell that it is given."""
    if isinstance(result, TupleValue):
        return result.with_items(_of_other_objects(item, given) for item in result.items)
    if not isinstance(result, Tensor):
        return result
    tensors = [value for value in given if isinstance(value, Tensor)]
    if result.dtype is not None and all(tensor.dtype != result.dtype for tensor in tensors):
        result = replace(result, dtype=None)
    if not result.device.is_known or any(tensor.device == result.device for tensor in tensors):
        return result
    return replace(result, device=UNKNOWN_DEVICE, split=None, paths=())


def _is_object(value: Value) -> bool:
    return isinstance(value, Ref) or (
        isinstance(value, Union) and all(isinstance(member, Ref) for member in value.members)
    )
