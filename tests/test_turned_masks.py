"""``~`` of a mask of ones and zeros leaves no zero: a cast to bool would make all of it true."""

from __future__ import annotations

import pytest
from text_program import fix_texts, names

from devfix.findings import Applicability

PROGRAM = """
import torch

x = torch.randn(2, 4)
ones = (torch.arange(4) < torch.tensor([[3], [2]])).{cast}()
mask = {mask}
{more}
print(x.masked_fill({used}, 0.0))
"""


def fixed(mask: str, more: str = "", used: str = "mask", cast: str = "byte") -> tuple[bool, set[str]]:
    """Whether the program is changed, and the rules of what is left."""
    before = {"main.py": PROGRAM.format(mask=mask, more=more, used=used, cast=cast)}
    after, reports = fix_texts(before, Applicability.UNSAFE)
    return after != before, names([finding for report in reports for finding in report.findings])


@pytest.mark.parametrize(
    ("mask", "more", "used"),
    [
        ("~ones", "", "mask"),
        ("ones", "", "~mask"),
        ("~ones", "mask = mask.expand(2, 4).clone()", "mask[:, :]"),
        ("(~ones).long()", "", "mask"),
        ("~ones", "mask = mask.float().expand(2, 4)", "mask"),
        ("~ones", "", "mask.to(torch.int32)"),
        ("ones.bitwise_not()", "", "mask"),
        ("torch.bitwise_not(ones)", "mask = mask.long() * 1", "mask"),
    ],
)
def test_a_mask_of_numbers_that_was_turned_round_is_left_to_a_person(mask: str, more: str, used: str) -> None:
    assert fixed(mask, more, used) == (False, {"mask-not-boolean"})


def test_a_mask_that_was_not_is_cast() -> None:
    assert fixed("ones") == (True, set())
    assert fixed("1 - ones") == (True, set())
    assert fixed("(1 - ones).long()") == (True, set())
    assert fixed("(~ones).long()", cast="bool") == (True, set())


def test_a_mask_of_bools_is_fine_either_way() -> None:
    assert fixed("~ones", cast="bool") == (False, set())
