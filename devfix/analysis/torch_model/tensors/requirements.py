"""Requirements: operands that meet must agree, and what is written down when they do not."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import ACCELERATOR, CPU, FLOATS, UNKNOWN_DEVICE, UNKNOWN_INDEX, Device
from devfix.analysis.domain.values import Tensor
from devfix.analysis.record.recorder import OWN
from devfix.analysis.record.trails import dtype_trails
from devfix.analysis.reuse import reads
from devfix.analysis.text import plain_operands
from devfix.analysis.torch_model.devices import autocast
from devfix.analysis.torch_model.modules import owners
from devfix.analysis.torch_model.tensors import float_width
from devfix.findings import OF_DTYPES, Mismatch, Operand
from devfix.records import frozen

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


@frozen
class Part:
    """An operand of an operation: its value, its role and the expression it is written as.

    ``held``: the expression stands for an object that holds the tensor.
    """

    tensor: Tensor
    role: str
    node: ast.expr | None = None
    held: bool = False


def meet(
    interp: Interpreter,
    node: ast.AST,
    operation: str,
    parts: list[Part],
    *,
    scalars: bool = True,
    detail: dict[str, str] | None = None,
) -> Device:
    """The device on which ``parts`` meet; a mismatch is recorded when they are on two.

    With ``scalars`` a 0-dim CPU operand may join an accelerator's, as TensorIterator allows
    (facts: "add: cuda + cpu 0-dim" runs, "add: cpu + cuda 0-dim" does not), unless it is the one
    that an operation in place writes to.
    """
    parts = _with_host_paths(parts)
    if interp.program.adopts and len(parts) > 1:
        parts = _with_strangers(_with_device_paths(parts))
    known = [part for part in parts if part.tensor.device.is_known]
    placed = [part for part in known if part.tensor.device.kind in ("accelerator", "same-as")]
    hosts = [part for part in known if part.tensor.device.kind == "cpu"]
    if not placed:
        return _host_result(parts, known)
    _learn(interp, placed)
    if scalars:
        written = parts[0] if detail and "in_place" in detail else None
        # Where the program was made for the CPU, what may be no scalar goes along.
        excused = (0,) if interp.program.adopts else (0, None)
        told = [part if part is written else _refused(interp, part, excused) for part in hosts]
        hosts = [part for part in told if part is not None]
    if hosts:
        paths = _on_each_path(hosts)
        said = {**(detail or {}), "paths": "1"} if len(paths) > 1 else detail or {}
        for each in paths:
            _record(interp, node, operation, "device", [*each, *placed], said)
    accelerated = [part for part in placed if part.tensor.device.is_accelerator]
    if len({part.tensor.device.label for part in accelerated} - {UNKNOWN_INDEX}) > 1:
        _record(interp, node, operation, "other-accelerator", accelerated, detail or {})
    return (accelerated or placed)[0].tensor.device


def _refused(interp: Interpreter, part: Part, excused: tuple[int | None, ...]) -> Part | None:
    """An operand on the CPU whose rank does not excuse it; of one that is a number on some paths, what it is on the others.

    A test may tell these paths apart, or lead to another place: that is so unless the operand is an attribute of which
    nothing is asked.
    """
    tensor, node = part.tensor, part.node
    if tensor.rank not in excused:
        return part
    if tensor.rank is not None or not tensor.elsewhere or not isinstance(node, ast.Attribute):
        return None
    found = tuple([path for path in (tensor.paths[0], *tensor.elsewhere) if path.rank not in excused])
    if not found or node.attr not in plain_operands.of(reads.tree(interp)):
        return None
    return replace(part, tensor=replace(found[0], paths=found))


def _with_host_paths(parts: list[Part]) -> list[Part]:
    """Where the rest is on the accelerator, an operand counts as the path has it that fails."""
    if not any(part.tensor.device.is_accelerator for part in parts):
        return parts
    return [
        replace(part, tensor=part.tensor.split)
        if part.tensor.split is not None and part.tensor.is_parted
        else part
        for part in parts
    ]


def _on_each_path(hosts: list[Part]) -> list[list[Part]]:
    """The operands that stayed on the CPU, and again for each path on which one of them was made elsewhere."""
    others = ((index, path) for index, part in enumerate(hosts) for path in part.tensor.elsewhere)
    return [
        hosts,
        *(
            [*hosts[:index], replace(hosts[index], tensor=path), *hosts[index + 1 :]]
            for index, path in others
        ),
    ]


def _with_device_paths(parts: list[Part]) -> list[Part]:
    """What one path leaves on the CPU is meant to be on the device: there it meets the others."""
    return [
        replace(part, tensor=replace(part.tensor, device=ACCELERATOR, split=None))
        if part.tensor.is_parted
        else part
        for part in parts
    ]


def _with_strangers(parts: list[Part]) -> list[Part]:
    """A tensor of which nobody knows where it is comes along: to move what is there already does no harm."""
    if not any(part.tensor.device.is_accelerator for part in parts):
        return parts
    return [
        part
        if part.tensor.device.is_known or part.tensor.parameter or part.role == "weight"
        else replace(part, tensor=replace(part.tensor, device=CPU))
        for part in parts
    ]


def _host_result(parts: list[Part], known: list[Part]) -> Device:
    if len(known) == len(parts) and known:
        return known[0].tensor.device
    return UNKNOWN_DEVICE


def _learn(interp: Interpreter, placed: list[Part]) -> None:
    """Operands whose devices are symbolic and that meet must be on one device."""
    symbolic = [p.tensor.device.label for p in placed if p.tensor.device.kind == "same-as"]
    for token in symbolic[1:]:
        interp.recorder.unify(symbolic[0], token)


_HALVES = frozenset({"float16", "bfloat16"})
#: Kinds of mismatch that say something of how wide a float is.
_OF_WIDTH = frozenset({"dtype", "target-width"})
#: What is wrong with one operand alone because of what the operation makes of it.
_OF_USE = frozenset({"mask-dtype", "index-dtype"})
#: What puts tensors together one after the other, among which may be one without elements.
_JOINING = frozenset(
    f"torch.{name}" for name in ("cat", "concat", "concatenate", "hstack", "vstack", "dstack", "column_stack")
)


def _is_stand_in(tensor: Tensor) -> bool:
    """Whether a tensor stands where there is none: one without elements has no shape in common with what it meets."""
    return tensor.empty > 0 and tensor.rank == 1


def _record(
    interp: Interpreter,
    node: ast.AST,
    operation: str,
    kind: str,
    parts: list[Part],
    detail: dict[str, str],
) -> None:
    if interp.recorder.muted or (kind in _OF_WIDTH and not float_width.is_known(interp)):
        return
    meets = operation not in _JOINING and (len(parts) > 1 or kind in _OF_USE)
    if meets and any(_is_stand_in(part.tensor) for part in parts):
        return
    if kind == "device":
        parts, said = owners.explained(interp, parts)
        detail = {**said, **detail}
    certain = any(part.tensor.device.is_accelerator for part in parts)
    tokens = () if certain or kind != "device" else tuple(
        part.tensor.device.label for part in parts if part.tensor.device.kind == "same-as"
    )  # fmt: skip
    if tokens and any(part.tensor.parameter and part.tensor.device == CPU for part in parts):
        tokens = (*tokens, OWN)
    interp.recorder.mismatch(
        Mismatch(
            kind,
            interp.frame.path,
            interp.source.span(node),
            operation,
            tuple(operand(interp, part, node, dtype=kind in OF_DTYPES) for part in parts),
            tuple(sorted({**detail, "scope": interp.frame.scope}.items())),
        ),
        tokens,
    )


def operand(interp: Interpreter, part: Part, sink: ast.AST, *, dtype: bool = False) -> Operand:
    """The plain data of one operand; with ``dtype`` its roots are where the dtype comes from."""
    node = part.node if part.node is not None else sink
    tensor = part.tensor
    return Operand(
        interp.text(node),
        part.role,
        interp.frame.path,
        interp.source.span(node),
        str(tensor.device) if tensor.device.is_known else None,
        tensor.dtype,
        tensor.trail,
        dtype_trails(tensor) if dtype else tensor.roots,
        part.held,
    )


def record(
    interp: Interpreter,
    node: ast.AST,
    operation: str,
    kind: str,
    parts: list[Part],
    **detail: str,
) -> None:
    """Write down a mismatch of another kind than two devices."""
    _record(interp, node, operation, kind, parts, detail)


def same_dtype(
    interp: Interpreter, node: ast.AST, operation: str, parts: list[Part], *, decisive: Part | None = None
) -> None:
    """Operands of a matrix product (or a layer) must share one dtype; autocast takes care itself.

    Under autocast only float64 stays what it is (facts: "autocast cuda: float64 input"). Each
    operand to cast gets a mismatch of its own, with the dtype ``wanted`` of it: that of the
    ``decisive`` operand, which autocast does not cast when it is given.
    """
    known = [part for part in parts if part.tensor.dtype is not None]
    dtypes = {part.tensor.dtype for part in known}
    fixed = decisive is not None
    if len(dtypes) < 2 or (interp.autocast and not fixed and dtypes <= autocast.CAST):
        return
    if not interp.is_script and _awaits_halves(known):
        return
    decisive = _always_given(known, decisive or _decisive(known))
    for part in known:
        if part.tensor.dtype != decisive.tensor.dtype and (fixed or not _is_cast_by_autocast(interp, part)):
            pair = [part, decisive]
            _record(interp, node, operation, "dtype", pair, {"wanted": decisive.tensor.dtype or ""})


def _always_given(parts: list[Part], decisive: Part) -> Part:
    """The operand that decides, or for a bias, which a layer may be made without, another one of its dtype."""
    same = [part for part in parts if part.role != "bias" and part.tensor.dtype == decisive.tensor.dtype]
    return same[0] if same and decisive.role == "bias" else decisive


def _awaits_halves(parts: list[Part]) -> bool:
    """Whether code that no script calls hands halves to parameters of which nobody is seen to choose the dtype.

    Whoever calls it has cast the model to halves, or does so under autocast.
    """
    weights = [part.tensor for part in parts if part.tensor.parameter]
    others = {part.tensor.dtype for part in parts if not part.tensor.parameter}
    unchosen = bool(weights) and all(weight.dtype == "float32" for weight in weights)
    return unchosen and bool(others & _HALVES) and others <= {*_HALVES, "float32"}


def _is_cast_by_autocast(interp: Interpreter, part: Part) -> bool:
    return bool(interp.autocast) and part.tensor.dtype in autocast.CAST


def _decisive(parts: list[Part]) -> Part:
    """The operand whose dtype the others should have.

    A complex one does, since a cast to a real dtype drops half of every number. Otherwise a parameter's dtype
    was chosen for the whole module, and a weight that is computed of parameters
    (after a step by hand) has it, too. Otherwise floats come before integers, and float64 that
    nobody asked for (it comes from NumPy) gives way to what it meets, also where a parameter got it as its data,
    and so does a gradient in the dtype that autocast chose.
    """
    complexes = [part for part in parts if (part.tensor.dtype or "").startswith("complex")]
    parameters = [part for part in parts if part.tensor.parameter and not _was_replaced(part.tensor)]
    floats = [part for part in parts if part.tensor.dtype in FLOATS]
    given = (_is_numpy_default, _was_replaced, _is_gradient)
    chosen = [part for part in floats if not any(nobody_chose(part.tensor) for nobody_chose in given)]
    learned = [part for part in chosen if part.tensor.grad and part.role == "weight"]
    return (complexes or parameters or learned or chosen or floats or parts)[0]


def _is_gradient(tensor: Tensor) -> bool:
    """Whether a half begins as an argument: a gradient, which has the dtype that autocast chose for the result."""
    trails = dtype_trails(tensor)
    halves = tensor.dtype in _HALVES
    return halves and bool(trails) and all(trail[:1] and trail[0].kind == "argument" for trail in trails)


def _was_replaced(tensor: Tensor) -> bool:
    """Whether a parameter got data that nobody cast, and with them a dtype that nobody chose for the module."""
    trails = dtype_trails(tensor)
    given = bool(trails) and all(any(site.kind == "replaced" for site in trail) for trail in trails)
    return given and (_is_numpy_default(tensor) or all(trail[0].kind == "factory" for trail in trails))


def _is_numpy_default(tensor: Tensor) -> bool:
    trails = dtype_trails(tensor)
    made = [trail[0].kind for trail in trails if trail]
    return (
        tensor.dtype == "float64"
        and bool(made)
        and all(kind in ("array", "numpy", "loader") for kind in made)
    )


def leaves_host(interp: Interpreter, value: Tensor) -> bool:
    """Whether a tensor is on the accelerator; where a device has just been chosen, whether it may be."""
    host = value.device.kind in ("cpu", "meta")
    return not host if interp.program.adopts else device_path(value).device.is_accelerator


def device_path(value: Tensor) -> Tensor:
    """A tensor as the path has it that leaves it on the accelerator, where another leaves it on the CPU."""
    path = value.split.split if value.split is not None and value.is_parted else None
    return value if path is None else replace(path, trail=value.trail or path.trail)


def is_float(dtype: str | None) -> bool:
    """Whether a dtype is known to be a real floating point one."""
    return dtype in FLOATS
