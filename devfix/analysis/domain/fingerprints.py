"""Fingerprints: what stands for all that a value of a module is made of.

Two values with one fingerprint are made of the same parts, which the same text at the same place defines, so that
whatever is done with them comes to the same. Where they came from counts as well.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from devfix.analysis.domain.values import Class, Function, Obj, Ref, Tensor, Union, Value
from devfix.analysis.nn.modules import is_module
from devfix.analysis.reuse import reads
from devfix.findings import Origin

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What is known of a record by other means, or follows from the rest.
_LEFT_OUT = frozenset({"above", "weight"})
_PARTS: dict[type, tuple[str, ...]] = {}
#: Stands for what is not there.
_NOTHING = "-"


def digest_of(text: str) -> str:
    """What stands for a long text."""
    return blake2b(text.encode(errors="surrogateescape"), digest_size=16).hexdigest()


class Fingerprints:
    """The fingerprints of what the modules of a program hold, as they are now."""

    def __init__(self, interp: Interpreter) -> None:
        self._interp = interp
        self._layer = interp.library.layer
        self._known: dict[object, str] = {}
        self._names: dict[tuple[int, str], str] = {}
        self._texts: dict[ast.AST, str] = {}
        self._origins: dict[Origin, tuple[Origin, str]] = {}
        self._states = (-1, -1)
        #: Objects as they were when it was found out whether anybody looks for them.
        self._looked_at: dict[int, Obj] = {}
        self._looked_for: dict[int, bool] = {}
        #: What is being described, and the outermost of it that was met again.
        self._open: dict[object, int] = {}
        self._lowest: float = math.inf

    def refresh(self, interp: Interpreter) -> None:
        """Forget what may have changed since, for a run that may have loaded modules."""
        self._interp = interp
        published, changed = self._layer.published, self._layer.changed
        if self._states[1] != changed:
            self._known.clear()
        if self._states[0] != published:
            self._names.clear()
        self._states = (published, changed)

    def of_variable(self, frame: int, name: str) -> str:
        """What a variable of a module holds; ``*`` stands for all of them, in order."""
        known = self._names.get((frame, name))
        if known is None:
            variables = self._layer.frames.get(frame, {})
            if name == "*":
                known = digest_of(self._of_entries(variables))
            else:
                known = self._of(variables[name]) if name in variables else _NOTHING
            self._names[frame, name] = known
        return known

    def of_definitions(self, frame: int, path: str) -> str:
        """What a module defines, and what it took back to the CPU, in the order of its variables."""
        key = (frame, "definitions of")  # no name of a variable
        if key not in self._names:
            variables = self._layer.frames.get(frame, {})
            told = {name: value for name, value in variables.items() if self._is_called_upon(value, path)}
            self._names[key] = digest_of(self._of_entries(told))
        return self._names[key]

    def _is_called_upon(self, value: Value, path: str) -> bool:
        obj = self._layer.heap.get(value.address) if isinstance(value, Ref) else None
        return reads.is_definition(value, path) or reads.is_taken_back(value, obj)

    def of_files(self, saved: Mapping[tuple[str, ...], Any]) -> str:
        """What files hold that the program has written so far, in the order in which it wrote them."""
        return digest_of(" ".join(f"{key}={self._of(content)}" for key, content in saved.items()))

    def of_objects(self) -> str:
        """The objects that modules hold, as far as anybody looks for them who is given none: modules, and what holds any."""
        key = (0, "objects")
        if key not in self._names:
            for address, obj in self._layer.heap.items():
                if self._looked_at.get(address) is not obj:
                    self._looked_at[address] = obj
                    self._looked_for[address] = self._is_looked_for(address, obj)
            found = sorted(address for address, counts in self._looked_for.items() if counts)
            told = [self._of(Ref(address)) for address in found]
            self._names[key] = digest_of(" ".join(told))
        return self._names[key]

    def _is_looked_for(self, address: int, obj: Obj) -> bool:
        if obj.place is not None or (
            obj.kind in ("module", "instance") and is_module(self._interp, Ref(address))
        ):
            return True
        return any(self._may_be_part(value) for value in _held(obj))

    def _may_be_part(self, value: Value) -> bool:
        if isinstance(value, Union):
            return any(map(self._may_be_part, value.members))
        return isinstance(value, Tensor) or (isinstance(value, Ref) and is_module(self._interp, value))

    def _of(self, value: Any) -> str:
        kind = value.__class__
        describe = _DESCRIBED.get(kind)
        if describe is None:
            describe = _DESCRIBED[kind] = _description_of(kind)
        return describe(self, value)

    def _of_tuple(self, value: tuple[Any, ...]) -> str:
        return f"({','.join(map(self._of, value))})"

    def _of_set(self, value: frozenset[Any] | set[Any]) -> str:
        return f"{{{','.join(sorted(map(self._of, value)))}}}"

    def _of_list(self, value: list[Any]) -> str:
        return f"[{','.join(map(self._of, value))}]"

    def _of_node(self, value: ast.AST) -> str:
        return f"{value.__class__.__name__}@{getattr(value, 'lineno', 0)}:{getattr(value, 'col_offset', 0)}"

    def _of_record(self, value: Any) -> str:
        return self._of_parts(value, _parts(value.__class__))

    def _of_plain(self, value: object) -> str:
        return f"{value.__class__.__name__}:{value!r}"

    def _of_entries(self, value: Mapping[str, Any]) -> str:
        return f"{{{','.join(f'{key!r}={self._of(held)}' for key, held in value.items())}}}"

    def _of_parts(self, value: Any, names: tuple[str, ...]) -> str:
        return f"{value.__class__.__name__}({','.join(self._of(getattr(value, name)) for name in names)})"

    def _once(self, key: object, describe: Callable[[], str]) -> str:
        """The fingerprint of something that may lead back to itself."""
        known = self._known.get(key)
        if known is not None:
            return known
        depth = self._open.get(key)
        if depth is not None:
            self._lowest = min(self._lowest, depth)
            return f"^{len(self._open) - depth}"
        outer, self._lowest = self._lowest, math.inf
        depth = self._open[key] = len(self._open)
        try:
            found = digest_of(describe())
        finally:
            del self._open[key]
        if self._lowest >= depth:
            self._known[key] = found  # it is made of nothing that is still being described
            self._lowest = math.inf
        self._lowest = min(outer, self._lowest)
        return found

    def _of_ref(self, ref: Ref) -> str:
        obj = self._layer.heap.get(ref.address)
        if obj is None:
            return "gone"
        return self._once(("object", ref.address), lambda: self._of_parts(obj, _parts(Obj)))

    def _of_tensor(self, tensor: Tensor) -> str:
        owner = "" if tensor.owner is None else self._of_ref(Ref(tensor.owner))
        return f"{self._of_parts(tensor, _TENSOR)}{owner}"

    def _of_function(self, function: Function) -> str:
        key = ("function", function.node, function.frame, function.kind, function.defaults, function.within)
        found = self._once(key, lambda: self._described(function))
        owner = function.owner
        if owner is None or ("class", owner.frame) in self._open:
            return found
        return f"{found}@{self._of_class(owner)}"

    def _described(self, function: Function) -> str:
        parts = (function.path, function.scope, function.kind, function.defaults, function.within)
        return f"{self._text(function.path, function.node)}{self._of(parts)}{self._of_frames(function.frame)}"

    def _of_class(self, cls: Class) -> str:
        return self._once(("class", cls.frame), lambda: self._described_class(cls))

    def _described_class(self, cls: Class) -> str:
        own = self._of_entries(self._layer.frames.get(cls.frame, {}))
        outer = self._of_frames(self._interp.parents.get(cls.frame))
        return f"{cls.path} {cls.scope} {self._text(cls.path, cls.node)}{self._of(cls.bases)}{own}{outer}"

    def _of_frames(self, frame: int | None) -> str:
        """The variables that a definition closes over, out to those of its module, which are asked for by name."""
        if frame is None:
            return ""
        outer = self._interp.parents.get(frame)
        if outer is None:
            return ""
        return self._once(
            ("frame", frame),
            lambda: f"{self._of_entries(self._layer.frames.get(frame, {}))}{self._of_frames(outer)}",
        )

    def _of_origin(self, origin: Origin) -> str:
        known = self._origins.get(origin)
        if known is None or known[0] != origin:
            known = self._origins[origin] = (origin, digest_of(repr(origin)))
        return known[1]

    def _text(self, path: str, node: Any) -> str:
        """The lines of a definition, and where they stand."""
        known = self._texts.get(node)
        if known is None:
            decorators = getattr(node, "decorator_list", ())
            first = min((node.lineno, *(each.lineno for each in decorators)))
            lines = self._interp.program.sources[path].lines[first - 1 : node.end_lineno]
            place = (path, first, node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            known = self._texts[node] = digest_of(f"{place}{''.join(lines)}")
        return known


_Describe = Callable[[Fingerprints, Any], str]
#: How what is of a type is described, for those of which that was asked.
_DESCRIBED: dict[type, _Describe] = {
    Ref: Fingerprints._of_ref,
    Tensor: Fingerprints._of_tensor,
    Function: Fingerprints._of_function,
    Class: Fingerprints._of_class,
    Origin: Fingerprints._of_origin,
}
_BY_BASE: tuple[tuple[type | tuple[type, ...], _Describe], ...] = (
    (tuple, Fingerprints._of_tuple),
    (Mapping, Fingerprints._of_entries),
    ((frozenset, set), Fingerprints._of_set),
    (list, Fingerprints._of_list),
    (ast.AST, Fingerprints._of_node),
)


def _description_of(kind: type) -> _Describe:
    for base, describe in _BY_BASE:
        if issubclass(kind, base):
            return describe
    return Fingerprints._of_record if is_dataclass(kind) else Fingerprints._of_plain


def _parts(kind: type) -> tuple[str, ...]:
    known = _PARTS.get(kind)
    if known is None:
        known = _PARTS[kind] = tuple(each.name for each in fields(kind) if each.name not in _LEFT_OUT)
    return known


_TENSOR = tuple(name for name in _parts(Tensor) if name != "owner")


def _held(obj: Obj) -> Iterator[Value]:
    yield from obj.attrs.values()
    yield from obj.items or ()
    yield from obj.facts.values()
    if obj.element is not None:
        yield obj.element
