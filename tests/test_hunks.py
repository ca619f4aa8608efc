"""Hunks turn the old text into the new one, whichever way they were found."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devfix import hunks as module
from devfix.hunks import hunks, unchanged

_TEXTS = st.lists(st.sampled_from("abcdefgh"), max_size=20)


def _patched(old: list[str], new: list[str]) -> list[str]:
    made, at = [], 0
    for first, last, new_first, new_last in hunks(old, new):
        made += [*old[at:first], *new[new_first:new_last]]
        at = last
    return made + old[at:]


@pytest.mark.parametrize(("pairs", "large"), [(0, 0), (0, 4_000_000), (30, 30), (10_000, 4_000_000)])
def test_hunks_lead_from_the_old_text_to_the_new_one(pairs: int, large: int) -> None:
    @given(_TEXTS, _TEXTS)
    def leads(old: list[str], new: list[str]) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_MANY_PAIRS", pairs)
            patch.setattr(module, "_LARGE", large)
            assert _patched(old, new) == new

    leads()


@given(_TEXTS, _TEXTS)
def test_what_lies_between_the_hunks_is_the_same_in_both(old: list[str], new: list[str]) -> None:
    found = list(hunks(old, new))
    same = list(unchanged(found, old, new))
    assert all(old[first:last] == new[new_first:new_last] for first, last, new_first, new_last in same)
    lines = [line for first, last, *_ in (*found, *same) for line in range(first, last)]
    assert sorted(lines) == list(range(len(old)))


def test_lines_that_are_there_once_part_a_long_text() -> None:
    old = [line for k in range(3_000) for line in (f"line {k}", "same")]
    new = [*old[:1_000], "new", *old[1_000:5_000], "other", *old[5_001:]]
    assert list(hunks(old, new)) == [(1_000, 1_000, 1_000, 1_001), (5_000, 5_001, 5_001, 5_002)]


def test_functions_that_are_alike_are_compared_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    old = [line for k in range(400) for line in (f"def f{k}():", "    x = g()", "    return x", "")]
    new = [line.replace("g()", "g().h()") for line in old]
    compared: list[int] = []

    class Matcher(difflib.SequenceMatcher[str]):
        def __init__(self, isjunk: None, a: list[str], b: list[str], autojunk: bool) -> None:
            compared.append(len(a) * len(b))
            super().__init__(isjunk, a, b, autojunk)

    monkeypatch.setattr(difflib, "SequenceMatcher", Matcher)
    assert [hunk[0] for hunk in hunks(old, new)] == list(range(1, 1_600, 4))
    assert sum(compared) <= 4 * len(old)
