"""The corpus: what is wrong becomes what it should be, what is right stays as it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pytest
from corpus_case import CorpusCase, corpus_cases
from text_program import check_texts, fix_texts, names, rules

from devfix.findings import Applicability

CASES = corpus_cases()
FIXED = [case for case in CASES if case.has("after")]
FINE = [case for case in CASES if case.kind == "ok"]
FAULTY = [case for case in CASES if case.kind != "ok"]


def of(cases: list[CorpusCase]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


@dataclass(frozen=True)
class Outcome:
    """What the tool finds in some files, and what it makes of them."""

    found: frozenset[str]
    fixed: frozenset[str]
    texts: tuple[tuple[str, str], ...]


@cache
def outcome(case: CorpusCase, side: str) -> Outcome:
    wanted = Applicability.UNSAFE if "--unsafe" in case.flags else Applicability.SAFE
    adopt = "--adopt" in case.flags
    texts = case.texts(side)
    found = names(check_texts(texts, adopt=adopt))
    fixed, reports = fix_texts(texts, wanted, adopt=adopt)
    rules_fixed = frozenset(finding.rule for report in reports for finding in report.fixed)
    return Outcome(frozenset(found), rules_fixed, tuple(sorted(fixed.items())))


def faults(found: frozenset[str]) -> set[str]:
    """The rules that report more than advice."""
    advice = {rule.name for rule in rules() if rule.applicability == Applicability.DISPLAY}
    return set(found - advice)


@of(FAULTY)
def test_the_fault_is_found_by_its_rule(case: CorpusCase) -> None:
    assert case.rule in outcome(case, "before").found


@of(FAULTY)
def test_every_rule_that_the_case_names_speaks(case: CorpusCase) -> None:
    seen = outcome(case, "before")
    assert set(case.rules) <= seen.found | seen.fixed


@of(FIXED)
def test_before_becomes_after(case: CorpusCase, request: pytest.FixtureRequest) -> None:
    texts = dict(outcome(case, "before").texts)
    if request.config.getoption("--update-corpus"):
        for name, path in case.paths("after").items():
            path.write_text(texts[name], encoding="utf-8", newline="")
        outcome.cache_clear()
    assert texts == case.texts("after")


@of(FIXED)
def test_after_stays_as_it_is(case: CorpusCase) -> None:
    assert dict(outcome(case, "after").texts) == case.texts("after")


@of(FIXED)
def test_nothing_is_wrong_with_after(case: CorpusCase) -> None:
    assert faults(outcome(case, "after").found) == set()


@of(FINE)
def test_what_is_right_is_left_alone(case: CorpusCase) -> None:
    seen = outcome(case, "before")
    assert (seen.found, dict(seen.texts)) == (frozenset(), case.texts("before"))


@of([case for case in FAULTY if not case.has("after")])
def test_advice_changes_nothing(case: CorpusCase) -> None:
    assert case.kind == "advice"
    assert dict(outcome(case, "before").texts) == case.texts("before")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_says_what_it_is(case: CorpusCase) -> None:
    """The folder is the cause, faults name their rule and their error, and both sides have one shape."""
    assert case.kind in ("device", "dtype", "advice", "ok")
    assert case.folder.name.startswith("ok-") == (case.kind == "ok")
    assert (case.rule == "") == (case.kind == "ok")
    assert (case.error != "") == case.fails
    if case.kind != "ok":
        assert case.rule == case.folder.parent.name
        assert case.rule in case.rules
    assert case.entry in case.texts("before")
    assert case.has("after") or not case.fails
    assert not case.has("after") or case.texts("after").keys() == case.texts("before").keys()
    assert set(case.flags) <= {"--unsafe", "--adopt"}
