"""Autograd functions under autocast: gradients come back when it has ended, in the dtype that it chose."""

import pytest
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Multiply(torch.autograd.Function):
    @staticmethod{forward}
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return {result}

    @staticmethod{backward}
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        {before}return {gradients}

class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(2, 4))

    def forward(self, x):
        return Multiply.apply(x, self.weight)

layer = Layer().to(device)
x = torch.randn(8, 4, device=device)
with {around}:
    loss = layer(x).float().pow(2).mean()
loss.backward()
"""
AUTOCAST = "torch.autocast(device.type, dtype=torch.float16)"


def program(
    gradients: str,
    *,
    result: str = "x @ weight.t()",
    before: str = "",
    around: str = AUTOCAST,
    forward: str = "",
    backward: str = "",
) -> str:
    return PROGRAM.format(
        gradients=gradients, result=result, before=before, around=around, forward=forward, backward=backward
    )


@pytest.mark.parametrize(
    "gradients",
    ["grad @ weight, None", "None, grad.t() @ x", "torch.mm(grad, weight), torch.mm(grad.t(), x)"],
)
def test_the_gradient_is_cast_before_it_meets_what_was_saved(gradients: str) -> None:
    texts, _ = fix_texts(files(program(gradients)), Applicability.UNSAFE)
    assert texts["main.py"] == program(gradients, before="grad = grad.float()\n        ")
    assert clashes(texts["main.py"]) == []


@pytest.mark.parametrize(
    "text",
    [
        program("grad @ weight, None", around="torch.no_grad()"),
        program("grad @ weight, None", around="torch.enable_grad()"),
        program("grad @ weight, None", around="torch.autocast(device.type, enabled=False)"),
        program("grad @ weight, grad.t() @ x", result="x.float() * weight.sum()"),
        program("grad @ weight.to(grad.dtype), grad.t() @ x.to(grad)"),
        program("grad.float() @ weight, grad.float().t() @ x"),
        program("grad * weight.sum(), None"),
        program(
            "grad @ weight, grad.t() @ x",
            forward='\n    @torch.amp.custom_fwd(device_type="cuda")',
            backward='\n    @torch.amp.custom_bwd(device_type="cuda")',
        ),
        program(
            "grad @ weight, grad.t() @ x",
            forward="\n    @torch.cuda.amp.custom_fwd(cast_inputs=torch.float32)",
            backward="\n    @torch.cuda.amp.custom_bwd",
        ),
    ],
)
def test_gradients_that_fit(text: str) -> None:
    assert clashes(text) == []
    assert fix_texts(files(text), Applicability.UNSAFE)[0]["main.py"] == text


BRANCHES = """first = second = None
        {cast}if ctx.needs_input_grad[0]:
            first = grad @ weight
        if ctx.needs_input_grad[1]:
            {own}second = {second}
        """


def test_a_gradient_that_two_branches_use_is_cast_before_both() -> None:
    wrong, right = (
        program("first, second", before=BRANCHES.format(cast=cast, own="", second="grad.t() @ x"))
        for cast in ("", "grad = grad.float()\n        ")
    )
    assert fix_texts(files(wrong), Applicability.UNSAFE)[0]["main.py"] == right


def test_one_that_a_single_branch_uses_is_cast_there() -> None:
    once = BRANCHES.replace("grad @ weight", "None")
    wrong, right = (
        program("first, second", before=once.format(cast="", own=cast, second="grad.t() @ x"))
        for cast in ("", "grad = grad.float()\n            ")
    )
    assert fix_texts(files(wrong), Applicability.UNSAFE)[0]["main.py"] == right
