"""Files of NumPy, SciPy, pickle and joblib: what the program wrote to one is what it reads from there.

A file is one of the program's only where its name is certainly the same. What nobody here has written, or what was
written twice with different contents, is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.values import (
    NONE,
    UNKNOWN,
    Array,
    Const,
    External,
    Obj,
    Ref,
    Scalar,
    Tensor,
    Value,
    without_none,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.record.recorder import OTHERS
from devfix.analysis.reuse import reads
from devfix.analysis.torch_model.arrays import data_types, sparse_matrices
from devfix.analysis.torch_model.python import file_names
from devfix.analysis.torch_model.python.pickled_texts import PICKLING
from devfix.analysis.torch_model.tensors import host_memory
from devfix.analysis.torch_model.tensors.arguments import nesting
from devfix.analysis.torch_model.training import saved_tensors, snapshots
from devfix.analysis.torch_model.training.snapshots import Kept, Snapshot

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The class of what writes one value after the other.
PICKLER = "pickle.Pickler"
_NUMPY, _SCIPY, _PICKLE, _JOBLIB = "numpy", "scipy", "pickle", "joblib"


def _write(interp: Interpreter, library: str, name: str | None, content: Snapshot) -> None:
    if name is None:
        return
    interp.library.entangled = True
    key = (OTHERS, library, name)
    known = interp.recorder.saved.get(key)
    # One file with two contents says nothing.
    interp.recorder.saved[key] = content if known is None or known == content else UNKNOWN


def _read(interp: Interpreter, library: str, site: CallSite, arg: Arg | None) -> Value:
    """What a file holds; UNKNOWN for one of which that is not known."""
    interp.reads.add(("saved",))
    if not interp.recorder.saved:
        return UNKNOWN
    if file_names.may_change(reads.tree(interp)):
        return UNKNOWN
    name = file_names.of(interp, arg)
    held = interp.recorder.saved.get((OTHERS, library, name)) if name is not None else None
    if held is None:
        return UNKNOWN
    made = interp.site("array", site.node)

    def loaded(part: Value) -> Value:
        if isinstance(part, Tensor):
            return replace(part, trail=(interp.site("other", site.node),), roots=())
        if isinstance(part, Array):
            return replace(part, trail=(made,))
        return part if isinstance(part, Scalar) else UNKNOWN

    return snapshots.restored(interp, held, made, loaded)


def _array(interp: Interpreter, value: Value) -> Array:
    """What ``np.save`` makes of a value."""
    plain = without_none(value)
    return Array(data_types.of_data(interp, plain), nesting(interp, plain))


def save(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``np.save(file, array)``."""
    host_memory.check(interp, name, site)
    file, value = file_names.of(interp, site.get(0, "file")), site.value(1, "arr")
    if file is not None and value is not None:
        _write(interp, _NUMPY, file_names.with_suffix(file, ".npy"), _array(interp, value))
    return NONE


def save_several(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``np.savez(file, *arrays, **named)``."""
    host_memory.check(interp, name, site)
    file = file_names.of(interp, site.get(0, "file"))
    if file is None:
        return NONE
    attrs = {f"arr_{place}": _array(interp, arg.value) for place, arg in enumerate(site.args[1:])}
    attrs |= {key: _array(interp, arg.value) for key, arg in site.keywords.items() if key != "file"}
    content = Kept("dict", attrs, element=UNKNOWN if site.open else None)
    _write(interp, _NUMPY, file_names.with_suffix(file, ".npz"), content)
    return NONE


def load(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``np.load(file)``: an array, or arrays by their names."""
    return _read(interp, _NUMPY, site, site.get(0, "file"))


def save_matrix(interp: Interpreter, _name: str, site: CallSite) -> Value:
    """``scipy.sparse.save_npz(file, matrix)``."""
    file = file_names.of(interp, site.get(0, "file"))
    matrix = sparse_matrices.of(interp, site.value(1, "matrix"))
    if file is not None:
        content = Array(sparse_matrices.dtype(matrix), 2) if matrix is not None else UNKNOWN
        _write(interp, _SCIPY, file_names.with_suffix(file, ".npz"), content)
    return NONE


def load_matrix(interp: Interpreter, _name: str, site: CallSite) -> Value:
    """``scipy.sparse.load_npz(file)``."""
    held = _read(interp, _SCIPY, site, site.get(0, "file"))
    return sparse_matrices.read(interp, held.dtype if isinstance(held, Array) else None)


def dump(library: str, named: str) -> Callable[[Interpreter, str, CallSite], Value]:
    """``pickle.dump(value, file)``."""

    def write(interp: Interpreter, name: str, site: CallSite) -> Value:
        value = site.value(0, "obj", "value")
        saved_tensors.note(interp, value)
        if value is not None:
            _write(interp, library, file_names.of(interp, site.get(1, named)), snapshots.taken(interp, value))
        return NONE

    return write


def _pickler(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``pickle.Pickler(file)``."""
    file = file_names.of(interp, site.get(0, "file"))
    facts = {} if file is None else {file_names.NAMED: Const(file)}
    return interp.new(
        Obj("external", External(PICKLER), facts=facts, trail=(interp.site("other", site.node),))
    )


def of_pickler(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``pickler.dump(value)`` writes what ``pickle.dump(value, file)`` does."""
    if name != "dump":
        return UNKNOWN
    return dump(_PICKLE, "file")(
        interp, name, CallSite(site.node, site.args[:1], {**site.keywords, "file": Arg(ref)})
    )


def undump(library: str, named: str) -> Callable[[Interpreter, str, CallSite], Value]:
    """``pickle.load(file)``."""
    return lambda interp, _name, site: _read(interp, library, site, site.get(0, named))


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "numpy.save": save,
    **dict.fromkeys(("numpy.savez", "numpy.savez_compressed"), save_several),
    "numpy.load": load,
    "scipy.sparse.save_npz": save_matrix,
    "scipy.sparse.load_npz": load_matrix,
    **{f"{library}.dump": dump(_PICKLE, "file") for library in PICKLING},
    **{f"{library}.load": undump(_PICKLE, "file") for library in PICKLING},
    **dict.fromkeys((PICKLER, "dill.Pickler", "cloudpickle.Pickler", "cloudpickle.CloudPickler"), _pickler),
    "joblib.dump": dump(_JOBLIB, "filename"),
    "joblib.load": undump(_JOBLIB, "filename"),
}
