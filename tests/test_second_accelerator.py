"""Where a name stands for a second accelerator on machines that have one, no name says where a tensor belongs."""

from __future__ import annotations

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
