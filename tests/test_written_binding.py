"""Integers that floats are written to in place: what is written to is cast, not what it was computed of."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

PRIOR = """
    import torch

    class Prior:
        def __init__(self, counts):
            self.counts = counts

        def see(self, labels):
            self.counts *= 0.97
            self.counts += torch.bincount(labels, minlength=3)

    class Others:
        def __init__(self, labels):
            self.counts = torch.bincount(labels, minlength=3)

    labels = torch.tensor([0, 2, 1])
    prior = Prior(MADE)
    prior.see(labels)
    table = torch.eye(3)
    print(prior.counts, table[labels], table[Others(labels).counts])
"""


def changed(text: str) -> list[str]:
    """The lines that the repair of a program writes."""
    before = dedent(text).lstrip("\n")
    after = fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"]
    return [line.strip() for line in after.splitlines() if line not in before.splitlines()]


@pytest.mark.parametrize(
    ("made", "line"),
    [
        ("torch.bincount(labels, minlength=3) + 1", "self.counts = counts.float()"),
        ("torch.zeros(3, dtype=torch.long)", "self.counts = counts.float()"),
    ],
)
def test_counts_are_cast_where_they_get_their_name(made: str, line: str) -> None:
    assert changed(PRIOR.replace("MADE", made)) == [line]


def test_annotated_attributes_are_names_too() -> None:
    text = """
    import torch

    class Prior:
        def __init__(self, labels: torch.Tensor) -> None:
            self.counts: torch.Tensor = torch.bincount(labels, minlength=3) + 1

    labels = torch.tensor([0, 2, 1])
    prior = Prior(labels)
    prior.counts.mul_(0.97)
    """
    assert changed(text) == ["self.counts: torch.Tensor = (torch.bincount(labels, minlength=3) + 1).float()"]


def test_what_has_no_name_is_cast_where_it_is_computed() -> None:
    text = """
    import torch

    def shares(labels):
        return [torch.bincount(part, minlength=3) + 1 for part in labels]

    labels = torch.tensor([0, 2, 1]), torch.tensor([1, 1])
    for share in shares(labels):
        share /= share.sum()
        print(torch.eye(3)[labels[0]], share)
    """
    assert changed(text) == ["return [(torch.bincount(part, minlength=3) + 1).float() for part in labels]"]


def test_labels_that_are_counted_stay_labels() -> None:
    """A cast of the labels would do away with this fault and make others, over and over."""
    text = """
    import numpy as np
    import torch

    def stream():
        for day in range(3):
            yield torch.from_numpy(np.arange(3))

    prior = []
    for labels in stream():
        prior.append(torch.bincount(labels.cuda(), minlength=3))
        prior[-1].mul_(0.97)
        print(torch.nn.functional.one_hot(labels), prior)
    """
    assert changed(text) == ["prior.append(torch.bincount(labels.cuda(), minlength=3).float())"]


KEPT = """
    import torch

    class Bank:
        def __init__(self, n):
            self.table = torch.zeros(n, n, dtype=torch.long)

        def update(self, x, picked, place):
            row = WRITTEN
            row += x

    bank = Bank(3)
    for place in range(2):
        bank.update(torch.rand(3), torch.tensor([0]), place)
    print(bank.table)
"""


@pytest.mark.parametrize(
    "written",
    [
        "self.table",
        "self.table[0]",
        "self.table[-1, :]",
        "self.table.view(-1)[:3]",
        "self.table[0].view(-1)",
        "self.table[place]",
    ],
)
def test_what_an_object_keeps_goes_on_being_written_to(written: str) -> None:
    made = "self.table = torch.zeros(n, n, dtype=torch.float32)"
    assert changed(KEPT.replace("WRITTEN", written)) == [made]


def test_a_copy_of_what_an_object_keeps_is_cast_alone() -> None:
    assert changed(KEPT.replace("WRITTEN", "self.table[picked]")) == ["row = self.table[picked].float()"]


def test_another_name_of_a_tensor_stays_one() -> None:
    text = """
    import torch

    def shares(labels):
        counts = torch.bincount(labels, minlength=3)
        total = counts
        total.div_(counts.sum())
        return counts

    print(shares(torch.tensor([0, 2, 1])))
    """
    assert changed(text) == ["counts = torch.bincount(labels, minlength=3).float()"]


def test_a_name_that_may_be_one_of_something_else_is_cast_there() -> None:
    text = """
    import torch

    def decayed(labels, fresh):
        weights = labels.clone()
        if fresh:
            weights = labels
        weights.exp_()
        return weights

    labels = torch.tensor([0, 2, 1])
    print(decayed(labels, len(labels) > 2), torch.eye(3)[labels])
    """
    assert changed(text) == ["weights = weights.float()"]


RECORD = """
    import torch

    best = MADE
    scores = torch.rand(3)
    best[torch.tensor([0, 2, 3])] = scores * 2
    print(best.sum())
"""


@pytest.mark.parametrize(
    ("made", "written"),
    [
        ("torch.full((5,), -1)", "torch.full((5,), -1, dtype=torch.float32)"),
        ("torch.full((5,), 0, dtype=torch.int64)", "torch.full((5,), 0, dtype=torch.float32)"),
        ("torch.tensor([1, 2, 3, 4])", "torch.tensor([1, 2, 3, 4], dtype=torch.float32)"),
        ("torch.arange(5)", "torch.arange(5, dtype=torch.float32)"),
        ("torch.randint(0, 9, (5,))", "torch.randint(0, 9, (5,)).float()"),
        ("torch.full((5,), -1).abs()", "torch.full((5,), -1).abs().float()"),
    ],
)
def test_a_factory_makes_the_floats_that_are_written_to_it(made: str, written: str) -> None:
    assert changed(RECORD.replace("MADE", made)) == [f"best = {written}"]
