"""Sparse matrices of SciPy: the dtype of what they hold, and what comes out of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.join import scalar_type
from devfix.analysis.domain.lattice import FLOATS
from devfix.analysis.domain.state import LOADED
from devfix.analysis.domain.values import (
    NONE,
    TRUE,
    UNKNOWN,
    Array,
    DTypeValue,
    External,
    Obj,
    Ref,
    Scalar,
    Sequence,
    TupleValue,
    Value,
    without_none,
)
from devfix.analysis.torch_model.arrays import data_types, numpy_types
from devfix.analysis.torch_model.tensors.arguments import dtype_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import Arg, CallSite

MATRIX: External = External("scipy.sparse.spmatrix")
_FORMATS = "coo csr csc lil dok bsr dia".split()
_CLASSES = frozenset(f"{form}_{kind}" for form in _FORMATS for kind in ("matrix", "array"))
#: Where these functions take a dtype; the numbers they make are float64 otherwise.
_FLOAT64 = {"eye": 3, "eye_array": None, "identity": 1, "random": 4, "random_array": None, "rand": 4}
#: Where classes take a dtype, and where ``diags`` does.
_OF_CLASSES, _OF_DIAGONALS = 2, 4
_JOINING = frozenset("vstack hstack block_diag bmat block_array kron kronsum".split())
_PARTS = frozenset("tril triu".split())
#: What is float64 once it is divided by a number; narrower floats are so too, in most versions of SciPy.
_DIVIDED = ("float64", "int64", "int32", "bool")
#: Methods that give a matrix with the same dtype.
_KEEPING = frozenset(
    "tocoo tocsr tocsc tolil todok tobsr todia asformat copy transpose conj conjugate getrow getcol reshape".split()
)
_DENSE = frozenset("toarray todense diagonal".split())
#: What a matrix has of whole numbers, the width of which depends on how many there are.
_PLACES = frozenset("row col indices indptr offsets".split())


def call(interp: Interpreter, last: str, site: CallSite) -> Value | None:
    """``scipy.sparse.name(...)``; None for what is not known here."""
    if last in _CLASSES:
        return made(interp, _told(site, _OF_CLASSES, lambda: _of_data(interp, site.value(0, "arg1"))))
    if last in _FLOAT64:
        return made(interp, _told(site, _FLOAT64[last], lambda: "float64"))
    if last == "diags":
        diagonals = site.value(0, "diagonals")
        return made(interp, _told(site, _OF_DIAGONALS, lambda: _of_diagonals(interp, diagonals)))
    if last in _JOINING:
        joined = site.args[: 2 if last in ("kron", "kronsum") else 1]
        return made(interp, _told(site, None, lambda: _of_all(interp, joined)))
    given = of(interp, site.value(0))
    if given is None:
        return None
    if last in _PARTS:
        return made(interp, dtype(given))
    places = Array(None, 1)
    return TupleValue((places, places, Array(dtype(given), 1))) if last == "find" else None


def graph(interp: Interpreter, last: str, site: CallSite) -> Value | None:
    """``scipy.sparse.csgraph.name(...)``: lengths of paths are float64, a Laplacian has floats as wide as the graph's."""
    trail = (interp.site("array", site.node),)
    if last in ("shortest_path", "dijkstra", "floyd_warshall", "bellman_ford", "johnson"):
        several = site.keywords.keys() & {"return_predecessors", "min_only"}
        return UNKNOWN if several or site.open else Array("float64", None, trail)
    if last == "laplacian" and "return_diag" not in site.keywords:
        given = without_none(site.value(0, "csgraph") or UNKNOWN)
        matrix = of(interp, given)
        if matrix is not None:
            return made(interp, numpy_types.floating(dtype(matrix)) if dtype(matrix) in FLOATS else None)
        floats = isinstance(given, Array) and given.dtype in FLOATS
        return Array(given.dtype, 2, trail) if isinstance(given, Array) and floats else UNKNOWN
    if last != "connected_components" or "return_labels" in site.keywords:
        return None
    return TupleValue((Scalar("int"), Array("int32", 1, trail)))


def made(interp: Interpreter, found: str | None) -> Ref:
    """A matrix of this dtype."""
    return interp.new(Obj("external", MATRIX, facts={"dtype": DTypeValue(found)}))


def read(interp: Interpreter, found: str | None) -> Ref:
    """A matrix that comes out of a file, of which no more may be known than that."""
    facts = {"dtype": DTypeValue(found)} | ({} if found else {LOADED: TRUE})
    return interp.new(Obj("external", MATRIX, facts=facts))


def of(interp: Interpreter, value: Value | None) -> Obj | None:
    """The matrix that a value is."""
    obj = interp.obj_of(value) if isinstance(value, Ref) else None
    return obj if obj is not None and obj.cls == MATRIX else None


def dtype(obj: Obj) -> str | None:
    """The dtype of what a matrix holds."""
    return dtype_of(obj.facts.get("dtype"))


def _told(site: CallSite, position: int | None, otherwise: Callable[[], str | None]) -> str | None:
    """The dtype that a call asks for, or else what comes out by itself."""
    given = site.value(position, "dtype")
    if given is not None and given != NONE:
        return dtype_of(given)
    return None if site.open else otherwise()


