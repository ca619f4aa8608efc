"""Files that are opened: of text each line is a string, and so is what it is split into; others have a name.

So have buffers in memory, and the bytes that are taken out of one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import UNKNOWN, Const, External, Obj, Ref, Scalar, Sequence, Value
from devfix.analysis.language import unknown_code
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.python import file_names

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

NAME = "io.TextIOWrapper"
BYTES = "io.BufferedIOBase"
_LINE = Scalar("str")


def open_(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``open(path)``; in a mode that is not known to be one for text it may be bytes."""
    mode = site.value(1, "mode") or Const("r")
    if site.open or not isinstance(mode, Const) or not isinstance(mode.value, str):
        return UNKNOWN
    if "b" in mode.value:
        named = file_names.of(interp, site.get(0, "file"))
        facts = {file_names.NAMED: Const(named)}
        return UNKNOWN if named is None else interp.new(Obj("external", External(BYTES), facts=facts))
    return interp.new(Obj("external", External(NAME), element=_LINE))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``file.readline()``."""
    if name in ("read", "readline"):
        return _LINE
    if name == "readlines":
        return Sequence(_LINE)
    return unknown_code.call(interp, site)


def buffer(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``io.BytesIO()``: a file of its own, or what the bytes of another one were copied from."""
    content = site.value(0, "initial_bytes")
    copied = file_names.of(interp, Arg(content)) if content is not None else None
    if site.open or (content is not None and copied is None):
        return UNKNOWN
    made = interp.new(Obj("external", External(BYTES)))
    named = Const(copied or f"<buffer {made.address}>")
    interp.update(made, interp.obj(made).with_facts({file_names.NAMED: named}))
    return made


def method_of_bytes(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``buffer.getvalue()``: bytes that hold what the file does."""
    return ref if name in ("getvalue", "getbuffer") else UNKNOWN


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **dict.fromkeys(("builtins.open", "io.open"), open_),
    "io.BytesIO": buffer,
}
