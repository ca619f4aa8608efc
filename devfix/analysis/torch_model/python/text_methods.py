"""Methods of strings: exact where the string and the arguments are known."""

from __future__ import annotations

import ast
import contextlib
import re
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import DTYPES
from devfix.analysis.domain.values import (
    UNKNOWN,
    Const,
    DTypeValue,
    Obj,
    Scalar,
    Sequence,
    TupleValue,
    Value,
    usual_value,
)
from devfix.analysis.language import iteration, text_keys
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.python.folding import LONGEST

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What the methods give that give no string; those of ``_LISTS`` give several.
_LISTS = ("split", "rsplit", "splitlines")
_RESULTS = {"startswith": "bool", "endswith": "bool", "find": "int",
            "count": "int", "index": "int", "isdigit": "bool"}  # fmt: skip
#: What is worked out as Python does: short results of short arguments.
_EXACT = frozenset(
    "split rsplit partition rpartition startswith endswith removeprefix removesuffix strip lstrip rstrip "
    "lower upper title capitalize isdigit replace count find zfill format".split()
)
_LONGEST = 200
#: An accelerator by its number.
_NUMBERED = re.compile(r"cuda:\d+")
#: A width, which makes a long text of a short one, or one that is given as an argument.
_WIDE = re.compile(r"\d{4}|\*|\{[^{}]*\{")
#: How Python refuses arguments.
_REFUSALS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
#: What is done with a value before it is shown, by the letter that says so.
_CONVERSIONS: dict[int, Callable[[object], str]] = {ord("s"): str, ord("r"): repr, ord("a"): ascii}
_PLACEHOLDER = re.compile(r"%[sdr]|%\.?0?\d*[df]|\{[^{}]*\}")


def call(interp: Interpreter, text: Value, name: str, site: CallSite) -> Value:
    """``text.name(...)``."""
    if name == "format_map":
        return _format_map(interp, text, site)
    if isinstance(text, Const) and isinstance(text.value, str) and not site.open:
        found = _joined(interp, text.value, site) if name == "join" else None
        found = _exact(interp, text.value, name, site) if name in _EXACT else found
        if found is not None:
            return found
    if isinstance(text, Scalar) and isinstance(text.usual, str):
        usual = call(interp, Const(text.usual), name, site)
        if isinstance(usual, Const) and name != "format":
            return Scalar(type(usual.value).__name__, usual.value)
    if isinstance(text, Const) and name == "format":
        return _filled(str(text.value), text_keys.ends_of_format(str(text.value)))
    if name in _LISTS:
        return Sequence(Scalar("str"))
    return UNKNOWN if name == "encode" else Scalar(_RESULTS.get(name, "str"))


def _format_map(interp: Interpreter, text: Value, site: CallSite) -> Value:
    """``text.format_map(entries)``: what ``text.format(**entries)`` is."""
    held = interp.obj_of(site.value(0))
    if held is None or held.kind != "dict" or held.element is not None:
        return Scalar("str")
    named = {key: Arg(value) for key, value in held.attrs.items()}
    return call(interp, text, "format", CallSite(site.node, keywords=named))


