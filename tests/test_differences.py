"""Hunks turn the old text into the new one, whichever way they were found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from devfix.tidying import differences as module
from devfix.tidying.differences import differences

_TEXTS = st.lists(st.sampled_from("abcdefgh"), max_size=20)


def _patched(old: list[str], new: list[str]) -> list[str]:
    made, at = [], 0
    for first, last, new_first, new_last in differences(old, new):
        made += [*old[at:first], *new[new_first:new_last]]
        at = last
    return made + old[at:]


@pytest.mark.parametrize("large", [0, 30, 4_000_000])
def test_hunks_lead_from_the_old_text_to_the_new_one(large: int) -> None:
    @given(_TEXTS, _TEXTS)
    def leads(old: list[str], new: list[str]) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_LARGE", large)
            assert _patched(old, new) == new

    leads()


def test_lines_that_are_there_once_part_a_long_text() -> None:
    old = [line for k in range(3_000) for line in (f"line {k}", "same")]
    new = [*old[:1_000], "new", *old[1_000:5_000], "other", *old[5_001:]]
    assert list(differences(old, new)) == [(1_000, 1_000, 1_000, 1_001), (5_000, 5_001, 5_001, 5_002)]
