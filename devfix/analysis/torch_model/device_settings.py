"""Settings that name the device: what a file or a user says is not known, and that it is the accelerator is assumed."""

from __future__ import annotations

import ast
import re

from devfix.analysis.frames import Arg
from devfix.analysis.values import DeviceValue, External, ExternalMethod, Scalar, Unknown, Value, without_none

#: How the one device of a program is called; ``buffer_device`` may be another one.
_CALLED = re.compile(r"(torch_?)?(device|gpu|cuda)(_?(id|idx|index|name|str|type))?", re.IGNORECASE)


def is_setting(arg: Arg | None) -> bool:
    """Whether a device is named by what a program read from somewhere: ``config.device``, ``config["device"]``."""
    if arg is None or arg.node is None or not _is_open(without_none(arg.value)):
        return False
    name = _key(arg.node)
    return name is not None and _CALLED.fullmatch(name) is not None


def _is_open(value: Value) -> bool:
    """Whether a value may be the name of any device; that of ``x.device`` is one where nobody knows what ``x`` is."""
    if isinstance(value, DeviceValue):
        return not value.followed and value.device.kind in ("same-as", "unknown")
    return isinstance(value, (Unknown, External, ExternalMethod)) or value == Scalar("str")


def _key(node: ast.expr) -> str | None:
    """The name of what is read, if that is an entry or an attribute."""
    if isinstance(node, ast.Attribute):
        return node.attr
    key = node.slice if isinstance(node, ast.Subscript) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        key = node.args[0] if node.args else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
