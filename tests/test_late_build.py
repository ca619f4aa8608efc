"""A module that makes its parameters when it is called first moves there and then."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

_PROGRAM = """
    import torch
    from torch import nn

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


    class Cell(nn.Module):
        def __init__(self, units):
            super().__init__()
            self.units = units
            self.built = False
            {init}

        def build(self):
            self.kernel = {kernel}
            self.bias = {bias}

        def forward(self, inputs):
            if not self.built:
                self.built = True
                self.size = inputs.shape[-1]
                {call}
            return inputs @ self.kernel + self.bias


    model = Cell(4).to(device)
    loss = model(torch.rand(3, 5).to(device)).sum()
    loss.backward()
"""
_RIGHT = {
    "init": "pass",
    "kernel": "nn.Parameter(torch.rand(self.size, self.units))",
    "bias": "nn.Parameter(torch.zeros(self.units))",
    "call": "self.build()",
}


def _fixed(**parts: str) -> tuple[str, str]:
    texts = files(dedent(_PROGRAM.format(**{**_RIGHT, **parts})))
    once, _ = fix_texts(texts, Applicability.UNSAFE)
    assert fix_texts(once, Applicability.UNSAFE)[0] == once
    return texts["main.py"], once["main.py"]


def test_a_module_moves_where_it_has_made_its_parameters() -> None:
    before, after = _fixed()
    assert after == before.replace("self.build()", "self.build()\n            self.to(inputs.device)")
    assert not clashes(after)


def test_what_reads_them_on_the_host_moves_nothing() -> None:
    reading = "self.host = lambda: self.kernel.detach().cpu()"
    assert "self.to(inputs.device)" in _fixed(init=reading)[1]


def test_what_uses_them_elsewhere_needs_no_move() -> None:
    text = _fixed()[0].replace(
        "        return inputs @ self.kernel + self.bias",
        "        return self.applied(inputs)\n\n    def applied(self, x):\n        return x @ self.kernel + self.bias",
    )
    fixed, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert fixed["main.py"] == text.replace(
        "self.build()", "self.build()\n            self.to(inputs.device)"
    )


@pytest.mark.parametrize(
    "parts",
    [
        {"kernel": "torch.rand(self.size, self.units)", "bias": "torch.zeros(self.units)"},  # no parameters
        {"call": "made = self.build()"},
        {"call": "(self.build(), print('built'))"},
        {"init": "self.side = nn.Linear(2, 2); self.side.to('cpu')"},
    ],
)
def test_where_that_is_not_so_plain_the_module_as_a_whole_stays(parts: dict[str, str]) -> None:
    assert "self.to(" not in _fixed(**parts)[1]


def test_a_module_that_makes_them_where_it_is_made_is_left_alone() -> None:
    before, after = _fixed(init="self.size = 5; self.build(); self.built = True")
    assert after == before


def test_what_is_made_on_the_device_is_left_alone() -> None:
    before, after = _fixed(call="self.build(); self.to(inputs.device)")
    assert after == before


_HEAD = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.head = nn.Linear(4, 4), None

        def forward(self, x):
            hidden = self.body(x)
            if self.head is None:
                self.head = nn.Linear(4, 2, device=x.device)
            return self.head(hidden)


    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = Net().to(device)
        noisy = torch.rand(3, 4)
        net(noisy)
        for _ in range(3):
            net(torch.rand(3, 4, device=device)).sum()


    main()
"""


def test_what_joins_a_model_in_its_first_call_is_not_moved_before() -> None:
    before = dedent(_HEAD)
    once, _ = fix_texts(files(before), Applicability.UNSAFE)
    assert once["main.py"] == before.replace(
        "noisy = torch.rand(3, 4)", "noisy = torch.rand(3, 4).to(device)"
    )
