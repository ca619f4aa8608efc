"""Moves whose result is thrown away: what keeps the tensor gets the result."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

HEAD = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(2, 2).to(device)
batch = {"x": torch.ones(1, 2), "y": torch.zeros(1, 2)}
pair = [torch.ones(1, 2), torch.zeros(1, 2)]
"""

LOOPS = {
    """\
    for key, value in batch.items():
        value.to(device)
    print(model(batch["x"]) - batch["y"])
    """: ("value.to(device)", "batch[key] = value.to(device)"),
    """\
    for key in batch:
        batch[key].to(device)
    print(model(batch["x"]) - batch["y"])
    """: ("batch[key].to(device)", "batch[key] = batch[key].to(device)"),
    """\
    batch["x"].to(device)
    print(model(batch["x"]))
    """: ('batch["x"].to(device)', 'batch["x"] = batch["x"].to(device)'),
    """\
    for i in range(2):
        pair[i].to(device)
    print(model(pair[0]) - pair[1])
    """: ("pair[i].to(device)", "pair[i] = pair[i].to(device)"),
}


@pytest.mark.parametrize("text", LOOPS)
def test_the_entry_keeps_what_the_move_gives(text: str) -> None:
    before, after = LOOPS[text]
    program = HEAD + dedent(text)
    assert fix_texts({"main.py": program})[0]["main.py"] == program.replace(before, after)


def test_other_entries_were_not_meant_to_move() -> None:
    program = HEAD + 'batch["y"].to(device)\nprint(model(batch["x"]))\n'
    assert 'batch["y"] =' not in fix_texts({"main.py": program})[0]["main.py"]


def test_what_changes_a_tensor_in_place_is_no_move() -> None:
    program = HEAD + dedent("""\
    table = torch.zeros(1, 2)
    table.scatter_(1, torch.ones(1, 1, dtype=torch.long, device=device), 1.0)
    print(model(table))
    """)
    after = fix_texts({"main.py": program})[0]["main.py"]
    assert after == program.replace("torch.zeros(1, 2)\ntable", "torch.zeros(1, 2, device=device)\ntable")


@pytest.mark.parametrize(
    ("imported", "above", "bases"),
    [
        ("dataclasses", "@dataclasses.dataclass(frozen=True)", ""),
        ("attrs", "@attrs.frozen", ""),
        ("typing", "", "(typing.NamedTuple)"),
    ],
)
def test_a_field_that_cannot_be_set_is_made_where_it_belongs(imported: str, above: str, bases: str) -> None:
    lines = ["", f"import {imported}", "", above, f"class Batch{bases}:", "    x: torch.Tensor", ""]
    program = (
        HEAD
        + "\n".join(lines)
        + dedent("""\
    whole = Batch(torch.ones(1, 2))
    whole.x.to(device)
    print(model(whole.x))
    """)
    )
    expected = program.replace("Batch(torch.ones(1, 2))", "Batch(torch.ones(1, 2, device=device))")
    assert fix_texts({"main.py": program})[0]["main.py"] == expected


def test_moves_beside_each_other_are_bound_together() -> None:
    text = HEAD + dedent("""\
        x, y = torch.ones(1, 2), torch.zeros(1, 2)
        x.to(device), y.to(device)
        print(model(x) - y)
    """)
    assert "\nx, y = x.to(device), y.to(device)\n" in fix_texts({"main.py": text})[0]["main.py"]


MODES = """\
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="rows")
args = parser.parse_args()
rows = torch.ones(2, 3).cuda()
if args.mode == "columns":
    held = torch.zeros(2, 3)
    {move}
    held[0] = rows[1]
    rows = held.clone()
print(torch.cat([rows, torch.ones(2, 3).cuda()]))
"""


def test_the_path_that_discards_a_move_was_not_to_leave_the_tensor_behind() -> None:
    text = MODES.format(move="held.cuda()")
    assert fix_texts({"main.py": text})[0]["main.py"] == MODES.format(move="held = held.cuda()")


