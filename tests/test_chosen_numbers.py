"""One number that NumPy chooses from a list is a scalar of the list's dtype, and widens what it is put into."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes, fix_texts

from devfix.analysis.domain.values import UNKNOWN, Array
from devfix.findings import Applicability

MADE = """
import numpy as np

rng = np.random.default_rng(0)
narrow = np.ones(3, dtype=np.float32)
rows = np.ones((2, 3), dtype=np.float32)
one = {one}
added = np.append(narrow, one)
"""


@pytest.mark.parametrize("maker", ["rng", "np.random", "np.random.RandomState(0)"])
@pytest.mark.parametrize(
    ("source", "dtype"),
    [
        ("[-1.0, 1.0]", "float64"),
        ("(-1.0, 1.0), p=[0.5, 0.5]", "float64"),
        ("[1, 2.5], size=None", "float64"),
        ("[1, 2]", "int64"),
        ("[True, False]", "bool"),
        ("narrow", "float32"),
        ("narrow.astype(np.float64)", "float64"),
    ],
)
def test_a_chosen_number_has_the_dtype_of_what_it_is_chosen_from(maker: str, source: str, dtype: str) -> None:
    text = MADE.format(one=f"{maker}.choice({source})")
    assert Ending(text)["one"] == Array(dtype, 0)
    assert lies(text) == []


@pytest.mark.parametrize(("source", "dtype"), [("rows", "float32"), ("[[1.0, 2.0], [3.0, 4.0]]", "float64")])
def test_a_generator_chooses_a_row(source: str, dtype: str) -> None:
    text = MADE.format(one=f"rng.choice({source})")
    assert Ending(text)["one"] == Array(dtype, 1)
    assert lies(text) == []


@pytest.mark.parametrize("chosen", ["rng.choice(4)", "np.random.choice(4)"])
def test_below_a_count_it_depends_on_the_generator(chosen: str) -> None:
    text = MADE.format(one=chosen)
    assert Ending(text)["one"] == UNKNOWN
    assert lies(text) == []


def test_words_and_what_is_chosen_in_an_unknown_number_are_unknown() -> None:
    text = "import numpy as np\nfrom somewhere import how\nword = np.random.choice(['a', 'b'])\n"
    ending = Ending(text + "some = np.random.choice([0.5, 1.5], **how)\n")
    assert ending["word"] == ending["some"] == UNKNOWN


ROLLED_OUT = """
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(4, 2).to(device)


def collected(rng, count):
    rows = []
    for _ in range(count):
        state = rng.uniform(-1, 1, size=3){narrowed}
        {row}
    return np.stack(rows)


seen = torch.from_numpy(collected({rng}, 8)).to(device)
print(net(seen).sum().item())
"""
APPENDED = "rows.append(np.append(state, rng.choice({levels})))"


@pytest.mark.parametrize("rng", ["np.random.default_rng(0)", "np.random.RandomState(0)", "np.random"])
@pytest.mark.parametrize(
    "row",
    [
        APPENDED.format(levels="[-10.0, 10.0]"),
        APPENDED.format(levels="(0, 1)"),
        APPENDED.format(levels="np.linspace(-1, 1, 5)"),
        "rows.append(np.concatenate([state, [rng.choice([0.5, 1.5])]]))",
        "rows.append(np.hstack((state, rng.choice([-1.0, 1.0], size=None))))",
        "force = rng.choice([0.1, 0.2])\n        rows.append(np.array([*state, force]))",
    ],
)
def test_rows_with_a_chosen_number_are_cast_where_they_become_a_tensor(rng: str, row: str) -> None:
    text = ROLLED_OUT.format(narrowed="", row=row, rng=rng)
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    made = f"torch.from_numpy(collected({rng}, 8))"
    assert after == text.replace(made, made + ".float()")


@pytest.mark.parametrize(
    "row",
    [
        APPENDED.format(levels="np.array([-10, 10], dtype=np.float32)"),
        "rows.append(np.append(state, rng.choice([-10.0, 10.0])).astype(np.float32))",
        "rows.append(np.append(state, np.float32(rng.choice([-10.0, 10.0]))))",
        APPENDED.format(levels="levels()"),
        "rows.append(np.append(state, levels()))",
    ],
)
def test_rows_that_are_narrow_or_may_be_stay(row: str) -> None:
    text = ROLLED_OUT.format(narrowed=".astype(np.float32)", row=row, rng="np.random.default_rng(0)")
    assert clashes("from somewhere import levels\n" + text) == []


def test_a_chosen_number_leaves_tensors_as_narrow_as_they_are() -> None:
    text = """
import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(4, 2).to(device)
scale = np.random.choice([0.5, 2.0])
x = torch.ones(3, 4, device=device) * scale + scale
print(net(x).sum().item())
"""
    assert clashes(text) == []
