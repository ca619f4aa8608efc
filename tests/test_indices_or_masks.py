"""Floats that select in ``x[index]``: numbers of entries, a mask, or nobody can tell."""

from __future__ import annotations

import pytest
import torch
from text_program import check_texts, clashes, fix_texts

from devfix.findings import Applicability
from devfix.simulator import simulated_accelerator

HEAD = """\
import torch

x = torch.randn(4)
table = torch.randn(4, 3)
"""
MASKS = ["(x > 0).float()", "(x > 0).double().squeeze()", "torch.isnan(x).to(torch.float32).detach()"]
INDICES = [
    "torch.arange(4).float()",
    "torch.randint(0, 4, (2,)).double().view(-1)",
    "torch.floor(x.abs())",
    "torch.tensor(3.0)",
]
EITHER = ["torch.zeros(4)", "1 - torch.zeros(4)", "torch.tensor([1.0, 0.0, 1.0, 1.0])", "x.round()"]


def fixed(made: str) -> str:
    text = f"{HEAD}chosen = {made}\nprint(table[chosen])\n"
    return fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"].splitlines()[-1]


@pytest.mark.parametrize("made", MASKS)
def test_truths_that_were_cast_are_a_mask(made: str) -> None:
    assert fixed(made) == "print(table[chosen.bool()])"


def test_whole_numbers_are_an_index() -> None:
    assert fixed(INDICES[1]) == "print(table[chosen.long()])"
    for made in INDICES:
        assert clashes(f"{HEAD}table[{made}]") == ["5: index-dtype"]
        assert _applicabilities(f"{HEAD}chosen = {made}\ntable[chosen]\n") == [Applicability.UNSAFE]


@pytest.mark.parametrize("made", EITHER)
def test_what_stands_beside_numbers_of_entries_is_an_index(made: str) -> None:
    beside = f"{HEAD}chosen = {made}\nprint(table[chosen, torch.arange(3)[:2]])\n"
    assert _applicabilities(beside) == [Applicability.UNSAFE]


@pytest.mark.parametrize("key", ["chosen, 0", "chosen, torch.tensor(0)", "chosen, :2"])
def test_a_mask_may_stand_beside_one_number(key: str) -> None:
    text = f"{HEAD}chosen = torch.zeros(4)\nprint(table[{key}])\n"
    assert _applicabilities(text) == [Applicability.DISPLAY]


def _applicabilities(text: str) -> list[Applicability]:
    (finding,) = check_texts({"main.py": text})
    fixes = (finding.fix, *finding.alternatives)
    return sorted({fix.applicability for fix in fixes if fix is not None})


@pytest.mark.parametrize(
    "change",
    ["chosen += 1", "chosen += torch.ones(4)", "chosen.add_(1)", "chosen[0] = 3", "chosen = -chosen"],
)
def test_truths_that_were_counted_with_are_no_mask_for_certain(change: str) -> None:
    text = f"{HEAD}chosen = (x > 0).float()\n{change}\nprint(table[chosen])\n"
    assert _applicabilities(text) == [Applicability.DISPLAY]


@pytest.mark.parametrize("made", EITHER)
def test_what_may_be_either_is_for_a_person_to_say(made: str) -> None:
    assert fixed(made) == "print(table[chosen])"
    text = f"{HEAD}chosen = {made}\ntable[chosen] = 0\n"
    assert _applicabilities(text) == [Applicability.DISPLAY]
    (finding,) = check_texts({"main.py": text})
    assert finding.fix is not None
    titles = {fix.title for fix in (finding.fix, *finding.alternatives)}
    assert titles == {"cast `chosen` to int64", "cast `chosen` to bool"}


def test_where_paths_meet_that_differ_nobody_can_tell() -> None:
    text = f"{HEAD}chosen = (x > 0).float() if input() else torch.arange(4).float()\ntable[chosen]\n"
    assert clashes(text) == ["6: index-dtype"]
    assert _applicabilities(text) == [Applicability.DISPLAY]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1.0, 0.0, 1.0, 1.0], "mask-dtype"),
        ([1.0, 2.0, 0.0, 1.0], "index-dtype"),
        ([1.0, 0.0], "index-dtype"),
    ],
)
def test_a_run_sees_which_it_is(values: list[float], kind: str) -> None:
    with simulated_accelerator(heal=True) as machine:
        table = torch.arange(4.0, device="cuda")
        chosen = torch.tensor(values, device="cuda")
        selected = table[chosen]
    assert [found["kind"] for found in machine.log.mismatches] == [kind]
    assert len(selected) == (3 if kind == "mask-dtype" else len(values))


FILLED = [
    "torch.zeros(4)\nchosen[torch.tensor([1, 2])] = 1",
    "torch.zeros(4)\nfor i in range(3):\n    chosen[i] = 1.0",
    "torch.ones(4)\nif input():\n    chosen[1:] = 0\nelse:\n    chosen[0] = False",
    "torch.triu(torch.ones(4, 4), diagonal=1)[0]",
    "torch.ones(4, 4).tril().clone()[2]",
]
REFILLED = [
    "torch.zeros(4)\nchosen[2] = 3",
    "torch.zeros(4)\nchosen[2] += 1",
    "torch.zeros(4)\nchosen[2] = 1\nchosen += 1",
    "torch.zeros(4)\nchosen.fill_(2)\nchosen[0] = 1",
    "torch.zeros(4)\nchosen[2] = 1\nchosen[3] = x[0]",
    "torch.triu(2 * torch.ones(4, 4))[0]",
    "torch.triu(torch.full((4, 4), 2.0))[0]",
]


@pytest.mark.parametrize("made", FILLED)
def test_ones_among_zeros_are_a_mask(made: str) -> None:
    assert fixed(made) == "print(table[chosen.bool()])"


@pytest.mark.parametrize("made", REFILLED)
def test_what_else_is_written_there_may_be_an_index(made: str) -> None:
    assert fixed(made) == "print(table[chosen])"


@pytest.mark.parametrize("count", ["unknown()", "n", "-2", "min(n, 3)", "True"])
def test_the_magnitude_of_a_whole_number_is_whole(count: str) -> None:
    text = f"from elsewhere import unknown\n{HEAD}n = len(table)\nprint(table[torch.arange(abs({count}))])\n"
    assert not clashes(text)


@pytest.mark.parametrize("count", ["2.0", "n / 3", "float(n)"])
def test_the_magnitude_of_a_float_is_a_float(count: str) -> None:
    assert clashes(f"{HEAD}n = len(table)\nprint(table[torch.arange(abs({count}))])\n")


def test_tables_of_neighbours_are_no_masks() -> None:
    text = """\
import numpy as np
import torch

features = torch.randn(50, 8)
near = torch.zeros(10, 6)
for row in range(10):
    pick = np.random.permutation(50)[:6]
    near[row, :6] = torch.from_numpy(pick)
print(features[near].mean(1))
"""
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == text
    assert "index-dtype" in clashes(text)[0]


LOOKED_UP = """
import torch
table, where = torch.ones(5), torch.tensor([1, 2]).cuda()
found = table[where]
print({use})
"""


@pytest.mark.parametrize("use", ["found + torch.ones(2)", 'found + torch.ones(2, device="cuda")'])
def test_what_cannot_be_looked_up_is_where_its_table_or_its_index_is_moved(use: str) -> None:
    assert clashes(LOOKED_UP.format(use=use)) == ["4: device"]
    apart = 'torch.ones(2, device="cuda") + torch.ones(2)'
    assert clashes(LOOKED_UP.format(use=apart)) == ["4: device", "5: device"]
