"""Moves whose result is thrown away: what keeps the tensor gets the result."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import fix_texts

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
