"""A sum that began as a number is divided into a tensor of its own, where integers were added up."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
    import torch

    def share(batches):
        {begun}
        for guess, truth in batches:
            right += (guess == truth).sum()
        {divided}
        return right

    print(share([(torch.ones(3), torch.ones(3))]))
"""
METER = """
    import torch

    class Meter:
        def __init__(self):
            self.total = 0

        def add(self, hits):
            self.total += hits.sum()

        def mean(self, n):
            self.total /= n  # of all
            return self.total

    meter = Meter()
    meter.add(torch.tensor([True, False]))
    print(meter.mean(2))
"""


def repaired(text: str) -> tuple[str, str]:
    texts = files(text)
    return texts["main.py"], fix_texts(texts, Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize("begun", ["right = 0", "right, n = 0, 1"])
@pytest.mark.parametrize(
    ("divided", "anew"),
    [
        ("right /= len(batches)", "right = right / len(batches)"),
        ("right /= 3 * len(batches)", "right = right / (3 * len(batches))"),
    ],
)
def test_a_name_gets_the_quotient(begun: str, divided: str, anew: str) -> None:
    before, after = repaired(PROGRAM.format(begun=begun, divided=divided))
    assert after == before.replace(divided, anew)


def test_an_attribute_gets_the_quotient() -> None:
    before, after = repaired(METER)
    assert "self.total = self.total / n" in after
    assert "# of all" in after
    assert len(after.splitlines()) - len(before.splitlines()) <= 1


@pytest.mark.parametrize(
    "begun", ["right = torch.tensor(0)", "rows = torch.zeros(2).long()\n        right = rows[0]"]
)
def test_a_tensor_that_others_may_have_is_none(begun: str) -> None:
    _, after = repaired(PROGRAM.format(begun=begun, divided="right /= len(batches)"))
    assert "right /= len(batches)" in after


def test_numbers_are_divided_as_they_were() -> None:
    text = PROGRAM.format(begun="right = 0", divided="right /= len(batches)").replace(
        ".sum()", ".sum().item()"
    )
    before, after = repaired(text)
    assert after == before
