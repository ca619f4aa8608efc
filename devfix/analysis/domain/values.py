"""What an expression can evaluate to in the abstract: immutable values and heap objects.

Values are compared by what they are: ``trail`` and ``roots``, which tell a value's life, take no part in it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import TypeGuard

from devfix.analysis.domain.copying import put, replace
from devfix.analysis.domain.lattice import CPU, Device
from devfix.analysis.record.trails import Trail, extend
from devfix.findings import Origin
from devfix.records import frozen

_HEAVIEST = 500  #: So many values one value may consist of.


class Value:
    """Base of all abstract values."""

    __slots__ = ()


@frozen
class Unknown(Value):
    """Nothing is known. A ``token`` gives it an identity, so that ``x.device`` can be spoken of."""

    token: str = ""


UNKNOWN = Unknown()
_OPTION = "option"


def option(name: str = "") -> Unknown:
    """What a user, a file of settings or a decorator says, of which no more is known than its name."""
    return Unknown(f"{_OPTION}.{name}" if name else _OPTION)


def is_option(value: Value) -> TypeGuard[Unknown]:
    """Whether a value is what :func:`option` made, or of it."""
    return isinstance(value, Unknown) and value.token.partition(".")[0] == _OPTION


@frozen
class Const(Value):
    """A Python constant: None, a bool, a number, a string, bytes or Ellipsis."""

    value: object

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Const) and type(self.value) is type(other.value) and self.value == other.value
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


NONE = Const(None)
TRUE = Const(True)
FALSE = Const(False)


@frozen
class Scalar(Value):
    """A Python object of a simple type (``int``, ``float``, ``bool``, ``str``), value unknown. A ``mixed`` float may be whole.

    ``usual`` is what an option is when nobody says otherwise, and ``ends`` what a text begins and ends with.
    """

    type: str
    usual: object = field(default=None, compare=False)
    ends: tuple[str, str] = ("", "")
    mixed: bool = False


def usual_value(value: Value | None) -> Const | None:
    """What a value is in a run that is given no options; None where that is not known."""
    if isinstance(value, Scalar) and value.usual is not None:
        return Const(value.usual)
    return value if isinstance(value, Const) else None


@frozen
class DTypeValue(Value):
    """A ``torch.dtype``, which is known to be ``of_torch`` where its text matters, or NumPy dtype; None is some dtype."""

    name: str | None
    of_torch: bool = False


@frozen
class DeviceValue(Value):
    """A ``torch.device``. ``mps`` tells that on an Apple machine it would be MPS, ``followed`` that a tensor has it.

    ``roots`` are the trails of that tensor where it is on the CPU: what is put there is as misplaced as it is.
    """

    device: Device
    mps: bool = field(default=False, compare=False)
    followed: bool = field(default=False, compare=False)
    roots: tuple[tuple[Origin, ...], ...] = field(default=(), compare=False)


@frozen
class Tensor(Value):
    """A ``torch.Tensor`` (or a sparse or packed relative of it).

    ``split`` is set when the device is unknown because two paths meet, on one of which the tensor
    is on the CPU: the tensor as that path has it, whose own ``split`` is the one of the other path
    where that is on the accelerator.
    ``typed`` holds the trails of the values that gave it its dtype, when that was not decided
    where ``trail`` begins (see :func:`dtype_trails`).
    ``leaf`` is whether autograd sees a leaf, ``grad`` whether it requires grad (None: unknown).
    ``lost`` is what a move made of a leaf that requires grad: it was a ``leaf`` or a ``parameter``.
    ``cast_of`` is the dtype of the whole numbers or truths that a cast made floats of, as long as nothing is computed;
    ``zeros`` or ``ones`` where there is nothing else in it, and ``one-hot`` where whole numbers tell classes.
    ``parameter`` marks an ``nn.Parameter``; ``owner`` is the heap address of the module that owns
    the parameter, when there is one. ``empty`` is how many of its first dimensions have no size, as of what is made to be filled later.
    ``packed`` stands for a ``PackedSequence`` of such data, which has no ``device``.
    ``paths`` are the tensors that met where paths did, all on the CPU and each made elsewhere (see :attr:`elsewhere`).
    """

    device: Device = CPU
    dtype: str | None = None
    rank: int | None = None
    parameter: bool = False
    grad: bool | None = None
    leaf: bool | None = None
    empty: int = 0
    cast_of: str | None = None
    owner: int | None = field(default=None, compare=False)
    lost: str = field(default="", compare=False)
    trail: Trail = field(default=(), compare=False)
    roots: tuple[Trail, ...] = field(default=(), compare=False)
    split: Tensor | None = field(default=None, compare=False)
    typed: tuple[Trail, ...] = field(default=(), compare=False)
    packed: bool = field(default=False, compare=False)
    paths: tuple[Tensor, ...] = field(default=(), compare=False)

    @property
    def elsewhere(self) -> tuple[Tensor, ...]:
        """What it is on other paths, that leave it on the CPU as well; nothing once it was moved or computed from."""
        paths = self.paths
        if not paths or self.trail[:1] != paths[0].trail[:1] or self.device != paths[0].device:
            return ()
        return paths[1:]

    @property
    def is_parted(self) -> bool:
        """Whether one path leaves it on the CPU, and others do not."""
        return self.split is not None and not self.device.is_known

    def at(self, site: Origin) -> Tensor:
        """The same tensor after it passed ``site``, on all of its paths."""
        split = self.split.at(site) if self.split is not None else None
        paths = tuple([path.at(site) for path in self.paths]) if self.paths else ()
        return replace(self, trail=extend(self.trail, site), split=split, paths=paths)


@frozen
class Array(Value):
    """A NumPy array or NumPy scalar."""

    dtype: str | None = None
    rank: int | None = None
    trail: Trail = field(default=(), compare=False)


@frozen
class TupleValue(Value):
    """A tuple whose items are known one by one; ``names`` are those of a named tuple's fields."""

    items: tuple[Value, ...]
    names: tuple[str, ...] = field(default=(), compare=False)
    weight: int = field(default=1, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Let go of the items of what is nested too deeply: tuples of the same tuples are few lines, and endless."""
        weight = 1 + sum(map(weight_of, self.items))
        if weight > len(self.items) + _HEAVIEST:
            put(self, "items", (UNKNOWN,) * len(self.items))
            weight = 1
        put(self, "weight", weight)

    def with_items(self, items: Iterable[Value]) -> TupleValue:
        """A tuple of the same type with other items."""
        return replace(self, items=tuple(items))


@frozen
class Sequence(Value):
    """An immutable or one-pass collection of which only a typical element is known.

    ``row`` is what a generator gives, one by one, before anybody asked it; ``result`` what it returns, ``made`` its call.
    """

    element: Value
    row: tuple[Value, ...] = field(default=(), compare=False, repr=False)
    result: Value | None = field(default=None, compare=False, repr=False)
    made: Origin | None = field(default=None, compare=False, repr=False)
    weight: int = field(default=1, init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if weight_of(self.element) >= _HEAVIEST:
            put(self, "element", UNKNOWN)
        put(self, "weight", 1 + weight_of(self.element))


@frozen
class Ref(Value):
    """A reference to a heap object."""

    address: int

    def __eq__(self, other: object) -> bool:
        return other.__class__ is Ref and self.address == other.address

    def __hash__(self) -> int:
        return self.address


@frozen
class Function(Value):
    """A function of the project, with the frame it closes over and its evaluated defaults.

    ``within`` are the context managers that decorate it, such as ``torch.no_grad()``.
    """

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    path: str
    scope: str
    frame: int
    defaults: tuple[tuple[str, Value], ...] = field(default=(), compare=False)
    owner: Class | None = field(default=None, compare=False)
    kind: str = "function"
    within: tuple[Value, ...] = field(default=(), compare=False)
    #: What sets a property that ``property(get, set)`` makes.
    setter: Value | None = field(default=None, compare=False)


@frozen
class Class(Value):
    """A class of the project; its namespace lives in ``frame``."""

    node: ast.ClassDef
    path: str
    scope: str
    frame: int
    bases: tuple[Value, ...] = field(default=(), compare=False)
    #: The classes where attributes are looked up after this one, in order; there once that was asked.
    above: list[tuple[Class, ...]] = field(default_factory=list, init=False, compare=False, repr=False)


@frozen
class BoundMethod(Value):
    """A method of the project bound to its receiver."""

    function: Function
    receiver: Value


@frozen
class ExternalMethod(Value):
    """Attribute ``name`` of a value whose class is not in the project, about to be called."""

    receiver: Value
    name: str
    node: ast.expr | None = field(default=None, compare=False)


@frozen
class External(Value):
    """Something imported from outside the project, by its canonical dotted name.

    ``asked`` marks the class that ``type(x)`` gave: what it makes depends on the version, and on ``x``; ``absent`` what
    an import from the project does not find there, and ``optional`` what the program does without where it is missing.
    """

    name: str
    asked: bool = field(default=False, compare=False)
    absent: bool = field(default=False, compare=False)
    optional: bool = field(default=False, compare=False)


#: What a program is called with, and what one of these is named that no name tells from others.
COMMAND_LINE, ARGUMENT = External("sys.argv"), "argument"


@frozen
class Namespace(Value):
    """A module of the project."""

    path: str


@frozen
class Partial(Value):
    """``functools.partial`` and what is like it; ``bound`` to the object through which it is read, as ``partialmethod`` is."""

    function: Value
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]
    bound: bool = False


@frozen
class Retargeting(Value):
    """The function that ``Module.to`` hands to ``_apply``: moves a tensor, casts a floating one."""

    device: Device | None
    dtype: str | None
    site: Origin = field(compare=False)


@frozen
class SuperValue(Value):
    """``super()`` inside a method of ``owner``."""

    owner: Class
    receiver: Value


@frozen
class Obj:
    """A heap object; immutable, replaced on every change.

    ``kind`` says how to read it:
    ``instance`` of a project class; ``module`` (an ``nn.Module`` from outside the project);
    ``list``, ``dict``, ``set``; ``optimizer``; ``loader``; ``external`` (anything else).
    ``items`` are the elements of a list whose length is known, ``element`` stands for further or unknown ones.
    ``attrs`` are attributes, or the entries of a dict under constant keys. ``place`` is a typical parameter of a ``module``
    (None when it has none), ``buffers`` the registered names, ``facts`` further kind-specific constants and ``trail`` its life.
    """

    kind: str
    cls: Value = UNKNOWN
    attrs: Mapping[str, Value] = field(default_factory=dict)
    items: tuple[Value, ...] | None = None
    element: Value | None = None
    place: Tensor | None = None
    buffers: frozenset[str] = frozenset()
    facts: Mapping[str, Value] = field(default_factory=dict)
    trail: Trail = field(default=(), compare=False)

    def with_attr(self, name: str, value: Value) -> Obj:
        """This object with one attribute (or dict entry) set."""
        return replace(self, attrs={**self.attrs, name: value})

    def with_facts(self, facts: Mapping[str, Value]) -> Obj:
        """This object with further facts."""
        return replace(self, facts={**self.facts, **facts})

    def with_fact(self, name: str, value: Value) -> Obj:
        """This object with one fact set; itself where it is."""
        return self if self.facts.get(name) is value else replace(self, facts={**self.facts, name: value})


@frozen
class Union(Value):
    """One of a few values, each of them possible; ``usual`` is the one of a run without options, or the few that it may be then."""

    members: tuple[Value, ...]
    usual: Value | None = field(default=None, compare=False)

    @property
    def weight(self) -> int:
        """How many values it consists of, which is asked of few."""
        return sum(map(weight_of, self.members))


#: Values that consist of values.
_HEAVY = frozenset({TupleValue, Sequence, Union})


def weight_of(value: Value) -> int:
    """How many values a value consists of."""
    return value.weight if value.__class__ in _HEAVY else 1  # type: ignore[attr-defined] # these have one


def members(value: Value) -> tuple[Value, ...]:
    """The possible values: the members of a union, or the value itself."""
    return value.members if value.__class__ is Union else (value,)


def without_none(value: Value) -> Value:
    """``value`` where it is used in a way that None would not survive."""
    if value.__class__ is not Union:
        return value
    assert isinstance(value, Union)
    if NONE not in value.members:
        return value
    rest = tuple(member for member in value.members if member != NONE)
    usual = None if value.usual in (None, NONE) else without_none(value.usual)
    return rest[0] if len(rest) == 1 else Union(rest, usual) if rest else value
