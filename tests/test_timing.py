"""Each second is counted once, for what was done in it."""

from __future__ import annotations

import pytest

from devfix.timing import ANALYSIS, FIXES, OTHER, RULES, Timing, measured, spent_on


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that is a second further at each look."""
    moments = iter(range(1000))
    monkeypatch.setattr("devfix.timing.time.perf_counter", lambda: float(next(moments)))


def test_what_is_done_within_something_else_is_not_counted_for_that() -> None:
    with measured() as spent, spent_on(FIXES):  # 0, 1
        with spent_on(ANALYSIS):  # 2
            pass  # 3
        with pytest.raises(ValueError, match="no"), spent_on(RULES, "DF101"):  # 4
            raise ValueError("no")  # 5
    # 6, 7
    assert spent == {(OTHER, ""): 2, (FIXES, ""): 3, (ANALYSIS, ""): 1, (RULES, "DF101"): 1}


def test_nothing_is_measured_unless_asked_for() -> None:
    with spent_on(FIXES):
        pass
    with measured() as spent:
        pass
    assert spent == {(OTHER, ""): 1}


def test_programs_and_rules_are_told_the_slowest_first() -> None:
    told = Timing()
    told.program({(RULES, "DF101"): 1.0, (RULES, "DF102"): 2.5}, ["b.py", "a.py"])
    told.program({(ANALYSIS, ""): 4.0, (RULES, "DF101"): 2.0}, ["c.py"])
    assert told.rules == {"DF101": 3.0, "DF102": 2.5}
    zero = "reading and parsing 0.000 s, analysis"
    assert told.text().splitlines() == [
        f"    6.000 s    c.py: {zero} 4.000 s, rules 2.000 s, fixes 0.000 s, other 0.000 s",
        f"    3.500 s    a.py and 1 more files: {zero} 0.000 s, rules 3.500 s, fixes 0.000 s, other 0.000 s",
        "    3.000 s    rule DF101",
        "    2.500 s    rule DF102",
    ]


def test_the_most_memory_is_told_phase_by_phase() -> None:
    told = Timing()
    with told.phase("reading"):
        pass
    held = bytearray(64 * 2**20)
    held[:] = b"x" * len(held)  # pages count once they are written to
    with told.phase("analysis"):
        pass
    assert told.memory["analysis"] >= len(held)
    assert told.memory["reading"] <= told.memory["analysis"]
    assert told.data()["memory"] == {name: round(most / 2**20, 1) for name, most in told.memory.items()}
    assert "reading (memory up to " in told.text()


def test_a_system_that_tells_no_memory_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("devfix.timing.peak_memory", lambda: None)
    told = Timing()
    with told.phase("reading"):
        pass
    assert told.text() == "    1.000 s  reading\n"
    assert told.data()["memory"] == {}
