"""Where a name stands for a second accelerator on machines that have one, no name says where a tensor belongs."""

from __future__ import annotations

import pytest
from text_program import fix_texts

PROGRAM = """\
import torch

first = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
second = torch.device({second} if torch.cuda.device_count() > 1 else first)
head = torch.nn.Linear(3, 3).to(first)
tail = torch.nn.Linear(3, 2).to(second)
out = tail(head(torch.ones(2, 3, device=first)).to(second))
target = torch.zeros(2, 2{made})
print((out - target).sum())
"""


def fixed(second: str) -> str:
    return fix_texts({"main.py": PROGRAM.format(second=second, made="")})[0]["main.py"]


def test_a_tensor_is_made_where_the_one_that_it_meets_is() -> None:
    assert fixed('"cuda:1"') == PROGRAM.format(second='"cuda:1"', made=", device=out.device")


def test_another_name_of_the_one_accelerator_does_not_matter() -> None:
    assert fixed('"cuda:0"') == PROGRAM.format(second='"cuda:0"', made=", device=first")


def changed(text: str) -> list[str]:
    """The lines that are new in a program that is mended."""
    after = fix_texts({"main.py": text})[0]["main.py"]
    return [line.strip() for line in after.splitlines() if line not in text.splitlines()]


PIPE = """\
import torch
from torch import nn


class Pipe(nn.Module):
    def __init__(self):
        super().__init__()
        self.begin, self.end = "cuda:0", {end}
        self.head = nn.Linear(3, 3).to(self.begin)
        self.tail = nn.Linear(3, 3).to(self.end)

    def forward(self, x):
        x = self.tail(self.head(x.to(self.begin)).to(self.end))
        return x + torch.ones(3)


print(Pipe()(torch.ones(1, 3)))
"""


def test_a_module_that_keeps_two_accelerators_does_not_say_where_what_it_makes_belongs() -> None:
    assert changed(PIPE.format(end='"cuda:1"')) == ["return x + torch.ones(3, device=x.device)"]


LABELS = """\
import torch
from torch import nn

head = nn.Linear(3, 3).to("cuda:0")
tail = nn.Linear(3, 2).to({end})
for x, y in [(torch.randn(2, 3), torch.tensor([0, 1]))] * 2:
    out = tail(head(x.to("cuda:0")).to({end}))
    print(nn.functional.cross_entropy(out, y))
"""


@pytest.mark.parametrize(
    ("end", "use"), [('"cuda:1"', "y.to(out.device)"), ('"cuda:0"', "next(head.parameters()).device")]
)
def test_where_one_of_two_modules_is_says_nothing_of_what_meets_the_other(end: str, use: str) -> None:
    assert use in "".join(changed(LABELS.format(end=end)))
