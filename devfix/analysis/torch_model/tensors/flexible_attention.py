"""``flex_attention``: attention whose scores and masks are functions of the program, of numbers that are beside them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import ACCELERATOR, AT_LEAST_1, Device
from devfix.analysis.domain.values import NONE, UNKNOWN, External, Obj, Tensor, Value
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.tensors import functional
from devfix.analysis.torch_model.tensors.arguments import device_of

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_PACKAGE = "torch.nn.attention.flex_attention"
_TAKEN = ("query", "key", "value")


def _attend(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``flex_attention(query, key, value, score_mod=...)``."""
    given = {key: arg for key, arg in site.keywords.items() if key in _TAKEN}
    plain = replace(site, args=site.args[: len(_TAKEN)], keywords=given)
    made = functional.call(interp, "scaled_dot_product_attention", plain)
    change = site.value(len(_TAKEN), "score_mod")
    if isinstance(made, Tensor) and made.device.is_known and change not in (None, NONE):
        score = Tensor(made.device, made.dtype, AT_LEAST_1, grad=True)
        interp.call(change, CallSite(site.node, (Arg(score), *_numbers(made.device))))
    return made or UNKNOWN


def _mask(interp: Interpreter, name: str, site: CallSite) -> Value:
    """``create_block_mask(mask_mod, ...)``, on an accelerator unless another device is told."""
    told = site.value(5, "device")
    device = ACCELERATOR if told in (None, NONE) else device_of(told)
    chosen = site.value(0, "mask_mod")
    if chosen is not None and device is not None and device.is_known:
        interp.call(chosen, CallSite(site.node, _numbers(device)))
    return interp.new(Obj("external", External(f"{_PACKAGE}.BlockMask")))


def _numbers(device: Device) -> tuple[Arg, ...]:
    """The numbers of the sentence, the head, the query and the key: tensors, as all of them are looked at together."""
    return (Arg(Tensor(device, "int32", AT_LEAST_1, grad=False)),) * 4


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    f"{_PACKAGE}.flex_attention": _attend,
    f"{_PACKAGE}.create_block_mask": _mask,
}
