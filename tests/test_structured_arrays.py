"""Arrays of records, and files of which NumPy finds out itself what is in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from reality import lies
from text_program import clashes

PROGRAM = """
import numpy as np

record = np.dtype([("a", np.float32), ("b", np.int64)])
empty = np.zeros(3, dtype=record)
field = empty["a"]
rows = np.array([(1.0, 2), (3.0, 4)], dtype=[("a", "f4"), ("b", "i8")])
plain = np.array([[1.0, 2], [3, 4]], dtype=np.float32)
guessed = np.genfromtxt("whole.csv", dtype=None, delimiter=",")
named = np.genfromtxt("named.csv", names=True, delimiter=",")
numbers = np.genfromtxt("whole.csv", delimiter=",")
short = np.loadtxt("whole.csv", delimiter=",", dtype=np.float32)
column = np.loadtxt("whole.csv", delimiter=",", usecols=0)
single = np.loadtxt("column.txt")
"""


def test_what_is_claimed_is_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "whole.csv").write_text("1,2\n3,4\n")
    (tmp_path / "column.txt").write_text("1\n2\n3\n")
    (tmp_path / "named.csv").write_text("a,b\n1,2\n3,4\n")
    monkeypatch.chdir(tmp_path)
    assert lies(PROGRAM) == []


@pytest.mark.parametrize(
    ("read", "found"),
    [
        ("np.genfromtxt('a.csv')", ["6: dtype"]),
        ("np.loadtxt('a.csv')", ["6: dtype"]),
        ("np.genfromtxt('a.csv', dtype=None)", []),
        ("np.genfromtxt('a.csv', names=True)['a']", []),
        ("np.loadtxt('a.csv', dtype='float32')", []),
    ],
)
def test_a_file_is_float64_unless_somebody_says_otherwise(read: str, found: list[str]) -> None:
    text = f"""
    import numpy as np
    import torch

    rows = torch.from_numpy({read})
    torch.nn.Linear(3, 2)(rows)
    """
    assert clashes(text) == found
