"""NetworkX: what its graphs are as matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain.values import NONE, Array, Value
from devfix.analysis.torch_model.arrays import sparse_matrices
from devfix.analysis.torch_model.tensors.arguments import dtype_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import CallSite

#: Sparse matrices, with where they take a dtype; without one they hold what the weights are.
_SPARSE = {
    **dict.fromkeys("adjacency_matrix adj_matrix to_scipy_sparse_array to_scipy_sparse_matrix".split(), 2),
    "laplacian_matrix": None,
}
_DENSE = frozenset("to_numpy_array to_numpy_matrix".split())


def call(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """``networkx.name(...)``; None for what is not known here."""
    last = name.rpartition(".")[2]
    if last in _SPARSE:
        return sparse_matrices.made(interp, _told(site, _SPARSE[last], None))
    if last == "normalized_laplacian_matrix":
        return sparse_matrices.made(interp, "float64")
    if last in _DENSE:
        found = _told(site, 2, "float64" if "nonedge" not in site.keywords else None)
        return Array(found, 2, (interp.site("array", site.node),))
    return None


def _told(site: CallSite, position: int | None, otherwise: str | None) -> str | None:
    """The dtype that a call asks for, or else what comes out by itself."""
    given = site.value(position, "dtype")
    if given is not None and given != NONE:
        return dtype_of(given)
    return None if site.open else otherwise
