"""Factory calls: tensors that come into being, on the default device unless told otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1, FLOATS, UNKNOWN_DEVICE, Device
from devfix.analysis.domain.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Array,
    Const,
    Tensor,
    TupleValue,
    Union,
    Unknown,
    Value,
    without_none,
)
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.record import notes
from devfix.analysis.record.trails import common_dtype_trails, roots_of
from devfix.analysis.torch_model.devices import default_choices, device_strings, followed, mps
from devfix.analysis.torch_model.tensors import (
    borrowed_memory,
    copied_data,
    entry_dtypes,
    generators,
    leaves,
    number_range,
    requirements,
    truths_in_floats,
)
from devfix.analysis.torch_model.tensors.arguments import (
    data_dtype,
    default_device,
    device_of,
    dtype_of,
    is_empty_list,
    is_followed,
    nesting,
    roots_followed,
    size_rank,
    sizes_of,
)
from devfix.analysis.torch_model.tensors.requirements import Part
from devfix.records import frozen

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


@frozen
class Factory:
    """How a factory call reads its arguments.

    ``sizes``: the positional arguments are sizes. ``rank``: a fixed rank. ``dtype``: what comes
    out without ``dtype=`` (empty: from the data). ``random``: it draws from a generator, so where
    it runs decides the numbers.
    """

    dtype: str = "float32"
    sizes: bool = False
    rank: int | None = None
    random: bool = False


FACTORIES: dict[str, Factory] = {
    **dict.fromkeys(("zeros", "ones", "empty"), Factory(sizes=True)),
    **dict.fromkeys(("rand", "randn"), Factory(sizes=True, random=True)),
    **dict.fromkeys(
        ("hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window",
         "linspace", "logspace"),
        Factory(rank=1),
    ),
    "eye": Factory(rank=2),
    "randperm": Factory("int64", rank=1, random=True),
    "tril_indices": Factory("int64", rank=2),
    "triu_indices": Factory("int64", rank=2),
    "empty_strided": Factory(),
}  # fmt: skip


_NO_SIZE = Const(0)


def make(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.name(...)`` for a name in :data:`FACTORIES`."""
    factory = FACTORIES[name]
    sizes = sizes_of(site)
    rank = size_rank(interp, sizes) if factory.sizes else factory.rank
    if site.open and factory.sizes:
        rank = AT_LEAST_1  # ``*sizes`` of nobody knows how many
    if factory.random and factory.sizes and rank is None and sizes:
        rank = AT_LEAST_1  # nobody draws a number so
    made = _new(interp, site, factory.dtype, rank, random=factory.random)
    if factory.sizes and "out" not in site.keywords and (empty := _without_size(sizes)):
        made = replace(made, empty=empty)
    return truths_in_floats.filled(made, name)


def _without_size(sizes: list[Arg]) -> int:
    """How many of the sizes that a tensor is given are zero before the first that may not be."""
    given = [arg.value for arg in sizes]
    if len(given) == 1 and isinstance(given[0], TupleValue):
        given = list(given[0].items)
    return next((number for number, size in enumerate(given) if size != _NO_SIZE), len(given))


def _new(
    interp: Interpreter, site: CallSite, dtype: str | None, rank: int | None, random: bool = False
) -> Tensor:
    device = device_strings.asked(interp, site, None, "device")
    if device is not None:
        notes.choice(interp, site.keywords["device"])
        chosen = not is_followed(site.value(None, "device"))
        interp.recorder.accelerated |= device.is_accelerator or (chosen and device.kind != "cpu")
        followed.note(interp, device)
        if device.is_accelerator:
            interp.note_placement("factory", site.node)
    given = site.keywords.get("dtype")
    if given is not None and given.value != NONE:
        dtype = dtype_of(given.value)
    placed = device if device is not None else default_device(interp)
    if device in (None, UNKNOWN_DEVICE):
        default_choices.note_made(interp, site.node)
    if random:
        placed = generators.drawn(interp, site, placed, told=device is not None)
    grad = site.value(None, "requires_grad") == TRUE
    roots = roots_followed(site.value(None, "device"))
    kind = "result" if roots else "random-factory" if random else "factory"
    trail = (interp.site(kind, site.node),)
    if "out" in site.keywords:
        out = without_none(site.keywords["out"].value)
        return replace(out, empty=0) if isinstance(out, Tensor) else Tensor(UNKNOWN_DEVICE, trail=trail)
    made = Tensor(placed, dtype, rank, grad=grad, leaf=True, trail=trail, roots=roots)
    leaves.note(interp, made)
    mps.check_factory(interp, made, site)
    return made