@pytest.mark.parametrize("move", ["pass", "held.cpu()"])
def test_another_path_may_leave_it_where_it_is(move: str) -> None:
    text = MODES.format(move=move)
    assert fix_texts({"main.py": text})[0]["main.py"] == text


BATCH = """\
from dataclasses import dataclass

import torch


@dataclass
class Batch:
    x: torch.Tensor
    y: torch.Tensor
    name: str = ""

    def to(self, device):
        return Batch({copied})


def to_device(batch, device):
    return {{key: value.to(device) for key, value in batch.items()}}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(2, 2).to(device)


def loss(batch):
    {statement}
    return (model({x}) - {y}).square().mean()


for _ in range(2):
    print(loss({given}))
"""
WHOLE = "self.x.to(device), self.y.to(device), self.name"
OBJECT = {"x": "batch.x", "y": "batch.y", "given": "Batch(torch.ones(1, 2), torch.ones(1, 2))"}
DICT = {"x": 'batch["x"]', "y": 'batch["y"]', "given": '{"x": torch.ones(1, 2), "y": torch.ones(1, 2)}'}


@pytest.mark.parametrize(
    ("statement", "parts"), [("batch.to(device)", OBJECT), ("to_device(batch, device)", DICT)]
)
def test_the_moved_copy_of_a_whole_batch_is_kept(statement: str, parts: dict[str, str]) -> None:
    text = BATCH.format(statement=statement, copied=WHOLE, **parts)
    fixed = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert fixed == text.replace(f"    {statement}\n", f"    batch = {statement}\n")


def test_a_copy_that_leaves_something_out_does_not_take_the_place_of_the_batch() -> None:
    text = BATCH.format(statement="batch.to(device)", copied=WHOLE.replace("self.name", '"copy"'), **OBJECT)
    text = text.replace(
        "Batch(torch.ones(1, 2), torch.ones(1, 2))", 'Batch(torch.ones(1, 2), torch.ones(1, 2), "a")'
    )
    assert "batch = " not in fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]


def test_a_batch_that_moves_in_place_is_left_alone() -> None:
    text = BATCH.format(statement="batch.to(device)", copied=WHOLE, **OBJECT)
    text = text.replace(
        f"        return Batch({WHOLE})",
        "        self.x, self.y = self.x.to(device), self.y.to(device)\n        return self",
    )
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == text


def test_a_name_that_is_bound_to_a_copy_would_leave_the_list_as_it_is() -> None:
    text = BATCH.format(statement="pass", copied=WHOLE, **OBJECT)
    text = text[: text.index("for _ in")] + dedent("""\
        batches = [Batch(torch.ones(1, 2), torch.ones(1, 2)), Batch(torch.zeros(1, 2), torch.ones(1, 2))]
        for batch in batches:
            batch.to(device)
        print(sum(loss(batch).item() for batch in batches))
    """)
    fixed = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert "\n    batch.to(device)\n" in fixed
    assert fixed != text


MOMENTUM = """\
import torch


class Fit:
    def __init__(self):
        self.rows = torch.zeros(4, 2)
        self.rows = self.rows.cuda()
        self.speed = torch.zeros(4, 2)
        self.speed.cuda()

    def step(self, batch):
        self.speed *= 0.5
        self.speed += batch - self.rows
        self.speed *= 0.9
        self.rows += self.speed * 0.1
        return (batch - self.rows).pow(2).sum()


fit = Fit()
for epoch in range(2):
    for start in range(3):
        print(fit.step(torch.rand(4, 2).cuda()).item())
"""


def test_a_move_thrown_away_is_the_cause_however_often_the_tensor_has_changed_in_place_since() -> None:
    after = fix_texts({"main.py": MOMENTUM})[0]["main.py"]
    assert after == MOMENTUM.replace("        self.speed.cuda()", "        self.speed = self.speed.cuda()")
    assert fix_texts({"main.py": after})[0]["main.py"] == after
