"""The environment of the process: whoever starts the program by hand has set none of its variables."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.frames import CallSite
from devfix.analysis.lattice import parse_device
from devfix.analysis.values import UNKNOWN, Const, DeviceValue, Scalar, Value

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def asked(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``os.environ.get(name, default)`` gives the default."""
    return _by_default(site.value(1, "default"))


def instead(default: Value) -> Value:
    """``os.environ.get(name) or default`` gives the default, too."""
    if isinstance(default, DeviceValue) and default.device.is_accelerator:
        return default
    return _by_default(default) if isinstance(default, Const) and isinstance(default.value, str) else UNKNOWN


def _by_default(default: Value | None) -> Value:
    """An accelerator where the default names one, else no more than its type."""
    if not isinstance(default, Const) or default.value is None:
        return UNKNOWN
    device = parse_device(str(default.value))
    if device.is_known:
        return default if device.is_accelerator else UNKNOWN
    return Scalar("str", default.value)


def is_asked(node: ast.expr) -> bool:
    """Whether an expression asks for a variable without a default, as the left side of ``os.getenv(name) or default`` does."""
    if not isinstance(node, ast.Call) or not node.args:
        return False
    given = [arg.value if isinstance(arg, ast.Constant) else arg for arg in node.args[1:]]
    name = ast.unparse(node.func).removeprefix("os.")
    return name in ("environ.get", "getenv") and not node.keywords and given in ([], [None], [""])
