"""Loops that give each key of a dict another value: behind them it has nothing but what they store."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

PROGRAM = """
    import torch

    class Learner:
        def __init__(self):
            self.net = torch.nn.Linear(3, 3).cuda()

        def learn(self, batch):
            {loop}
            x, y = batch["x"], batch["y"]
            {moved}
            return (self.net(x) - y.reshape(-1, 3)).sum()
"""
BOTH = "x, y = x.cuda(), y.cuda()"
LOOPS = [
    "for key in batch:\n                batch[key] = torch.tensor(batch[key])",
    "for key in batch.keys():\n                batch[key] = torch.tensor(batch[key])",
    "for key in list(batch):\n                batch[key] = torch.tensor(batch[key])",
    "for key, value in batch.items():\n                batch[key] = torch.tensor(value)",
]
BRANCHES = """for key in batch.keys():
                if key == "u":
                    batch[key] = torch.tensor(batch[key], dtype=torch.long)
                {other}"""
OTHER = "else:\n                    batch[key] = torch.tensor(batch[key], dtype=torch.float32)"

SKIPPING = """for key in batch:
                if key == "y":
                    continue
                batch[key] = torch.tensor(batch[key])"""


def _clashes(loop: str, moved: str = "x = x.cuda()") -> list[str]:
    return clashes(PROGRAM.format(loop=loop, moved=moved))


@pytest.mark.parametrize("loop", [*LOOPS, BRANCHES.format(other=OTHER)])
def test_what_is_left_of_a_dict_of_new_tensors_is_on_the_cpu(loop: str) -> None:
    assert len(_clashes(loop)) == 1
    assert _clashes(loop, BOTH) == []


def test_it_moves_as_its_siblings_do() -> None:
    texts = files(PROGRAM.format(loop=LOOPS[1], moved="x = x.cuda()"))
    after = fix_texts(texts)[0]["main.py"].splitlines()
    added = [line.strip() for line in after if line not in texts["main.py"].splitlines()]
    assert added == ["y = y.cuda()"]


@pytest.mark.parametrize(
    "loop",
    [
        "for key in batch:\n                batch[key] = torch.tensor(batch[key]).cuda()",
        "for key in batch:\n                batch[key] = batch[key].to(next(self.net.parameters()).device)",
        BRANCHES.format(other=""),
        SKIPPING,
        "for key in ('x', 'z'):\n                batch[key] = torch.tensor(batch[key]).cuda()",
        "for key in batch:\n                batch[key + '2'] = torch.tensor(batch[key])",
    ],
)
def test_where_entries_may_be_something_else_nothing_is_found(loop: str) -> None:
    assert _clashes(loop) == []


def test_a_dict_whose_entries_move_one_by_one_has_moved() -> None:
    text = """
        import torch

        def fill(names):
            return {name: torch.ones(3) for name in names}

        net = torch.nn.Linear(3, 3).cuda()
        batch = fill(input().split())
        for key in batch:
            batch[key] = batch[key].cuda()
        print(net(batch["x"]) + torch.ones(3))
    """
    assert clashes(text) == ["11: device"]


STACKED = """
    import numpy as np
    import torch

    def stacked(samples, device):
        {begin}
        for {loop}:
            {read}
            {held}[key] = torch.from_numpy(array).to(device)
        return {held}

    def main():
        device = torch.device("cuda")
        return stacked({given}, device)
"""


@pytest.mark.parametrize(
    ("begin", "held", "loop"),
    [
        ("", "samples", "key in samples"),
        ("", "samples", "key in samples.keys()"),
        ("", "samples", "key in range(len(samples))"),
        (
            "held = {}\n        for name in samples:\n            held[name] = [samples[name]]",
            "held",
            "key in held",
        ),
    ],
)
def test_each_entry_has_what_it_had_before_the_loop_until_its_turn_comes(
    begin: str, held: str, loop: str
) -> None:
    text = STACKED.format(
        begin=begin, held=held, loop=loop, given="open('s')", read=f"array = np.array({held}[key])"
    )
    assert clashes(text) == []


def test_the_entry_of_another_round_is_what_the_loop_stored() -> None:
    read = "array = np.array(samples[last])\n            last = key"
    text = STACKED.format(
        begin="last = 0", held="samples", loop="key in samples", given="open('s')", read=read
    )
    assert len(clashes(text)) == 1


def test_an_entry_that_was_stored_in_its_own_round_is_what_was_stored() -> None:
    read = (
        "samples[key] = torch.as_tensor(samples[key]).to(device)\n            array = np.array(samples[key])"
    )
    text = STACKED.format(begin="", held="samples", loop="key in samples", given="open('s')", read=read)
    assert len(clashes(text)) == 1
