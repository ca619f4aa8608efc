"""Settings that name the device: what a file or a user says is not known, and that it is the accelerator is assumed.

What is read under such a name of a value of which nothing is known has a token that says so. So does an option that
has no default, and what a decorator gives a function.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import (
    Const,
    DeviceValue,
    External,
    ExternalMethod,
    Scalar,
    Unknown,
    Value,
    is_option,
    option,
    without_none,
)
from devfix.analysis.language.frames import Arg, CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_ENVIRONMENT = External("os.environ")
#: How the one device of a program is called; ``buffer_device`` may be another one.
_CALLED = re.compile(r"(torch_?)?(device|gpu|cuda)(_?(id|idx|index|name|str|type))?", re.IGNORECASE)


def is_setting(arg: Arg | None) -> bool:
    """Whether a device is named by what a program read from somewhere: ``config.device``, ``config["device"]``."""
    if arg is None or arg.node is None or not _is_open(without_none(arg.value)):
        return False
    name = _key(arg.node)
    if name is not None and arg.value == _ENVIRONMENT and name.endswith("_DEVICE"):
        return True  # the names of a program's own variables begin with its own
    return name is not None and is_called(name)


def is_called(name: str) -> bool:
    """Whether that is how the device of a program is called."""
    return _CALLED.fullmatch(name) is not None


def is_device(value: Value) -> bool:
    """Whether a value is a setting under such a name."""
    return is_option(value) and is_called(value.token.rpartition(".")[2])


def is_held_to_host(one: Arg, other: Arg) -> bool:
    """Whether one of two operands is such a setting and the other the text ``"cpu"``, which it is taken not to be."""
    if one.value == Const("cpu"):
        one, other = other, one
    if other.value != Const("cpu"):
        return False
    return is_device(one.value) or (isinstance(one.value, External) and is_setting(one))


def entry(key: Value) -> Value | None:
    """``config["device"]``: the device, for no batch has an entry of that name; None for other keys."""
    name = key.value if isinstance(key, Const) else None
    return option(name) if isinstance(name, str) and is_called(name) else None


def got(site: CallSite) -> Value | None:
    """``config.get("device", "cpu")``, like :func:`entry`; None for any other call of something unknown.

    What is True or False unless the file says otherwise is no device.
    """
    func = site.node.func if isinstance(site.node, ast.Call) else None
    asks = isinstance(func, ast.Attribute) and func.attr == "get" and site.args
    otherwise = site.args[1].value if len(site.args) > 1 else None
    is_truth = isinstance(otherwise, Const) and isinstance(otherwise.value, bool)
    return entry(site.args[0].value) if asks and not is_truth else None


def read(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``OmegaConf.load(path)``: settings, whose attributes are what files say."""
    return option()


#: What reads settings whose entries are attributes.
HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = dict.fromkeys(
    (
        "omegaconf.OmegaConf.load",
        "omegaconf.OmegaConf.merge",
        "omegaconf.OmegaConf.from_cli",
        "hydra.compose",
    ),
    read,
)


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
