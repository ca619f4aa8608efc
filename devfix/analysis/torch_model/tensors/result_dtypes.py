"""Result dtypes: what an operation of the table makes of its operands, as PyTorch promotes them."""

from __future__ import annotations

from devfix.analysis.domain.lattice import COMPLEX, COMPLEX_OF, floating, promote, rank_of_broadcast
from devfix.analysis.domain.number_types import MIXED
from devfix.analysis.domain.values import FALSE, NONE, TRUE, Tensor
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model.tensors.operators import typed
from devfix.analysis.torch_model.tensors.specs import Op

#: What ``pow`` calls what others call the other operand.
_EXPONENT = "exponent"


def of(op: Op, tensors: list[Tensor], site: CallSite, unclear: bool) -> str | None:
    """The dtype of what an operation of the table makes of tensors, where ``unclear`` says that others may be among them."""
    if op.dtype in ("promote", "float"):
        if unclear:
            return None
        named = (arg for role, arg in site.keywords.items() if role in (*op.operands, _EXPONENT))
        kinds = [typed(arg.value) for arg in (*site.args, *named) if not isinstance(arg.value, Tensor)]
        dtype, rank = tensors[0].dtype, tensors[0].rank
        for other in tensors[1:]:
            dtype = promote((dtype, rank), (other.dtype, other.rank))
            rank = rank_of_broadcast([rank, other.rank])
        met = _with_numbers(dtype, [kind for kind, _ in kinds])
        return floating(met) if op.dtype == "float" and not _rounds(site) else met
    if op.dtype == "wide":
        return None if unclear else "complex128" if any(t.dtype in COMPLEX for t in tensors) else "float64"
    if op.dtype == "complex":
        return COMPLEX_OF.get(tensors[0].dtype or "")
    if op.dtype == "place":
        narrow = site.value(None, "out_int32")
        return "int64" if narrow in (None, FALSE) else "int32" if narrow == TRUE else None
    if op.dtype == "spectrum":
        if len({tensor.dtype for tensor in tensors}) > 1:
            return None
        return COMPLEX_OF.get(tensors[0].dtype or "") if site.value(None, "return_complex") == TRUE else None
    if op.dtype == "counted":
        return None if unclear else _counted(*(weights.dtype for weights in tensors[1:]))
    return op.dtype or None


def _counted(*weights: str | None) -> str | None:
    """How often there is each number, or the sums of its weights: float64, unless these are float32."""
    if not weights:
        return "int64"
    return weights[0] if weights[0] in (None, "float32") else "float64"


def _rounds(site: CallSite) -> bool:
    """Whether a division is to give whole numbers again."""
    return site.value(None, "rounding_mode") not in (None, NONE)


def _with_numbers(dtype: str | None, kinds: list[str | None]) -> str | None:
    if dtype is None or dtype.startswith(("float", "bfloat", "complex")):
        return dtype
    if "float32" in kinds or MIXED in kinds:
        return "float32" if "float32" in kinds else None
    return "int64" if dtype == "bool" and "int64" in kinds else dtype
