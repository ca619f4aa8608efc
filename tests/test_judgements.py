"""Judgements: no program is judged twice on the way to where its fixes lead."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from fakes import SAFE, FixRule, WordRule, toy_engine, toy_program

from devfix.judgement import Judgement
from devfix.judgements import Judgements
from devfix.project import Program

TORCH = "import torch\n"
#: What cannot be fixed, and the rule whose fix makes one of it.
SAD, HARMFUL = WordRule("T104", "sad"), WordRule("T106", "oops", "sad")


def judged(text: str, *rules: WordRule | FixRule) -> Counter[str]:
    """How often each text was judged while a program was fixed."""
    seen: Counter[str] = Counter()

    def analyse(program: Program) -> Program:
        seen[program.sources["a.py"].text] += 1
        return program

    replace(toy_engine(*rules), analyse=analyse).fix(toy_program(text), SAFE)
    return seen


def test_a_program_that_several_ways_lead_to_is_judged_once() -> None:
    seen = judged(TORCH + "oops\nbad\nbad\n", HARMFUL, WordRule("T101", "bad", "good"), SAD)
    assert len(seen) > 3
    assert set(seen.values()) == {1}


@pytest.mark.parametrize("damage", [1, 40])
def test_fixes_that_do_damage_are_found_by_halves(damage: int) -> None:
    """Each of the harmful ones costs as many looks as there are halves of halves, and not one for each of the others."""

    def looks(size: int) -> int:
        lines = ["oops\n"] * min(damage, size) + ["bad\n"] * (size - min(damage, size))
        return judged(TORCH + "".join(lines), HARMFUL, WordRule("T101", "bad", "good"), SAD).total()

    assert looks(40) <= 2.7 * looks(20)


def test_an_adopted_program_is_another_one() -> None:
    seen: list[bool] = []

    def judge(program: Program) -> Judgement:
        seen.append(program.adopts)
        return Judgement((), {})

    judgements, program = Judgements(judge), toy_program(TORCH)
    adopted = replace(program, adopts=True)
    assert judgements(program) is judgements(replace(program))
    assert judgements(adopted) is not judgements(program)
    assert judgements(program.with_texts({"a.py": TORCH + "x\n"})) is not judgements(program)
    assert seen == [False, True, False]
