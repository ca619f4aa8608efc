"""A tensor on the CPU that is a number on one path, which an accelerator takes, and has dimensions on another."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import sys
import torch
from torch import nn

class Scaled(nn.Module):
    def __init__(self, space):
        super().__init__()
        self.lin = nn.Linear(3, 2)
        if {test}:
            self.scale = {one}
        else:
            self.scale = {other}

    def forward(self, x):
        return self.lin(x) * self.scale

net = Scaled(eval(sys.argv[1])).cuda()
print(net(torch.ones(4, 3).cuda()).sum())
"""


@pytest.mark.parametrize("test", ["space is None", "not space"])
@pytest.mark.parametrize("other", ["torch.FloatTensor(space)", "torch.ones(2)", "torch.tensor([space, 1.0])"])
def test_it_meets_the_accelerator_where_it_has_dimensions(test: str, other: str) -> None:
    number, vector = "torch.tensor(1.0)", other
    for one, two in ((number, vector), (vector, number)):
        text = PROGRAM.format(test=test, one=one, other=two)
        assert clashes(text) == ["16: device"]
        after = fix_texts({"main.py": text})[0]["main.py"]
        assert f'register_buffer("scale", {vector}' in after
        assert clashes(after) == []


@pytest.mark.parametrize("other", ["torch.tensor(2.0)", "torch.tensor(space)", "torch.ones(2).sum()"])
def test_where_it_may_be_a_number_on_all_of_them_nothing_is_said(other: str) -> None:
    assert clashes(PROGRAM.format(test="space is None", one="torch.tensor(1.0)", other=other)) == []


def test_what_one_path_has_on_the_accelerator_is_not_known() -> None:
    text = PROGRAM.format(test="space is None", one="torch.tensor(1.0)", other="torch.ones(2).cuda()")
    assert clashes(text) == []


ASKED = """
import sys
import torch

class Scaled:
    def __init__(self, space):
        self.space = space
        if space == "number":
            self.scale, self.asked = torch.tensor(1.0), self.scaled
        else:
            self.scale, self.asked = torch.ones(2), self.moved

    def scaled(self, x):
        return x * self.scale

    def moved(self, x):
        return x * self.scale.to(x.device)

    def call(self, x):
        {body}

print(Scaled(sys.argv[1]).call(torch.ones(4, 2).cuda()))
"""


@pytest.mark.parametrize(
    "body",
    [
        "return self.asked(x)",
        'return self.scaled(x) if self.space == "number" else self.moved(x)',
        'if self.space != "number":\n            return self.moved(x)\n        return x * self.scale',
        "if self.scale.dim() == 0:\n            return x * self.scale\n        return self.moved(x)",
        "assert self.scale.dim() == 0\n        return x * self.scale",
        "float(self.scale)\n        return x * self.scale",
        'return self.space == "number" and x * self.scale',
        'match self.space:\n            case "number":\n                return x * self.scale\n        return self.moved(x)',
        "while self.scale.dim():\n            self.scale = self.scale[0]\n        return x * self.scale",
        "return [each * self.scale for each in x if self.scale.dim() == 0]",
    ],
)
def test_what_is_asked_before_it_is_used_may_be_the_number_there(body: str) -> None:
    text = ASKED.format(body=body)
    assert clashes(text) == []
    assert fix_texts({"main.py": text})[0]["main.py"] == text


@pytest.mark.parametrize(
    "use",
    [
        "x * s if s.dim() == 0 else x * s.cuda()",
        '(lambda: x * s)() if kind == "number" else x * s.cuda()',
        "[x * s for _ in range(3) if not s.dim()]",
    ],
)
def test_a_variable_is_what_tests_of_it_leave(use: str) -> None:
    made = 'import sys, torch\nkind = sys.argv[1]\ns = torch.tensor(1.0) if kind == "number" else torch.ones(2)\n'
    assert clashes(f"{made}x = torch.ones(2).cuda()\nprint({use})\n") == []
