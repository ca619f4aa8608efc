"""Sentences: operations, operands and their roles in words that a tired person understands."""

from __future__ import annotations

import ast

from devfix.tracebacks.blame import Blame
from devfix.tracebacks.operands import Culprit
from devfix.tracebacks.readings import is_host
from devfix.tracebacks.scene import Tail
from devfix.tracebacks.signatures import OF_MODULE
from devfix.tracebacks.suspicion import Suspicion, spoken

_OPERATIONS = {
    "linear": "A Linear layer",
    "embedding": "An embedding lookup",
    "embedding_bag": "An embedding lookup",
    "matmul": "A matrix product",
    "mm": "A matrix product",
    "bmm": "A matrix product",
    "addmm": "A matrix product (usually a Linear layer)",
    "add": "An operation on two tensors",
    "add_": "An operation in place",
    "eq": "A comparison",
    "index": "An indexing",
    "index_select": "A lookup by index (usually an embedding)",
    "index_put": "An assignment by index",
    "convolution": "A convolution",
    "rnn": "A recurrent layer",
    "numpy": "NumPy",
    "multi_head_attention_forward": "Attention",
    "scaled_dot_product_attention": "Attention",
    "log_prob": "A distribution's `log_prob`",
    "cat": "`torch.cat` (or `stack`)",
}
_CONVOLUTIONS = ("conv", "slow_conv", "thnn_conv", "cudnn_conv")


def operation(operator: str, call: str) -> str:
    """What was being done, at the beginning of a sentence."""
    for name in (call, operator):
        if name.startswith(_CONVOLUTIONS):
            return _OPERATIONS["convolution"]
        if name in _OPERATIONS:
            return _OPERATIONS[name]
        if "norm" in name:
            return "A normalisation layer"
    return f"`{call or operator}`" if call or operator else "An operation"


_ROLES = {
    "input": "the input",
    "other": "the second operand",
    "mat2": "the second operand",
    "vec": "the second operand",
    "self": "the tensor that is indexed",
    "target": "the target",
    "index": "the index",
    "indices": "the index",
    "hidden": "the hidden state",
    "mask": "the mask",
    "attn_mask": "the mask",
    "value": "the value",
    "source": "the source",
    "src": "the source",
    "tensors": "one of the tensors",
    "tensors[0]": "the first of the tensors",
    "lengths": "the lengths",
    "gradient": "the gradient",
    "condition": "the condition",
    "window": "the window",
    "grid": "the grid",
    "pos_weight": "the class weights",
}


def role_name(role: str) -> str:
    """A role with its article: ``the target``."""
    return _ROLES.get(role, f"the operand `{role}`")


def accused(culprit: Culprit, found: Blame) -> str:
    """``images`` is the input of `model` and is on the CPU."""
    suspicion = found.suspicion
    if culprit.of_module:
        own = "its class weights" if is_loss(found.call) else "its own parameters"
        return f"`{culprit.text}`: {own} {_are(suspicion)}"
    owner = _owner(found)
    role = role_name(culprit.role)
    whose = (
        f" of `{owner}`" if owner and owner != culprit.text and role != "the tensor that is indexed" else ""
    )
    return f"`{culprit.text}`, {role}{whose}, {_is(suspicion)}"


def _owner(found: Blame) -> str:
    """What is called at the place."""
    if found.view is None or not isinstance(found.sink, ast.Call):
        return ""
    text = found.view.text(found.sink.func)
    return text if len(text) <= 40 else ""


def _is(suspicion: Suspicion) -> str:
    if suspicion.dtype:
        wanted = f", and {suspicion.wanted} is wanted" if suspicion.wanted else ""
        return f"is {suspicion.dtype}{wanted}"
    return f"is on {spoken(suspicion.device)}" if suspicion.device else "does not fit"


def _are(suspicion: Suspicion) -> str:
    return _is(suspicion).replace("is ", "are ", 1)


def is_loss(call: str) -> bool:
    """Whether a call (or operator) is a loss, whose ``weight`` is no parameter of a layer."""
    return any(word in call for word in ("loss", "entropy", "with_logits"))


def unseen(suspicion: Suspicion, tail: Tail, call: str) -> str:
    """The accusation when the expression is not known: ``The target is on the CPU``."""
    own = [role for role in suspicion.roles if role in OF_MODULE]
    if own and (tail.through_module or not tail.entry):
        module = (
            "The class weights of the loss"
            if is_loss(call)
            else "The module's own parameters (its weight or bias)"
        )
        return f"{module} {_are(suspicion)}"
    named = " or ".join(role_name(role) for role in suspicion.roles)
    state = _are(suspicion) if named == _ROLES["lengths"] else _is(suspicion)
    return f"{named[:1].upper()}{named[1:]} {state}"


def meets(suspicion: Suspicion) -> str:
    """What the accused operand meets: ``what it meets is on cuda:0``."""
    if not suspicion.peer or is_host(suspicion.peer):
        return ""
    return f"what it meets is on {spoken(suspicion.peer)}"
