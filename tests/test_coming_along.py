"""A buffer of modules that a plain list keeps back comes along once the list registers them, and is made as it was."""

from __future__ import annotations

from textwrap import dedent

from text_program import check_texts, fix_texts

from devfix.findings import Applicability

_HEADS = """
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.key = nn.Linear(8, 8)
        self.register_buffer("causal", torch.tril(torch.ones(4, 4)))

    def forward(self, x):
        weights = self.key(x) @ self.key(x).transpose(-2, -1)
        return weights.masked_fill(self.causal == 0, 0.0) @ x


class Many(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = [Head() for _ in range(2)]
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        return self.out(sum(head(x) for head in self.heads))


model = Many().to(device)
print(model(torch.randn(2, 4, 8).to(device)).sum())
"""


def _fixed(text: str) -> str:
    return fix_texts({"main.py": dedent(text)}, Applicability.UNSAFE)[0]["main.py"]


def test_only_the_list_is_changed() -> None:
    listed = "[Head() for _ in range(2)]"
    assert _fixed(_HEADS) == _HEADS.replace(listed, f"nn.ModuleList({listed})")


def test_the_list_is_the_one_cause_that_is_told() -> None:
    assert {finding.rule for finding in check_texts({"main.py": _HEADS})} == {"unregistered-module"}


def test_a_tensor_that_is_no_buffer_is_made_where_it_is_used() -> None:
    text = _HEADS.replace('self.register_buffer("causal", torch.tril(torch.ones(4, 4)))', "pass")
    text = text.replace("self.causal == 0", "torch.tril(torch.ones(4, 4)) == 0")
    fixed = _fixed(text)
    assert "nn.ModuleList([Head() for _ in range(2)])" in fixed
    assert "torch.ones(4, 4, device=" in fixed


def test_a_buffer_of_another_module_that_nobody_moves_is_found() -> None:
    text = _HEADS + dedent(
        """

        class Mask(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("ones", torch.ones(4, 8))

            def forward(self, x):
                return x * self.ones


        print(Mask()(torch.randn(4, 8).to(device)).sum())
        """
    )
    rules = {finding.rule for finding in check_texts({"main.py": text})}
    assert rules == {"unregistered-module", "model-not-moved"}
