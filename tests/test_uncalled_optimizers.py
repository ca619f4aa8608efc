"""The parameters of an optimizer that no script makes are where those of a module are, and so are their gradients."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

RULE = """
import torch
from torch.optim import Optimizer


class Rule(Optimizer):
    def __init__(self, params, lr=1e-3):
        super().__init__(params, dict(lr=lr))

    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                grad = p.grad
                state = self.state[p]
                if len(state) == 0:
                    state["sum"] = {made}
                    state["step"] = torch.tensor(0.0)
                state["step"] += 1
                state["sum"].addcmul_(grad, grad, value=0.1)
                p.data.add_(state["sum"] / state["step"], alpha=-group["lr"])
"""


@pytest.mark.parametrize(
    ("made", "fixed"),
    [
        ("torch.zeros(grad.shape)", "torch.zeros(grad.shape, device=grad.device)"),
        ("torch.zeros(p.size())", "torch.zeros(p.size(), device=p.device)"),
    ],
)
def test_state_that_is_made_on_the_host(made: str, fixed: str) -> None:
    assert clashes(RULE.format(made=made)) == ["19: device", "20: device"]
    texts, _ = fix_texts({"main.py": RULE.format(made=made)})
    assert texts["main.py"] == RULE.format(made=fixed)


@pytest.mark.parametrize(
    "made",
    [
        "torch.zeros_like(p)",
        "torch.zeros_like(grad, memory_format=torch.preserve_format)",
        "grad.new_zeros(grad.shape)",
        "torch.zeros(grad.shape, device=p.device)",
        "torch.zeros(grad.shape).to(grad.device)",
        "grad.clone()",
    ],
)
def test_state_that_is_made_beside_them(made: str) -> None:
    assert clashes(RULE.format(made=made)) == []


def test_what_is_kept_on_the_host_and_brought_along() -> None:
    kept = RULE.format(made="torch.zeros(grad.shape)").replace(
        "addcmul_(grad, grad", "addcmul_(grad.cpu(), grad.cpu()"
    )
    assert clashes(kept.replace('state["sum"] /', 'state["sum"].to(p.device) /')) == []


def test_an_optimizer_of_a_script_is_where_its_parameters_are() -> None:
    script = "\n\nnet = torch.nn.Linear(2, 2)\nrule = Rule(net.parameters())\nnet(torch.ones(1, 2)).sum().backward()\nrule.step()\n"
    assert clashes(RULE.format(made="torch.zeros(grad.shape)") + script) == []
