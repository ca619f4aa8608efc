"""What later fixes make needless is taken back: moves that move nothing in a script, whatever nobody knows of other code."""

from __future__ import annotations

from textwrap import dedent

import pytest
from test_adoption import adopted
from text_program import analyse_text, files

_BENDS = """
    import torch


    def bent(inputs, widths):
        outputs = torch.zeros_like(inputs)
        return outputs + inputs * widths
"""
_FLOWS = """
    import torch
    from torch import nn
    from torch.distributions import MultivariateNormal
    from bends import bent


    class Coupling(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Linear(1, 1)

        def inverse(self, z):
            lower, upper = z[:, :1], z[:, 1:]
            upper = bent(upper, self.net(lower))
            return torch.cat([lower, upper], dim=1)


    class Stretching(nn.Module):
        def __init__(self, parts):
            super().__init__()
            self.parts = parts

        def inverse(self, z):
            return bent(self.parts.first(z), self.parts.second(z))


    class Flow(nn.Module):
        def __init__(self):
            super().__init__()
            self.prior = MultivariateNormal(torch.zeros(2), torch.eye(2))
            self.flow = Coupling()

        def sample(self, count):
            z = self.prior.sample((count,))
            return self.flow.inverse(z)
"""
_SCRIPT = """
    import torch
    from flows import Flow

    flow = Flow()
    optimizer = torch.optim.SGD(flow.parameters(), lr=0.1)
    for _ in range(3):
        loss = flow.sample(8).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def test_moves_in_a_helper_go_when_what_it_is_given_has_moved() -> None:
    texts = {name: dedent(text) for name, text in files(_SCRIPT, flows=_FLOWS, bends=_BENDS).items()}
    after = adopted(texts)
    assert "lower, upper = lower.to(device), upper.to(device)" in after["flows.py"]
    assert after["bends.py"] == texts["bends.py"]


_PLACED = """
    import torch

    device = torch.device("cuda")


    def placed(x, y):
        return {call}


    def reached_by_nobody(parts):
        return {other}


    if __name__ == "__main__":
        {script}
"""


def _is_idle(call: str, script: str, other: str = "placed(parts.first, parts.second)") -> bool:
    text = dedent(_PLACED.format(call=call, script=script, other=other))
    facts = analyse_text(text)
    spans = [span for _, span in facts.idle_moves()]
    return call in [facts.source("main.py").segment(span) for span in spans]


_HERE = "placed(torch.ones(2, device=device), torch.ones(2, device=device))"


@pytest.mark.parametrize("call", ["x.to(y.device)", "torch.zeros_like(x, device=y.device)"])
def test_what_a_script_shows_to_move_nothing_is_idle_though_nobody_knows_of_other_code(call: str) -> None:
    assert _is_idle(call, _HERE)
    assert _is_idle(call, _HERE, other="parts")


@pytest.mark.parametrize("call", ["x.to(y.device)", "torch.zeros_like(x, device=y.device)"])
@pytest.mark.parametrize(
    ("script", "other"),
    [
        ("placed(torch.ones(2), torch.ones(2, device=device))", "parts"),
        (f"{_HERE}; placed(torch.ones(2), torch.ones(2, device=device))", "parts"),
        (_HERE, "placed(torch.ones(2), torch.ones(2, device=device))"),
        (f"{_HERE}; placed(open('x').unknown, torch.ones(2, device=device))", "parts"),
        (f"{_HERE}; placed(torch.load('x.pt'), torch.ones(2, device=device))", "parts"),
        ("pass", "placed(parts.first, parts.second)"),
    ],
)
def test_what_moves_at_times_or_may_move_in_a_script_is_not(call: str, script: str, other: str) -> None:
    assert not _is_idle(call, script, other)


def test_what_is_made_alike_without_a_device_or_by_something_else_is_no_move() -> None:
    assert not _is_idle("torch.zeros_like(x)", _HERE)
    assert not _is_idle("torch.zeros(2, device=y.device)", _HERE)