def special(factory: Factory) -> Callable[[Interpreter, str, CallSite], Value]:
    """A handler of a factory that stands in no list of ``torch`` itself."""

    def handle(interp: Interpreter, name: str, site: CallSite) -> Value:
        return _new(interp, site, factory.dtype, factory.rank)

    return handle


#: ``nn.Transformer.generate_square_subsequent_mask(size)``.
causal_mask = special(Factory(rank=2))


def full(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.full(size, value)``: the dtype of the value."""
    size, fill = site.get(0, "size"), site.value(1, "fill_value")
    rank = size_rank(interp, [size]) if size is not None else None
    made = _new(interp, site, data_dtype(interp, fill) if fill is not None else None, rank)
    number_range.check_made(interp, name, site, made)
    return made


def arange(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.arange``: integers give int64, any float the default float, unlike ``torch.range``, which counts in floats."""
    named = (site.value(None, each) for each in ("start", "end", "step"))
    values = [*(arg.value for arg in site.args), *(value for value in named if value is not None)]
    kinds = {data_dtype(interp, value) for value in values}
    counts = kinds <= {"int64", "bool"}
    dtype = "float32" if "float32" in kinds else "int64" if counts else None
    made = _new(interp, site, dtype, 1)
    return replace(made, cast_of="int64") if counts and made.dtype in FLOATS else made


def randint(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.randint([low,] high, size)``."""
    size = site.get(None, "size")
    if size is None:
        size = next((a for a in reversed(site.args) if nesting(interp, a.value) != 0), None)
    rank = size_rank(interp, [size]) if size is not None else None
    return _new(interp, site, "int64", rank, random=True)


def tensor(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.tensor(data)``: always on the default device, but a tensor keeps its own."""
    data = site.value(0, "data")
    if data is None:
        return Tensor()
    data = without_none(data)
    dtype = "float32" if name == "torch.scalar_tensor" else data_dtype(interp, data)
    made = _new(interp, site, dtype, nesting(interp, data))
    made = replace(made, empty=1) if is_empty_list(site) else made
    if isinstance(data, Array) and "dtype" not in site.keywords:
        made = replace(made, typed=((interp.site("numpy", site.node),),))  # nobody chose how wide they are
    if device_of(site.value(None, "device")) is not None:
        return made
    if isinstance(data, Tensor):
        made = replace(made, device=data.device, dtype=made.dtype or data.dtype)
    elif isinstance(data, Unknown) and copied_data.may_be_tensor(interp, site):
        made = replace(made, device=UNKNOWN_DEVICE)  # a copy of a tensor is where that is
    return made


def as_tensor(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.as_tensor``, ``asarray``: no copy where none is needed."""
    data = site.value(0, "data")
    data = without_none(data) if data is not None else None
    if isinstance(data, Tensor):
        device = device_strings.asked(interp, site, None, "device")
        dtype = site.keywords.get("dtype")
        changed = replace(data, dtype=dtype_of(dtype.value)) if dtype is not None else data
        if device is not None and device.is_accelerator:
            interp.note_placement("factory", site.node)
        if device is None or device == data.device:
            return changed
        return replace(changed, device=device, trail=(interp.site("move", site.node),), roots=())
    made = tensor(interp, name, site)
    if isinstance(made, Tensor) and isinstance(data, Unknown) and not interp.is_script:
        # Whoever calls this library may hand over an array as well as a tensor that stays where it is.
        asked = device_of(site.value(None, "device"))
        return replace(made, device=asked if asked is not None else UNKNOWN_DEVICE)
    return _from_array(interp, made, data, site)


def _from_array(interp: Interpreter, made: Value, data: Value | None, site: CallSite) -> Value:
    if isinstance(made, Tensor) and isinstance(data, Array):
        entry_dtypes.note(interp, site.node, made.dtype)
        return replace(
            made, trail=(interp.site("numpy", site.node),), roots=(data.trail,) if data.trail else ()
        )
    return made


def like(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``zeros_like`` and its family: everything as the first operand has it."""
    source = site.value(0, "input")
    source = without_none(source) if source is not None else None
    if not isinstance(source, Tensor):
        return Tensor(device=device_of(site.value(None, "device")) or UNKNOWN_DEVICE)
    given = site.keywords.get("dtype")
    dtype = dtype_of(given.value) if given is not None and given.value != NONE else source.dtype
    grad = site.value(None, "requires_grad") == TRUE
    made = _beside(interp, source, dtype, source.rank, site, grad=grad)
    if name == "torch.full_like":
        number_range.check_made(interp, name, site, made)
    return made


def new(interp: Interpreter, source: Tensor, name: str, site: CallSite) -> Value:
    """``x.new_zeros(...)`` and its family: the device and dtype of ``x``."""
    given = site.keywords.get("dtype")
    dtype = dtype_of(given.value) if given is not None else source.dtype
    if name in {"new_tensor", "new"}:
        data = nesting(interp, site.args[0].value) if len(site.args) == 1 else len(site.args)
        rank = 1 if name == "new" and data == 0 else data  # a number is a size, none makes what is empty
    else:
        sizes = sizes_of(site)
        rank = size_rank(interp, sizes[:1] if name == "new_full" else sizes)
        rank = AT_LEAST_1 if site.open else rank
    made = _beside(interp, source, dtype, rank, site, grad=False)
    if name == "new_full":
        number_range.check_made(interp, f"torch.Tensor.{name}", site, made)
    return made


def _beside(
    interp: Interpreter, source: Tensor, dtype: str | None, rank: int | None, site: CallSite, *, grad: bool
) -> Tensor:
    """What is made beside another tensor, and goes where that goes; where a device is asked for it begins a life of its own."""
    asked = device_strings.asked(interp, site, None, "device")
    begin = interp.site("result" if asked is None else "factory", site.node)
    roots = roots_of([source]) if asked is None else ()
    return Tensor(asked or source.device, dtype, rank, grad=grad, leaf=True, trail=(begin,), roots=roots)


def normal(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.normal(mean, std[, size])``: where its tensor arguments are, else with a size like ``randn``."""
    tensors, size = _tensor_parts(site, ("mean", "std")), site.get(2, "size")
    if not tensors and size is not None:
        return _new(interp, site, "float32", size_rank(interp, [size]), random=True)
    if not tensors:
        return Tensor(UNKNOWN_DEVICE, trail=(interp.site("result", site.node),))
    device = requirements.meet(interp, site.node, "torch.normal", tensors, scalars=False)
    generators.check(interp, site, device)
    first = tensors[0].tensor
    trail = (interp.site("result", site.node),)
    return Tensor(device, first.dtype, first.rank, grad=False, leaf=True, trail=trail,
                  roots=roots_of([part.tensor for part in tensors]))  # fmt: skip


def _tensor_parts(site: CallSite, roles: tuple[str, ...]) -> list[Part]:
    """The tensors among a call's arguments of these names, which are its first."""
    given = [(role, site.get(position, role)) for position, role in enumerate(roles)]
    return [Part(arg.value, role, arg.node) for role, arg in given if arg and isinstance(arg.value, Tensor)]


def sparse(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``torch.sparse_coo_tensor(indices, values, size)``: where the values are, and the indices have to be as well."""
    parts = _tensor_parts(site, ("indices", "values"))
    device = device_of(site.value(None, "device"))
    if device is None:
        device = _device_of_values(interp, site)
        if len(parts) > 1 and device is not UNKNOWN_DEVICE:
            requirements.meet(interp, site.node, "torch.sparse_coo_tensor", parts, scalars=False)
    handed = bool(parts) and all(_was_argument(interp, part.tensor) for part in parts)
    trail = (interp.site("result" if handed else "factory", site.node),)
    roots = roots_of([part.tensor for part in parts])
    values, size, given = site.value(1, "values"), site.get(2, "size"), site.value(None, "dtype")
    dtype = dtype_of(given) if given is not None else data_dtype(interp, values) if values else None
    rank = size_rank(interp, [size]) if size is not None else AT_LEAST_1
    told = [part.tensor for part in parts if part.role == "values"] if given is None else []
    typed = common_dtype_trails(told, dtype)
    return Tensor(device, dtype, rank, trail=trail, roots=roots, typed=typed)


def _was_argument(interp: Interpreter, tensor: Tensor) -> bool:
    """Whether a tensor is an argument of the function being executed, or computed from one: it moves where that was given."""
    scope = (interp.frame.path, interp.frame.scope)
    lives = (tensor.trail, *tensor.roots)
    return any(
        site.kind == "argument" and (site.path, site.scope) == scope for life in lives for site in life
    )


def _device_of_values(interp: Interpreter, site: CallSite) -> Device:
    """Where a sparse tensor is whose values nobody puts anywhere: where they are, if they are no plain numbers."""
    values = without_none(site.value(1, "values") or UNKNOWN)
    if isinstance(values, Tensor):
        return values.device
    return UNKNOWN_DEVICE if isinstance(values, (Unknown, Union)) else default_device(interp)


def parameter(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``nn.Parameter(data)``: a leaf where the data is."""
    data = site.value(0, "data")
    data = without_none(data) if data is not None else None
    if data is None:
        default_choices.note_made(interp, site.node)
    if not isinstance(data, Tensor):
        data = Tensor(default_device(interp)) if data is None else Tensor(UNKNOWN_DEVICE)
    trail = data.trail or (interp.site("factory", site.node),)
    grad = site.value(1, "requires_grad") != FALSE
    made = replace(data, parameter=True, leaf=True, grad=grad, trail=trail)
    leaves.note(interp, made, interp.site("other", site.node))
    return made


def buffer(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``nn.Buffer(data)``: a module that it is assigned to registers it, and takes it wherever it goes."""
    data = site.value(0, "data")
    data = without_none(data) if data is not None else None
    return replace(data, device=UNKNOWN_DEVICE) if isinstance(data, Tensor) else Tensor(UNKNOWN_DEVICE)


def variable(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``autograd.Variable(t)`` is ``t`` itself nowadays, and a leaf of its own where it is to require grad."""
    data = site.value(0, "data")
    if not isinstance(data, Tensor) or site.value(1, "requires_grad") != TRUE:
        return data if data is not None else Tensor()
    made = replace(data, leaf=True, grad=True, lost="")
    leaves.note_variable(interp, made, interp.site("other", site.node))
    return made


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    "torch.full": full,
    "torch.fft.fftfreq": special(Factory(rank=1)),
    "torch.fft.rfftfreq": special(Factory(rank=1)),
    "torch.nn.Transformer.generate_square_subsequent_mask": causal_mask,
    "torch.arange": arange,
    "torch.range": special(Factory(rank=1)),
    "torch.randint": randint,
    "torch.tensor": tensor,
    "torch.scalar_tensor": tensor,
    "torch.as_tensor": as_tensor,
    "torch.asarray": as_tensor,
    "torch.from_numpy": borrowed_memory.from_numpy,
    "torch.frombuffer": borrowed_memory.from_buffer,
    "torch.normal": normal,
    "torch.sparse_coo_tensor": sparse,
    "torch.nn.Parameter": parameter,
    "torch.nn.Buffer": buffer,
    "torch.autograd.Variable": variable,
    **{f"torch.{kind}_like": like for kind in "zeros ones empty rand randn randint full".split()},
}
