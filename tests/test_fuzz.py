"""The seeds of the fuzzers, and what they have found, break nothing any more."""

from __future__ import annotations

import pytest
import sweeps
from fuzz.targets import TARGETS, seeds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize("name", TARGETS)
def test_seeds(name: str) -> None:
    for data in seeds(name):
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_with_a_fault(name: str) -> None:
    known = sorted(set(seeds(name)), key=len)[:20]

    @settings(
        max_examples=sweeps.number(20, all_of=60), database=None, suppress_health_check=list(HealthCheck)
    )
    @given(st.sampled_from(known), st.integers(0), st.integers(0, 8), st.binary(max_size=4))
    def check(data: bytes, place: int, gone: int, new: bytes) -> None:
        place %= len(data) + 1
        TARGETS[name](data[:place] + new + data[place + gone :])

    check()
