"""``Function.apply`` is a classmethod of Python, and in newer releases of torch one of C: either is wrapped."""

from __future__ import annotations

import inspect
from typing import Any

from devfix.simulator.patches.own_gradients import _remembering


class _OfPython:
    @classmethod
    def fromkeys(cls, keys: str) -> Any:
        return cls, keys


def test_both_are_called_for_the_class_that_was_asked() -> None:
    class Keys(dict):  # type: ignore[type-arg]
        fromkeys: Any = classmethod(_remembering(inspect.getattr_static(dict, "fromkeys")))

    made = Keys.fromkeys("ab")
    assert type(made) is Keys
    assert list(made) == ["a", "b"]

    class Own(_OfPython):
        fromkeys: Any = classmethod(_remembering(inspect.getattr_static(_OfPython, "fromkeys")))

    assert Own.fromkeys("ab") == (Own, "ab")
