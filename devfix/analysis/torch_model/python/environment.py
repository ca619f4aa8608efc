"""The environment of the process: whoever starts the program by hand has set none of its variables."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from devfix.analysis.domain.lattice import parse_device
from devfix.analysis.domain.values import UNKNOWN, Const, DeviceValue, External, Scalar, Value
from devfix.analysis.language.frames import CallSite
from devfix.analysis.text.scope_names import binds
from devfix.analysis.text.syntax import remembered, walk
from devfix.analysis.torch_model.devices import device_settings

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def asked(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``os.environ.get(name, default)`` gives the default."""
    return _by_default(site.value(1, "default"))


#: How many processors a machine with an accelerator has at least, as a rule.
_PROCESSORS = 4


def processors(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``os.cpu_count()``: a number that is not known, and usually of several."""
    return Scalar("int", _PROCESSORS)


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


def is_asked(interp: Interpreter, node: ast.expr) -> bool:
    """Whether an expression asks for a variable without a default, as the left side of ``os.getenv(name) or default`` does.

    So does a name that stands for the answer and for nothing else, and ``getattr(args, "device", None)``.
    """
    if isinstance(node, ast.Name):
        source = interp.source
        return source.has_one_between(_ASKING, 1, len(source.lines)) and node.id in _answers(source.tree)
    return _is_call(node) or (isinstance(node, ast.Call) and _is_of_options(interp, node))


#: What the text has of any call that asks the environment.
_ASKING = ("environ", "getenv")


@remembered
def _answers(tree: ast.Module) -> frozenset[str]:
    """The names that a file gives to what the environment says, and to nothing else."""
    nodes = list(walk(tree))
    bound = Counter(name for node in nodes for name in binds(node))
    bound.update(node.arg for node in nodes if isinstance(node, ast.arg))
    assigned = (node for node in nodes if isinstance(node, ast.Assign) and _is_call(node.value))
    named = (node.targets[0] for node in assigned)
    return frozenset(each.id for each in named if isinstance(each, ast.Name) and bound[each.id] == 1)


def _is_call(node: ast.expr) -> bool:
    name, given = _call(node)
    return name in ("environ.get", "getenv") and given in ([], [None], [""])


def _is_of_options(interp: Interpreter, node: ast.Call) -> bool:
    """Whether options are asked for a device that they may have none of."""
    name, given = _call(node)
    if name != "getattr" or len(given) != 2 or not isinstance(given[0], str) or given[1] is not None:
        return False
    return device_settings.is_called(given[0]) and are_options(interp, interp.eval(node.args[0]))


def are_options(interp: Interpreter, value: Value) -> bool:
    """Whether a value holds the options that a parser gives."""
    obj = interp.obj_of(value)
    return obj is not None and obj.cls == External("argparse.Namespace")


def _call(node: ast.expr) -> tuple[str, list[object]]:
    """What is called, and all arguments but the first; "" for anything else."""
    if not isinstance(node, ast.Call) or not node.args or node.keywords:
        return "", []
    given: list[object] = [arg.value if isinstance(arg, ast.Constant) else arg for arg in node.args[1:]]
    return ast.unparse(node.func).removeprefix("os."), given