def words(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``shlex.split("--device cuda")``: the words of a command, as a shell reads them."""
    given = site.value(0, "s")
    text = given.value if isinstance(given, Const) else None
    if isinstance(text, str) and len(text) <= _LONGEST and len(site.args) == 1 and not site.keywords:
        with contextlib.suppress(ValueError):
            return interp.new(Obj("list", items=tuple(map(Const, shlex.split(text)))))
    return Sequence(Scalar("str"))


def path(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``os.path.join(folder, "last.pt")``: of folders that nobody knows a text that ends as its last part does."""
    last = site.args[-1].value if site.args and not site.open else None
    if not isinstance(last, (Const, Scalar)) or scalar_type(last) != "str":
        return UNKNOWN
    return Scalar("str", ends=("", str(last.value) if isinstance(last, Const) else last.ends[1]))


def sliced(interp: Interpreter, text: str, node: ast.Slice) -> Value:
    """``text[begin:end]``."""
    bounds = iteration.known_slice(interp, node)
    return Scalar("str") if bounds is None else Const(text[bounds])


def percent(text: str, given: Value) -> Value:
    """``"layer%d" % 3``."""
    args = _plain(given)
    some = _filled(text, text_keys.ends_of_percent(text))
    if args is None or len(text) > _LONGEST or _is_wide(text) or not _is_short(args):
        return some
    try:
        result = text % args
    except _REFUSALS:
        return some
    return Const(result) if len(result) <= _LONGEST else some


def _filled(text: str, ends: tuple[str, str]) -> Value:
    """``"cuda:%d" % n`` and ``"cuda:{}".format(n)``: an accelerator, of an index not known."""
    return Const("cuda:?") if text.startswith(("cuda:%", "cuda:{")) else Scalar("str", ends=ends)


def of_dtype(value: DTypeValue) -> Value:
    """``str(x.dtype)``, which has the package in its beginning where the dtype is one of torch."""
    known = value.of_torch and value.name in DTYPES
    return Const(f"torch.{value.name}") if known else Scalar("str")


def shown(value: Value, conversion: int, form: Value) -> Value:
    """What an f-string has of a value: ``{value!r:form}``."""
    text = of_dtype(value) if isinstance(value, DTypeValue) else value
    if not isinstance(text, (Const, Scalar)):
        return Scalar("str")
    converted = _CONVERSIONS.get(conversion) if text is value else str
    if form == Const("") and converted in (None, str):
        return text
    usual = usual_value(text)
    if usual is None or not isinstance(form, Const) or _is_wide(str(form.value)):
        return Scalar("str")
    try:
        made = format(converted(usual.value) if converted is not None else usual.value, str(form.value))
    except _REFUSALS:
        return Scalar("str")
    return Const(made) if isinstance(text, Const) else Scalar("str", made)


def assembled(parts: list[Value]) -> Value:
    """An f-string, or strings one after the other.

    ``f"cuda:{rank}"`` names an accelerator whatever the rank is: the one that it usually is, such as the first.
    """
    found = [str(part.value) if isinstance(part, Const) else None for part in parts]
    known = [usual_value(part) for part in parts]
    usual = None if None in known else "".join(str(each.value) for each in known if each is not None)
    if len(usual or "") > LONGEST:
        return Scalar("str")
    if None not in found:
        return Const(usual)
    if (found[0] or "").startswith("cuda:"):
        return Const(usual if usual is not None and _NUMBERED.fullmatch(usual) else "cuda:?")
    return Scalar("str", usual, (found[0] or "", found[-1] or ""))


def _exact(interp: Interpreter, text: str, name: str, site: CallSite) -> Value | None:
    args = [_plain(arg.value) for arg in site.args]
    named = {key: _plain(arg.value) for key, arg in site.keywords.items()}
    if None in args or None in named.values() or len(text) > _LONGEST:
        return None
    if not _is_short((*args, *named.values())) or _is_wide(text, *args):
        return None
    if name == "zfill" and not all(isinstance(width, int) and width <= _LONGEST for width in args):
        return None
    try:
        result = getattr(text, name)(*args, **named)
    except _REFUSALS:
        return None
    if isinstance(result, str) and len(result) > _LONGEST:
        return None
    if isinstance(result, list):
        return interp.new(Obj("list", items=tuple(Const(part) for part in result)))
    if isinstance(result, tuple):
        return TupleValue(tuple(Const(part) for part in result))
    return Const(result)


def _joined(interp: Interpreter, between: str, site: CallSite) -> Value | None:
    """``".".join(parts)`` of texts that are all known."""
    parts = iteration.exact_items(interp, site.args[0].value) if site.args else None
    texts = [part.value for part in parts or () if isinstance(part, Const) and isinstance(part.value, str)]
    if parts is None or len(texts) < len(parts):
        return None
    result = between.join(texts)
    return Const(result) if len(result) <= _LONGEST else None


def _is_wide(*texts: object) -> bool:
    return any(_WIDE.search(text) is not None for text in texts if isinstance(text, str))


def _is_short(given: object) -> bool:
    """Whether arguments make no text much longer than it is."""
    if isinstance(given, tuple):
        return len(given) <= _LONGEST and all(map(_is_short, given))
    return len(given) <= _LONGEST if isinstance(given, (str, bytes)) else True


def _plain(value: Value) -> object:
    """The Python object that a value stands for; None when that is not known."""
    if isinstance(value, Const):
        return value.value
    if isinstance(value, TupleValue) and all(isinstance(item, Const) for item in value.items):
        return tuple(item.value for item in value.items if isinstance(item, Const))
    return None


def pattern(node: ast.expr, hole: str, known: Callable[[ast.expr], str | None]) -> str:
    """The text that an expression puts together, with ``hole`` in the place of each part that is not ``known``."""
    if isinstance(node, ast.Constant):
        return str(node.value) if isinstance(node.value, str) else hole
    text = known(node)
    if text is not None:
        return text
    if isinstance(node, ast.JoinedStr):
        return "".join(pattern(part, hole, known) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return pattern(node.value, hole, known)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return pattern(node.left, hole, known) + pattern(node.right, hole, known)
    template = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        template = node.left
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        template = node.func.value
    if isinstance(template, ast.Constant) and isinstance(template.value, str):
        return _PLACEHOLDER.sub(hole, template.value)
    return hole
