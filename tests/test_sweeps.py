"""Some of what is alike is tried in an ordinary run, and all of it where that is asked for."""

from __future__ import annotations

import pytest
import sweeps


def test_an_ordinary_run_takes_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "_taken", {"all": False})
    assert list(sweeps.some(range(7), every=3)) == [0, 3, 6]
    assert sweeps.number(2, all_of=60) == 2
    assert sweeps.again("twice").mark.args == (True,)


def test_all_is_taken_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeps, "_taken", {"all": False})
    sweeps.take_all()
    assert list(sweeps.some(range(7), every=3)) == [*range(7)]
    assert sweeps.number(2, all_of=60) == 60
    assert sweeps.again("twice").mark.args == (False,)
