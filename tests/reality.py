"""Reality: a program run by Python, and whether what the analysis claims of it is true."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from text_program import Ending, files

from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import (
    UNKNOWN,
    Array,
    BoundMethod,
    Class,
    Const,
    DeviceValue,
    DTypeValue,
    Function,
    Obj,
    Ref,
    Scalar,
    Sequence,
    Tensor,
    TupleValue,
    Union,
    Value,
)
from devfix.analysis.language import list_places

#: Values hold each other; deeper than this nothing new is claimed.
_DEPTH = 6


def run(*texts: str, **named: str) -> dict[str, Any]:
    """The globals of ``main.py`` after Python has run it without arguments, with the other files as its modules."""
    sources = files(*texts, **named)
    names: dict[str, Any] = {"__name__": "__main__"}
    with _modules({path.removesuffix(".py"): text for path, text in sources.items()}):
        torch.manual_seed(0)
        with contextlib.redirect_stdout(io.StringIO()), patch.object(sys, "argv", ["main.py"]):
            exec(compile(sources["main.py"], "main.py", "exec", dont_inherit=True), names)
    return names


@contextlib.contextmanager
def _modules(texts: dict[str, str]) -> Iterator[None]:
    """Make files importable; each may import those after it."""
    try:
        for name, text in reversed(texts.items()):
            if name != "main":
                module = sys.modules[name] = ModuleType(name)
                exec(compile(text, f"{name}.py", "exec", dont_inherit=True), module.__dict__)
        yield
    finally:
        for name in texts:
            sys.modules.pop(name, None)


def lies(*texts: str, **named: str) -> list[str]:
    """What the analysis claims of the globals of a program that is not so."""
    real = run(*texts, **named)
    end = Ending(*texts, **named)
    names = [name for name in real if not name.startswith("__")]
    return [
        f"{name}: {_brief(end[name])}, not {_brief_real(real[name])}"
        for name in names
        if not holds(end, end[name], real[name])
    ]


def _brief(claim: Value) -> str:
    if isinstance(claim, Tensor):
        marks = [word for word in ("parameter", "grad", "leaf") if getattr(claim, word)]
        return f"tensor {claim.device} {claim.dtype} {claim.rank}-dim {marks}"
    return str(claim)


def _brief_real(real: object) -> str:
    if isinstance(real, torch.Tensor):
        flags = {
            "parameter": isinstance(real, torch.nn.Parameter),
            "grad": real.requires_grad,
            "leaf": real.is_leaf,
        }
        return f"{real.device} {real.dtype} {real.dim()}-dim {[word for word in flags if flags[word]]}"
    return repr(real)


def holds(end: Ending, claim: Value, real: object, depth: int = 0) -> bool:
    """Whether ``claim`` may be said of ``real``."""
    if isinstance(claim, Union):
        return any(holds(end, member, real, depth) for member in claim.members)
    if isinstance(claim, Ref):
        obj = end.interpreter.obj_of(claim)
        return obj is None or depth > _DEPTH or _object_holds(end, obj, real, depth + 1)
    if isinstance(claim, TupleValue):
        return (
            isinstance(real, tuple)
            and len(real) == len(claim.items)
            and all(holds(end, item, part, depth + 1) for item, part in zip(claim.items, real, strict=True))
        )
    if isinstance(claim, Sequence):
        parts = real if isinstance(real, (list, tuple, range)) else ()
        return all(holds(end, claim.element, part, depth + 1) for part in parts)
    return _plain_value_holds(claim, real)


def _plain_value_holds(claim: Value, real: object) -> bool:
    match claim:
        case Const(value):
            return type(value) is type(real) and value == real
        case Scalar("float"):
            # What is an int on one path and a float on another is called a float.
            return isinstance(real, (bool, int, float))
        case Scalar(type=name):
            return type(real).__name__ == name
        case Tensor():
            return isinstance(real, torch.Tensor) and _tensor_holds(claim, real)
        case Array(dtype, rank):
            return isinstance(real, (np.ndarray, np.generic)) and (
                dtype in (None, str(real.dtype)) and _rank_holds(rank, real.ndim)
            )
        case DTypeValue(name):
            return name is None or str(real).removeprefix("torch.") == name
        case DeviceValue(device):
            return not device.is_known or str(real).startswith(str(device))
        case Function() | BoundMethod():
            return callable(real)
        case Class():
            return isinstance(real, type)
    return True


def _tensor_holds(claim: Tensor, real: torch.Tensor) -> bool:
    return (
        (not claim.device.is_known or claim.device.kind == real.device.type)
        and claim.dtype in (None, str(real.dtype).removeprefix("torch."))
        and _rank_holds(claim.rank, real.dim())
        and (not claim.empty or real.numel() == 0)
        and (not claim.parameter or isinstance(real, torch.nn.Parameter))
        and claim.grad in (None, real.requires_grad)
        # Without a gradient PyTorch calls every tensor a leaf, and nobody asks.
        and (claim.leaf in (None, real.is_leaf) or not real.requires_grad)
    )


def _rank_holds(claim: int | None, real: int) -> bool:
    return claim in (None, real) or (claim == AT_LEAST_1 and real >= 1)


def _object_holds(end: Ending, obj: Obj, real: object, depth: int) -> bool:
    if obj.kind == "list" and isinstance(real, list):
        return _items_hold(end, obj, real, depth)
    if obj.kind == "dict":
        return isinstance(real, dict) and all(
            holds(end, obj.attrs.get(str(key), obj.element or Const(None)), value, depth)
            for key, value in real.items()
            if str(key) in obj.attrs or obj.element is not None
        )
    if obj.kind == "instance":
        name = obj.cls.node.name if isinstance(obj.cls, Class) else type(real).__name__
        own = vars(real) if hasattr(real, "__dict__") else getattr(real, "_fields", ())
        present = {key: getattr(real, key) for key in obj.attrs if key in own}
        return type(real).__name__ == name and all(
            holds(end, obj.attrs[key], value, depth) for key, value in present.items()
        )
    if obj.kind == "module":
        return isinstance(real, torch.nn.Module)
    return obj.kind not in ("list", "set") or isinstance(real, (list, set, frozenset))


def _items_hold(end: Ending, obj: Obj, real: list[object], depth: int) -> bool:
    known = obj.items or ()
    if obj.element is None and list_places.GROWN not in obj.facts:
        return len(known) == len(real) and all(
            holds(end, claim, item, depth) for claim, item in zip(known, real, strict=True)
        )
    if obj.element is None:
        # A list that grew in a loop was followed for some rounds: how many items are between these is not claimed.
        claims = [list_places.item(obj, place) or UNKNOWN for place in range(len(real))]
        return all(holds(end, claim, item, depth) for claim, item in zip(claims, real, strict=True))
    claims = [*known, obj.element]
    return all(any(holds(end, claim, item, depth) for claim in claims) for item in real)
