"""Suspicion: which operand does not fit, by its role in the operation, from the text alone."""

from __future__ import annotations

from dataclasses import dataclass

from devfix.tracebacks import signatures
from devfix.tracebacks.dtypes import FLOATS
from devfix.tracebacks.readings import Reading, is_accelerator, is_host


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Operands that do not fit, by their roles, and how that is known.

    ``device`` and ``dtype`` are what they have, ``peer`` is the device of what they meet, ``wanted`` the
    dtype they should have. No roles: an operand is to blame, and the text does not say which.
    """

    roles: tuple[str, ...] = ()
    device: str = ""
    dtype: str = ""
    wanted: str = ""
    peer: str = ""
    how: str = ""


def suspect(reading: Reading, call: str) -> Suspicion:
    """Whom the text accuses, in a call of ``call``."""
    if reading.devices and reading.kind == "device":
        found = _of_devices(reading, call)
    elif reading.on and reading.argument and _means_operands(reading, call):
        found = _of_named(reading, call)
    elif len(set(reading.dtypes.values())) > 1:
        found = _of_dtypes(reading, call)
    elif reading.argument and not (reading.on and reading.kind == "device"):
        role = signatures.argument_role(call, reading.operator, reading.argument)
        device = "" if reading.kind != "device" else "cuda" if is_host(reading.others) else "cpu"
        how = "" if device else "PyTorch names it"
        found = Suspicion((role,), device, dtype=reading.found, wanted=reading.wanted, how=how)
    elif reading.kind == "dtype" and reading.wanted and reading.found:
        found = _of_two_dtypes(reading.wanted, reading.found, call)
    else:
        host = any(is_host(device) for device in reading.all_devices)
        found = Suspicion(device="cpu" if host else "", dtype=reading.found, wanted=reading.wanted)
    return found


def _means_operands(reading: Reading, call: str) -> bool:
    """Whether the operator of the text got the operands of the call, not something made of them."""
    known = signatures.operator_key(reading.operator, tuple(signatures.OPERATORS))
    return not known or signatures.is_natural(call, reading.operator)


def spoken(device: str) -> str:
    """A device in words."""
    return {"cpu": "the CPU", "cuda": "the GPU", "": "another device"}.get(device, device)


def _of_named(reading: Reading, call: str) -> Suspicion:
    """The text names one argument: it is compared with the first, which may well be the odd one."""
    argument = reading.argument
    named = signatures.argument_role(call, reading.operator, argument)
    if reading.kind == "device" and not is_host(reading.on) and is_host(reading.others):
        earlier = signatures.before(call, reading.operator, argument)
        earlier = ("tensors[0]",) if argument == "tensors" else earlier
        how = (
            f"PyTorch compares each operand with the first: `{argument}` is on {spoken(reading.on)},"
            " so what comes before it is on the CPU"
        )
        return Suspicion(earlier, reading.others, peer=reading.on, how=how)
    how = f"PyTorch names it: `{argument}` is on {spoken(reading.on)}"
    return Suspicion((named,), reading.on, peer=reading.others, how=how)


def _of_devices(reading: Reading, call: str) -> Suspicion:
    """The text gives the device of each operand."""
    hosts = [role for role, device in reading.devices.items() if is_host(device)]
    others = [device for device in reading.devices.values() if is_accelerator(device)]
    told = ", ".join(f"{role} is on {spoken(device)}" for role, device in reading.devices.items())
    roles = tuple(signatures.argument_role(call, reading.operator, role) for role in hosts)
    if reading.operator == "index":
        roles, told = ("self",), "an indexed tensor is the only one that may not be on the CPU here"
        others = others or ["cuda"]
    return Suspicion(
        roles, "cpu" if hosts else "", peer=next(iter(others), ""), how=f"PyTorch says so: {told}"
    )


def _of_dtypes(reading: Reading, call: str) -> Suspicion:
    """The text gives the dtype of each operand.

    A module's weights are never cast, what is written to decides. Otherwise the odd one is cast: the one
    that is alone, an integer, float64. Between float32 and half nothing can be said.
    """
    named = {role: dtype for role, dtype in reading.dtypes.items() if dtype}
    how = "PyTorch says so: " + ", ".join(f"{role} is {dtype}" for role, dtype in named.items())
    roles = {role: _role_of_text(reading, call, role) for role in named}
    fixed = [role for role in named if roles[role] in signatures.OF_MODULE]
    fixed = fixed or [role for role in ("self", "query") if role in named]
    wanted = named[fixed[0]] if fixed else _majority(list(named.values()))
    if not wanted:
        return Suspicion(how=how)
    odd = [role for role in named if named[role] != wanted]
    if not odd:
        return Suspicion(how=how)  # a text that was cut names one dtype twice
    return Suspicion(tuple(roles[role] for role in odd), dtype=named[odd[0]], wanted=wanted, how=how)


def _majority(dtypes: list[str]) -> str:
    """The dtype that the others should have; "" when that is a matter of taste."""
    often = max(dtypes, key=dtypes.count)
    if dtypes.count(often) > 1:
        return often
    one, other = dtypes[0], dtypes[-1]
    return _more_wanted(one, other) if _less_wanted(one, other) else ""


def _role_of_text(reading: Reading, call: str, role: str) -> str:
    name = {"m1": "mat1", "m2": "mat2", "a": "A", "b": "B"}.get(role, role)
    operator = "addmm" if name in ("mat1", "mat2") else reading.operator
    return signatures.argument_role(call, operator, name)


#: Products that check the second operand's dtype against the first's.
_PAIRS = frozenset("matmul mm bmm mv dot cdist grid_sample".split())


def _of_two_dtypes(first: str, second: str, call: str) -> Suspicion:
    """``expected scalar type`` (of the first operand) ``but found`` (in a later one)."""
    odd = _less_wanted(first, second)
    wanted = _more_wanted(first, second)
    how = f"one operand is {first}, another {second}"
    if odd and call in _PAIRS:
        role = signatures.CALLS[call][0 if odd == first else 1]
        return Suspicion(
            (role,), dtype=odd, wanted=wanted, how=f"{how}; the first operand is the {first} one"
        )
    parameters = signatures.CALLS.get(call, ())
    of_weights = "weight" in parameters and "target" not in parameters
    return Suspicion(("input",) if of_weights and odd else (), dtype=odd, wanted=wanted, how=how)


def _less_wanted(one: str, other: str) -> str:
    """Of two dtypes the one that came in by accident: an integer, or else float64; "" when neither did."""
    odd = [dtype for dtype in (one, other) if dtype not in FLOATS] or [
        dtype for dtype in (one, other) if dtype == "float64"
    ]
    return odd[0] if len(odd) == 1 else ""


def _more_wanted(one: str, other: str) -> str:
    return other if _less_wanted(one, other) == one else one
