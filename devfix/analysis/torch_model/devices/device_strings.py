"""Device strings: texts that are no device, where PyTorch is asked to put something there."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.domain import device_texts
from devfix.analysis.domain.lattice import Device
from devfix.analysis.domain.values import Const, Tensor, Value
from devfix.analysis.language.frames import Arg, CallSite
from devfix.analysis.torch_model.devices import mps
from devfix.analysis.torch_model.tensors import requirements
from devfix.analysis.torch_model.tensors.arguments import device_of
from devfix.analysis.torch_model.tensors.requirements import Part

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter


def asked(interp: Interpreter, site: CallSite, position: int | None, *names: str) -> Device | None:
    """The device that an argument of a call names; what PyTorch refuses is written down, and goes where it is meant to."""
    arg = site.get(position, *names)
    if arg is None:
        return None
    check(interp, site, arg)
    return device_of(arg.value)


def check(interp: Interpreter, site: CallSite, arg: Arg) -> None:
    """Write down a text that PyTorch refuses, also one that is only chosen at times where the choice stands in the call."""
    for text, node in _texts(arg.value, arg.node):
        if device_texts.is_refused(text) and _is_spelt_out(interp, text):
            part = Part(Tensor(), "device", node)
            detail = {"text": text, "meant": _meant(interp, text)}
            requirements.record(interp, site.node, "torch.device", "device-string", [part], **detail)


def _texts(value: Value, node: ast.expr | None) -> list[tuple[str, ast.expr | None]]:
    if isinstance(node, ast.IfExp):
        branches = (node.body, node.orelse)
        return [
            (each.value, each)
            for each in branches
            if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
    return [(value.value, node)] if isinstance(value, Const) and isinstance(value.value, str) else []


def _is_spelt_out(interp: Interpreter, text: str) -> bool:
    """Whether a file has the text as it is: what is put together of options and numbers may never come to be used."""
    return any(text in source.text for source in interp.program.sources.values())


def _meant(interp: Interpreter, text: str) -> str:
    """What was meant; which accelerator a "gpu" is, is not clear in a program that may choose Apple's."""
    found = device_texts.meant(text) or ""
    if "gpu" in text.lower():
        interp.reads.add(("mps",))
        return "" if mps.is_chosen_in(interp) else found
    return found
