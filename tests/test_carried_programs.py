"""Programs that carry a value from where it is made to where it is used, and the benchmark that is made of them."""

from __future__ import annotations

import ast

import pytest
import sweeps
from repair.carried_program import LAYOUTS, USES, fits, program
from repair.carried_value import VALUES
from repair.carrier import Carrier, carriers
from repair.carry import Cell, cells, table, tried
from repair.runs import Runs
from text_program import fix_texts

from devfix.analysis import analyse
from devfix.findings import Applicability
from devfix.project import Project
from devfix.source import Source

CARRIERS = {carrier.name: carrier for carrier in carriers()}
#: Ways that the analysis does not follow, so that it says nothing of what takes them.
NOT_FOLLOWED = frozenset(
    "make-dataclass inspect-bind sys-modules generator-send generator-return exception-carries stop-iteration-value "
    "getattribute exec-namespace keys-and-getitem generator-return-collected coroutine-averager "
    "exception-payload exception-args suppress-key asyncio-future try-import-fallback".split()
)


def test_each_carrier_has_a_name_of_its_own_and_carries_something() -> None:
    every = list(carriers())
    assert len(CARRIERS) == len(every) > 600
    assert CARRIERS.keys() > NOT_FOLLOWED
    for carrier in every:
        assert "VALUE" in carrier.definitions + carrier.store
        assert any(fits(carrier, value, use) for value in VALUES for use in USES), carrier.name


@pytest.mark.parametrize("layout", LAYOUTS)
def test_all_programs_are_programs(layout: str) -> None:
    for number, carrier in enumerate(CARRIERS.values()):
        values = [value for value in VALUES if any(fits(carrier, value, use) for use in USES)]
        # A carrier's text is the same with each value, and a value's with each carrier: they meet in turn.
        first = number % len(values)
        for value in sweeps.some([*values[first:], *values[:first]], every=len(values)):
            uses = [use for use in USES if fits(carrier, value, use)]
            for text in program(carrier, value, uses[number % len(uses)], layout, wrong=True).values():
                ast.parse(text)


def _kinds(carrier: Carrier, layout: str, *, wrong: bool) -> set[str]:
    texts = program(carrier, VALUES[0], "loop", layout, wrong=wrong)
    sources = [Source(path, text) for path, text in texts.items()]
    programs = Project(sources, roots=("",)).programs()
    return {found.kind for each in programs for found in analyse(each).mismatches()}


@pytest.mark.parametrize("name", sorted(CARRIERS)[::12])
def test_what_is_carried_is_known_where_it_is_used(name: str) -> None:
    carrier = CARRIERS[name]
    if fits(carrier, VALUES[0], "loop"):
        assert _kinds(carrier, "files", wrong=True) == (set() if name in NOT_FOLLOWED else {"device"})
        assert _kinds(carrier, "files", wrong=False) == set()


def test_a_cell_is_repaired_and_its_twin_is_left_alone() -> None:
    chosen = [CARRIERS["dataclass-field"], CARRIERS["closure"]]
    runs = Runs()
    try:
        found = [tried(cell, runs) for cell in cells(chosen, 1, seed=1)]
    finally:
        runs.close()
    assert [(each.void, each.error, each.harm) for each in found] == [("", "", "")] * 2
    assert list(table(found))[-1] == "2 programs: apply --unsafe 2, with run 2; twins changed: 0"


def test_a_cell_is_a_program_and_its_twin() -> None:
    cell = Cell(CARRIERS["list-negative"], VALUES[0], "forward", "main")
    wrong, right = cell.texts(wrong=True), cell.texts(wrong=False)
    assert cell.name == "list-negative, made on the CPU, forward, main"
    assert fix_texts(wrong, Applicability.UNSAFE)[0] == right