def _of_data(interp: Interpreter, data: Value | None) -> str | None:
    """The dtype of ``coo_matrix((values, places))``, of a matrix, an array or a list, or of a mere shape."""
    data = without_none(data) if data is not None else UNKNOWN
    matrix = of(interp, data)
    if matrix is not None:
        return dtype(matrix)
    if not isinstance(data, TupleValue) or not data.items:
        return data_types.of_data(interp, data)
    if all(scalar_type(without_none(item)) == "int" for item in data.items):
        return "float64"
    first = without_none(data.items[0])
    return data_types.of_data(interp, first) if isinstance(first, (Array, Ref)) else None


def _of_diagonals(interp: Interpreter, diagonals: Value | None) -> str | None:
    """Numbers that are given as they are were floats in some versions; arrays of floats stay what they are."""
    found = data_types.of_data(interp, diagonals)
    return found if found in FLOATS else None


def _of_all(interp: Interpreter, args: tuple[Arg, ...]) -> str | None:
    values = [without_none(arg.value) for arg in args]
    parts = [part for value in values for part in (data_types.contents(interp, value) or (value,))]
    matrices = [of(interp, part) for part in parts if part != NONE]
    return _common({dtype(matrix) if matrix is not None else None for matrix in matrices})


def _common(dtypes: set[str | None]) -> str | None:
    if not dtypes or None in dtypes:
        return None
    first, *rest = sorted(each for each in dtypes if each is not None)
    array = Array(first, 1)
    for each in rest:
        array = Array(numpy_types.promoted(array, Array(each, 1)), 1)
    return array.dtype


def attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """``matrix.data``, ``matrix.row``; None for methods."""
    trail = (interp.site("array", node),)
    if name in ("data", "A"):
        return Array(dtype(obj), 1 if name == "data" else 2, trail)
    if name in _PLACES:
        return Array(None, 1, trail)
    if name == "shape":
        return Sequence(Scalar("int"))
    if name == "dtype":
        return DTypeValue(dtype(obj))
    return ref if name in ("T", "H") else Scalar("int") if name == "nnz" else None


def set_attribute(interp: Interpreter, ref: Ref, name: str, value: Value) -> None:
    """``matrix.data = values``."""
    if name == "data":
        interp.update(ref, interp.obj(ref).with_fact("dtype", DTypeValue(data_types.of_data(interp, value))))


def method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``matrix.tocoo()``, ``matrix.toarray()``."""
    trail = (interp.site("array", site.node),)
    if name in _KEEPING:
        return made(interp, dtype(obj))
    if name == "power":
        whole = (
            scalar_type(site.value(0, "n") or UNKNOWN) == "int" and len(site.args) < 2 and not site.keywords
        )
        return made(interp, dtype(obj) if whole or dtype(obj) == "float64" else None)
    if name in _DENSE:
        return Array(dtype(obj), 1 if name == "diagonal" else 2, trail)
    if name == "astype":
        return made(interp, dtype_of(site.value(0, "dtype")))
    if name in ("dot", "multiply", "maximum", "minimum") and site.args:
        op = ast.MatMult() if name == "dot" else ast.Add()
        return arithmetic(interp, op, ref, site.args[0].value) or UNKNOWN
    if name in ("sum", "mean", "max", "min"):
        return _reduced(obj, name, site)
    return TupleValue((Array(None, 1), Array(None, 1))) if name == "nonzero" else UNKNOWN


def _reduced(obj: Obj, name: str, site: CallSite) -> Value:
    """A number without an axis, and along one what has two dimensions still; extremes are matrices again."""
    found = dtype(obj)
    whole = site.value(0, "axis") in (None, NONE)
    if name == "mean":
        found = numpy_types.floating(found)
    elif name == "sum":
        found = found if found in (*FLOATS, "int64") else None
    elif not whole:
        return UNKNOWN
    return Array(found, 0 if whole else None)


def item(interp: Interpreter, obj: Obj, key: Value) -> Value:
    """Some rows of a matrix; what two indices give may be a number."""
    return UNKNOWN if isinstance(key, TupleValue) else made(interp, dtype(obj))


def arithmetic(interp: Interpreter, op: ast.operator, left: Value, right: Value) -> Value | None:
    """``left op right`` with a matrix on at least one side; None where there is none."""
    matrices = [of(interp, left), of(interp, right)]
    if matrices == [None, None]:
        return None
    numbers = [value for value in (left, right) if scalar_type(value) is not None]
    if numbers:
        known = next(matrix for matrix in matrices if matrix is not None)
        if isinstance(op, ast.Div):
            return made(interp, "float64" if dtype(known) in _DIVIDED else None)
        return made(interp, numpy_types.arithmetic(op, Array(dtype(known), 1), numbers[0]).dtype)
    dtypes = {_dtype_of(interp, value) for value in (left, right)}
    found = _common(dtypes)
    if None not in matrices:
        if found is None and "float64" in dtypes:
            found = "float64"  # the widest of what graphs and features are made of: complex numbers are none of it
        return made(interp, found if not isinstance(op, ast.Div) else None)
    return Array(found) if isinstance(op, ast.MatMult) else UNKNOWN


def _dtype_of(interp: Interpreter, value: Value) -> str | None:
    matrix = of(interp, value)
    return dtype(matrix) if matrix is not None else value.dtype if isinstance(value, Array) else None
