"""Blank lines come and go without a new analysis, and nothing that is said differs from what a new one says."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import sweeps
from hypothesis import example, given, settings
from hypothesis import strategies as st
from text_program import program, rules

from devfix.config import Settings
from devfix.engine import Engine
from devfix.lsp.blank_lines import judgement_after
from devfix.lsp.messages import Check, Checked, Configure, Put
from devfix.lsp.workbench import Workbench

ENGINE = Engine(rules(), Settings())
CORPUS = Path(__file__).parents[1] / "corpus"
MOVED = random.Random(0).sample(sorted(CORPUS.rglob("before.py")), 40)
PROGRAM = '''"""A program

with a long text."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.scale = torch.ones(3)  # devfix: ignore[DF102]

    def forward(self, x):
        noise = torch.randn(
            3,

            3,
        )
        return self.layer(x) * self.scale + noise


net = Net().cuda()
weights = torch.ones(3)
text = f"""
{weights}

"""

print((net(torch.ones(3, 3).cuda()) * weights).sum())
'''
TYPED = ["\n", "\n\n", "   \n", "\t\n", "\r\n", "x = 1\n", "# weights\n", "(\n", "weights = weights.cuda()\n"]


def lines_of(text: str) -> list[str]:
    return text.splitlines(keepends=True)


@pytest.mark.parametrize("path", sweeps.some(MOVED, every=4), ids=str)
def test_what_is_found_moves_with_its_lines(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines, chance = lines_of(text), random.Random(str(path))
    before = program(text)
    judgement = ENGINE.judge(before)
    for _ in range(4):
        place = chance.randint(0, len(lines))
        blank = [chance.choice(["\n", "    \n", "\n\n"])]
        after = before.with_texts({"main.py": "".join([*lines[:place], *blank, *lines[place:]])})
        moved = judgement_after(before, judgement, after)
        assert moved is None or moved == ENGINE.judge(after)
        assert judgement_after(after, ENGINE.judge(after), before) in (None, judgement)


def test_most_places_need_no_new_analysis() -> None:
    lines, before = lines_of(PROGRAM), program(PROGRAM)
    judgement = ENGINE.judge(before)
    told = []
    for place in range(len(lines) + 1):
        after = before.with_texts({"main.py": "".join([*lines[:place], "\n", *lines[place:]])})
        moved = judgement_after(before, judgement, after)
        assert moved is None or moved == ENGINE.judge(after)
        told.append(moved is not None)
    assert judgement.findings
    assert told.count(False) <= 10  # within strings, and within what is to be mended


@pytest.mark.parametrize("line", ["x = 1\n", "# weights\n", "'''\n\n'''\n"])
def test_other_lines_need_a_new_analysis(line: str) -> None:
    before = program(PROGRAM)
    after = before.with_texts({"main.py": line + PROGRAM})
    assert judgement_after(before, ENGINE.judge(before), after) is None


def test_a_longer_text_needs_a_new_analysis() -> None:
    before = program("import torch\nname = '''\n'''\nprint(torch.ones(len(name)))\n")
    after = before.with_texts({"main.py": before.sources["main.py"].text.replace("'''\n'''", "'''\n\n'''")})
    assert judgement_after(before, ENGINE.judge(before), after) is None


@settings(max_examples=sweeps.number(10, all_of=25), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 2), st.sampled_from(TYPED)), min_size=1, max_size=6)
)
@example([(0, 0, "\n"), (17, 1, "# weights\n")])
def test_after_any_edits_the_findings_are_those_of_a_new_server(edits: list[tuple[int, int, str]]) -> None:
    bench, lines = Workbench(), lines_of(PROGRAM)
    folder, path = "/nowhere", "/nowhere/train.py"
    good = PROGRAM
    bench.answer(Configure((folder,)))
    bench.answer(Put(path, PROGRAM, 0))
    bench.answer(Check(path))
    for revision, (place, gone, typed) in enumerate(edits, 1):
        lines[place : place + gone] = [typed]
        lines = lines_of("".join(lines))
        text = "".join(lines)
        bench.answer(Put(path, text, revision))
        checked = bench.answer(Check(path))
        other = Workbench()
        other.answer(Configure((folder,)))
        other.answer(Put(path, good, 0))  # what stood there while a line was half typed
        other.answer(Put(path, text, revision))
        assert isinstance(checked, Checked)
        assert checked == other.answer(Check(path))
        try:
            compile(text, path, "exec")
        except SyntaxError:
            continue
        good = text
