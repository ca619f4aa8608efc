"""What is taken out of a batch moves as the other parts do, in whatever statement those are renewed."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
    import torch

    class Batch:
        def __init__(self):
            self.src = (torch.ones(3, 2), torch.ones(2))
            self.trg = (torch.ones(3, 2), torch.ones(2))

    def main():
        model = torch.nn.Linear(2, 2).cuda()
        for batch in [Batch() for _ in range(3)]:
            {taken}
            {moved}
            print((model(src) - trg).sum())

    main()
"""
APART = "src, len_src = batch.src\n            trg, len_trg = batch.trg"


def added(taken: str, moved: str) -> list[str]:
    """The lines that the repair adds."""
    texts = files(PROGRAM.format(taken=taken, moved="\n            ".join(moved.split("; "))))
    after = fix_texts(texts)[0]["main.py"].splitlines()
    return [line.strip() for line in after if line not in texts["main.py"].splitlines()]


@pytest.mark.parametrize(
    ("moved", "line"),
    [
        ("src = src.data.cuda(); trg = trg.data", "trg = trg.data.cuda()"),
        ("src = src.float().cuda(); trg = trg.float()", "trg = trg.float().cuda()"),
        ("src = src.cuda(); trg = trg.view(3, 2)", "trg = trg.view(3, 2).cuda()"),
        ("src = src.data.cuda()", "trg = trg.cuda()"),
    ],
)
def test_it_is_written_as_for_the_sibling(moved: str, line: str) -> None:
    assert added(APART, moved) == [line]


def test_what_is_taken_from_another_thing_is_no_sibling() -> None:
    lines = added(
        "other = Batch()\n            src, len_src = batch.src\n            trg, len_trg = other.trg",
        "src = src.data.cuda()",
    )
    assert "trg = trg.cuda()" not in lines


def test_what_moves_already_stays() -> None:
    assert added(APART, "src = src.data.cuda(); trg = trg.data.cuda()") == []


HELPED = """
import torch
from torch.utils.data import DataLoader
from helpers import unpack

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = torch.nn.Bilinear(3, 2, 1).to(device)
rows = [{"image": torch.rand(3), "age": torch.rand(2), "target": torch.rand(1)} for _ in range(6)]

def train(batches):
    for batch in batches:
        image, age, target = unpack(batch, device)
        (net(image, age) - target).square().mean().backward()

def validate(batches):
    for batch in batches:
        image, age, target = unpack(batch, device)
        {use}

train(DataLoader(rows, batch_size=2))
validate(DataLoader(rows, batch_size=2))
"""
UNPACK = """
def unpack(batch, device):
    image = batch["image"].to(device, non_blocking=True)
    target = batch["target"].to(device)
    return image, {age}, target
"""
USE = "print((net(image, age) - target).sum())"


def test_a_part_moves_where_a_function_gives_it_back_beside_others_that_it_moves() -> None:
    texts = files(HELPED.replace("{use}", USE), helpers=UNPACK.format(age='batch["age"]'))
    after = fix_texts(texts)[0]
    assert (
        after["helpers.py"]
        == files(UNPACK.format(age='batch["age"].to(device, non_blocking=True)'))["main.py"]
    )
    assert after["main.py"] == texts["main.py"]


@pytest.mark.parametrize(
    ("age", "use"),
    [
        ('batch["age"]', "print((image.sum() - target).sum(), age.numpy())"),
        ('batch.get("age")', USE),
        ('batch["age"] * 2', USE),
    ],
)
def test_a_part_that_is_wanted_on_the_cpu_or_computed_or_optional_moves_where_it_is_used(
    age: str, use: str
) -> None:
    texts = files(HELPED.replace("{use}", use), helpers=UNPACK.format(age=age))
    after = fix_texts(texts)[0]
    assert after["helpers.py"] == texts["helpers.py"]
    assert after["main.py"].count("age = age.to(device)") == after["main.py"].count("net(image, age)") > 0
