"""Ledger: what a file takes of the accounts counts for those some way behind it, and not for its neighbours."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from devfix.analysis.reuse.ledger import Ledger, Place, add

FUNCTION: Place = ("pack/layers.py", 3, 0)
OTHER: Place = ("pack/layers.py", 9, 0)


def test_what_is_taken_counts_two_blocks_later() -> None:
    ledger = Ledger()
    ledger.enter(0)
    ledger.draw(FUNCTION, (1, 40))
    ledger.draw(FUNCTION, (2, 2))
    ledger.enter(1)
    ledger.draw(OTHER, (1, 5))
    assert ledger.taken == {}
    ledger.enter(2)
    assert ledger.taken == {FUNCTION: (3, 42)}
    ledger.enter(7)
    assert ledger.taken == {FUNCTION: (3, 42), OTHER: (1, 5)}


def test_what_scripts_take_counts_at_once() -> None:
    ledger = Ledger()
    ledger.draw(FUNCTION, (3, 700))
    ledger.enter(0)
    assert ledger.taken == {FUNCTION: (3, 700)}


def test_a_copy_goes_on_by_itself() -> None:
    ledger = Ledger()
    ledger.enter(0)
    ledger.draw(FUNCTION, (1, 1))
    copy = ledger.copy()
    copy.draw(FUNCTION, (1, 1))
    copy.enter(2)
    ledger.enter(2)
    assert (ledger.taken[FUNCTION], copy.taken[FUNCTION]) == ((1, 1), (2, 2))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=12), st.randoms())
def test_it_does_not_matter_when_it_becomes_known(drawn: list[tuple[int, int]], random: object) -> None:
    """Other processes tell of their files in any order."""
    in_turn, late = Ledger(), Ledger()
    for block, steps in sorted(drawn):
        in_turn.enter(block)
        in_turn.draw(FUNCTION, (1, steps))
    in_turn.enter(6)
    random.shuffle(drawn)  # type: ignore[attr-defined]
    late.enter(3)
    for block, steps in drawn:
        add(late.recent.setdefault(block, {}), {FUNCTION: (1, steps)})
    late.enter(6)
    assert late.taken == in_turn.taken
