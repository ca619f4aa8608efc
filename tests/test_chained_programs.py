"""Packages that hand a value on through several files, and the benchmark that is made of them."""

from __future__ import annotations

import ast
import random

import pytest
from repair.assembly import ASSEMBLIES
from repair.carrier import carriers
from repair.carry import tried
from repair.chain import STYLES, Chain
from repair.chained_program import ChainedProgram
from repair.chained_use import USES
from repair.chained_value import CHAINED
from repair.chains import ChainCell, cells
from repair.device_choice import CHOICES, DeviceChoice
from repair.runs import Runs
from text_program import check_texts, fix_texts

from devfix.findings import Applicability

CARRIERS = {carrier.name: carrier for carrier in carriers()}
VALUES = {value.mistake: value for value in CHAINED}
CHOICE = {choice.name: choice for choice in CHOICES}


def _package(
    mistake: str = "made on the CPU",
    use: str = "criterion",
    choice: DeviceChoice = CHOICE["argument"],
    assembly: str = "entry",
    styles: tuple[str, ...] = ("function", "class"),
) -> ChainedProgram:
    chain = Chain((CARRIERS["dataclass-field"], CARRIERS["closure"]), styles)
    return ChainedProgram(chain, VALUES[mistake], use, choice, assembly)


def test_all_packages_are_programs() -> None:
    rng = random.Random(5)
    for value in CHAINED:
        for use in USES[value.form]:
            styles = (rng.choice(STYLES[:-1]), rng.choice(STYLES[:-1]))
            package = _package(value.mistake, use, rng.choice(CHOICES), rng.choice(ASSEMBLIES), styles)
            for wrong in (False, True):
                for text in package.texts(wrong=wrong).values():
                    ast.parse(text)


@pytest.mark.parametrize("assembly", ASSEMBLIES)
def test_what_is_handed_on_is_known_where_it_is_used(assembly: str) -> None:
    package = _package(assembly=assembly)
    assert package.fits()
    assert {found.rule for found in check_texts(package.texts(wrong=True))} == {"created-on-cpu"}
    assert not check_texts(package.texts(wrong=False))


def test_files_import_what_they_name() -> None:
    texts = _package(assembly="container").texts(wrong=True)
    assert list(texts) == [f"{name}.py" for name in _NAMES]
    assert "from losses import Criterion\n" in texts["container.py"]
    assert "def origin" not in texts["origin.py"]
    assert "def parts(self):\n        return make_origin()" in texts["container.py"]


_NAMES = ("settings", "network", "origin", "relay", "losses", "trainer", "container", "main")


@pytest.mark.parametrize("choice", CHOICES)
def test_each_way_to_name_the_device_is_seen(choice: DeviceChoice) -> None:
    package = _package(choice=choice)
    wrong, right = package.texts(wrong=True), package.texts(wrong=False)
    assert wrong != right
    assert fix_texts(right)[0] == right
    assert fix_texts(wrong, Applicability.UNSAFE)[0] != wrong


def test_a_class_takes_no_arguments_that_only_the_entry_knows() -> None:
    chain = Chain((CARRIERS["cached-property"], CARRIERS["closure"]), ("function", "function"))
    value = VALUES["made on the CPU"]
    assert ChainedProgram(chain, value, "step", CHOICE["variable"]).fits()
    assert not ChainedProgram(chain, value, "step", CHOICE["argument"]).fits()
    assert not _package(choice=CHOICE["argument"], styles=("module", "class")).fits()


def test_a_package_is_repaired_and_its_twin_is_left_alone() -> None:
    runs = Runs()
    try:
        outcome = tried(ChainCell(_package()), runs)
    finally:
        runs.close()
    assert (outcome.void, outcome.error, outcome.harm) == ("", "", "")


def test_mistakes_come_in_turn() -> None:
    found = list(cells(len(CHAINED), 3, 0.5))
    assert [cell.mistake for cell in found] == [value.mistake for value in CHAINED]
    assert {len(cell.package.chain.carriers) for cell in found} == {2, 3}
