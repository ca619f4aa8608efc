"""A tensor at hand names the device where a function has nothing to do with the choice of the script around it."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            gate = {made}
            return ctx.factor * grad * gate, None


    x = torch.ones(4, 3, device=device, requires_grad=True)
    Scale.apply(x, 2.0).sum().backward()
"""


def _added(text: str) -> list[str]:
    before = files(text)
    after = fix_texts(before)[0]["main.py"]
    return [line.strip() for line in after.splitlines() if line not in before["main.py"].splitlines()]


@pytest.mark.parametrize(
    "made",
    ["torch.ones(grad.size(1))", "torch.ones(grad.shape)", "torch.ones(3)", "torch.zeros(*grad.shape)"],
)
def test_a_backward_makes_its_tensors_where_the_gradient_is(made: str) -> None:
    assert _added(PROGRAM.format(made=made)) == [f"gate = {made[:-1]}, device=grad.device)"]


def test_a_helper_makes_what_is_as_large_as_its_argument_where_that_is() -> None:
    text = """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        def masked(x, weights):
            mask = torch.ones(x.size(0), 3)
            return 2 * x * weights * mask


        print(masked(torch.ones(4, 3).to(device), torch.ones(4, 3).to(device)))
    """
    assert _added(text) == ["mask = torch.ones(x.size(0), 3, device=x.device)"]


def test_a_function_that_uses_the_choice_goes_on_using_it() -> None:
    text = """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        def masked(x):
            y = x.to(device)
            mask = torch.ones(x.size(0), 3)
            return 2 * y * mask


        print(masked(torch.ones(4, 3)))
    """
    assert _added(text) == ["mask = torch.ones(x.size(0), 3, device=device)"]
