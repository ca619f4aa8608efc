"""What is made while a lock is held is made where it is without one; what is entered and not known may place it."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import clashes

LAZY = dedent(
    """
    import multiprocessing
    import threading
    from elsewhere import Guard
    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


    class Table:
        def __init__(self, guard=None):
            self.guard = MADE
            self.rows = None

        def read(self):
            with self.guard:
                if self.rows is None:
                    self.rows = torch.ones(4)
            return self.rows


    print(torch.ones(4).to(device) + Table().read())
    """
)


@pytest.mark.parametrize(
    "made",
    [
        "threading.Lock()",
        "threading.RLock()",
        "threading.Condition()",
        "multiprocessing.Lock()",
    ],
)
def test_a_lock_places_nothing(made: str) -> None:
    assert clashes(LAZY.replace("MADE", made)) == ["22: device"]


@pytest.mark.parametrize("made", ["Guard()", "torch.device(Guard().name)"])
def test_what_is_entered_may_be_a_device(made: str) -> None:
    assert clashes(LAZY.replace("MADE", made)) == []
