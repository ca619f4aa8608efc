"""Host memory: arrays are views of the CPU's memory, where an accelerator's tensor is not."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeGuard

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import CPU
from devfix.analysis.domain.values import (
    UNKNOWN,
    Obj,
    Ref,
    Sequence,
    Tensor,
    TupleValue,
    Unknown,
    Value,
    members,
    without_none,
)
from devfix.analysis.language import iteration
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.record.trails import of_its_own, roots_of
from devfix.analysis.torch_model.arrays import data_types
from devfix.analysis.torch_model.tensors import number_places, requirements
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Functions outside NumPy that turn their arguments into arrays, by package.
_CONVERTING = {
    "matplotlib.pyplot": "plot scatter hist bar barh imshow matshow fill_between errorbar step stem "
    "contour contourf pcolormesh boxplot violinplot semilogx semilogy loglog pie hist2d hexbin imsave",
    "pandas": "DataFrame Series",
    "seaborn": "heatmap",
}
_CONVERTING_NAMES = frozenset(
    f"{package}.{name}" for package, names in _CONVERTING.items() for name in names.split()
)
#: Packages all of whose functions do.
_CONVERTING_PACKAGES = (
    "sklearn.metrics",
    "scipy.stats",
    "scipy.spatial.distance",
    "scipy.linalg",
    "scipy.signal",
)

#: Functions of NumPy that make a table of numbers of the lists or tuples in a list; some others leave it as it is.
_TABLES = frozenset(
    f"numpy.{name}"
    for name in "array asarray asanyarray ascontiguousarray mean sum std median max min vstack concatenate "
    "column_stack average savetxt".split()
)
#: Those of them whose second argument says of what they are made.
_TYPED = frozenset(f"numpy.{name}" for name in "array asarray asanyarray ascontiguousarray".split())
#: How tensors are contained that are in the lists or tuples of a list.
ROWS = "rows"
#: Functions of NumPy that ask what they are given for an attribute or a method of the same name, which tensors have.
_ASKING = frozenset(
    f"numpy.{name}" for name in "shape ndim size iterable isscalar real imag squeeze swapaxes nonzero".split()
)
#: Those that give what the method gives, in each version of NumPy.
LEFT_TO_METHODS = frozenset(("numpy.squeeze", "numpy.swapaxes"))
#: What begins as ``float`` does, which reads one number from wherever it is.
_NUMBERS = frozenset(("numpy.float64", "numpy.double", "numpy.float_"))
#: What takes one item after the other and puts it where another one was.
_SWAPPING = "numpy.random.shuffle"


def converts(name: str) -> bool:
    """Whether a function from outside the project turns its tensor arguments into arrays."""
    package, _, last = name.rpartition(".")
    return name in _CONVERTING_NAMES or (package in _CONVERTING_PACKAGES and not last[:1].isupper())


def reads(interp: Interpreter, name: str, site: CallSite) -> Value:
    """A call of such a function."""
    check(interp, name, site)
    return UNKNOWN


def check(interp: Interpreter, name: str, site: CallSite) -> None:
    """Record the tensors that cannot be read (facts: "np.array on cuda", "list of cuda scalars")."""
    if name == _SWAPPING:
        return
    for arg in site.all_args():
        value = without_none(arg.value)
        if isinstance(value, Tensor) and (name in _ASKING or _is_number(name, value)):
            continue
        if value.__class__ in number_places.NUMBERS:
            number_places.note(interp, value, arg.node)
            continue
        if isinstance(value, Tensor) and not requirements.leaves_host(interp, value):
            check_dtype(interp, name, site.node, Part(value, "array", arg.node))
        check_argument(interp, name, site.node, arg, fields=_has_fields(name, site))
        for each in members(value):
            number_places.note_unsure(interp, each, arg.node)
            number_places.note_items(interp, data_types.contents(interp, each), arg.node)


def _is_number(name: str, value: Tensor) -> bool:
    """Whether a number is made of what may be a single one."""
    return name in _NUMBERS and value.rank in (0, None)


def _has_fields(name: str, site: CallSite) -> bool:
    """Whether rows may become records, as with ``dtype=[("x", float)]``: each field asks for a number by ``float``."""
    given = site.get(1, "dtype") if name in _TYPED else None
    return given is not None and isinstance(given.value, (Ref, TupleValue, Unknown))


def check_argument(interp: Interpreter, name: str, sink: ast.expr, arg: Arg, *, fields: bool = False) -> None:
    """Record the tensors of one argument that cannot be read; rows with ``fields`` are read one by one."""
    for tensor, node, inside in device_tensors(interp, arg):
        if inside == ROWS and (fields or not _reads_rows(name, sink)):
            continue
        read = requirements.device_path(tensor)
        detail = {"grad": "1"} if read.grad else {}
        if inside:
            detail["inside"] = inside
        if inside == ROWS:
            detail["columns"] = _columns(interp, arg)
        requirements.record(interp, sink, name, "numpy", [Part(read, "array", node)], **detail)


def check_dtype(interp: Interpreter, name: str, node: ast.expr, part: Part) -> None:
    """Record a tensor of a dtype that NumPy does not have (facts: "bfloat16.numpy()"; ``tolist`` and ``item`` run)."""
    if part.tensor.dtype == "bfloat16":
        requirements.record(interp, node, name, "array-dtype", [part], wanted="float32")


def device_tensors(interp: Interpreter, arg: Arg) -> list[tuple[Tensor, ast.expr | None, str]]:
    """An accelerator's tensors among an argument, where each is written, and how it is contained.

    ``all``: everything in the list or tuple is a tensor; ``mixed``: not so; ``rows``: it is in lists or tuples in there.
    """
    value = without_none(arg.value)
    if isinstance(value, Tensor):
        return [(value, arg.node, "")] if requirements.leaves_host(interp, value) else []
    obj = interp.obj_of(value)
    if not isinstance(value, (TupleValue, Sequence)) and (obj or Obj("")).kind != "list":
        return []
    items = [without_none(item) for item in data_types.contents(interp, value)]
    node = arg.node
    if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) == len(items):
        pairs = zip(items, node.elts, strict=True)
        return [(item, where, "") for item, where in pairs if _is_on_device(item, interp)]
    found = next((item for item in items if _is_on_device(item, interp)), None)
    if found is None:
        cells = (cell for row in items for cell in _cells(interp, row))
        cell = next((cell for cell in cells if _is_on_device(cell, interp)), None)
        return [(cell, node, ROWS)] if cell is not None else []
    return [(found, node, "all" if all(isinstance(item, Tensor) for item in items) else "mixed")]


def _cells(interp: Interpreter, row: Value) -> tuple[Value, ...]:
    """What is known of the items of a list or tuple within another, by position; nothing for anything else."""
    return tuple(without_none(cell) for cell in iteration.row_items(interp, row) or ())


def _reads_rows(name: str, sink: ast.expr) -> bool:
    """Whether a function makes a table of numbers of the lists in a list."""
    as_objects = any(ast.unparse(each.value) == "object" for each in getattr(sink, "keywords", ()))
    return name in _TABLES and not as_objects


def _columns(interp: Interpreter, arg: Arg) -> str:
    """The positions at which rows hold an accelerator's tensors, with a ``!`` where they hold nothing but tensors."""
    rows = [_cells(interp, without_none(row)) for row in data_types.contents(interp, without_none(arg.value))]
    found = {n for row in rows for n, cell in enumerate(row) if _is_on_device(cell, interp)}
    only = all(isinstance(cell, Tensor) for row in rows for cell in row)
    return ",".join(map(str, sorted(found))) + ("!" if only else "")


def _is_on_device(value: Value, interp: Interpreter) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and requirements.leaves_host(interp, value)


def note_read(interp: Interpreter, tensor: Tensor) -> None:
    """Remember where the life of a tensor on the CPU began that is read there: it stays, whatever else it is used for."""
    if tensor.device == CPU:
        firsts = (of_its_own(trail) for trail in roots_of([tensor]) if trail)
        interp.recorder.remarked.update(
            replace(first, kind="hosted") for first in firsts if first is not None
        )
