"""Gaps of tables of pandas: integers of which some are missing are floats."""

from __future__ import annotations

import pytest
from text_program import Ending, clashes

from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import Array
from devfix.analysis.torch_model.arrays import numpy_types

HEAD = """
import io
import numpy as np
import pandas as pd
rows = __import__('ast').literal_eval("1")
read = pd.read_csv(io.StringIO("a,b\\n1,2.5\\n3,4.5\\n5,1.5\\n"))
table = pd.DataFrame({"a": [1, 2, 3], "b": [0.5, 1.0, 2.0], "c": np.ones(3, np.float32)})
"""
#: An expression that is an array, and its dtype as far as devfix knows it.
DTYPES = {
    "table['a'].shift().values": "float64",
    "table['a'].shift(-1).values": "float64",
    "table['a'].shift(periods=2).dropna().values": "float64",
    "table['a'].shift(1, fill_value=0).values": numpy_types.WIDE,
    "table['a'].shift(0).values": numpy_types.WIDE,
    "table['a'].shift(rows).values": numpy_types.WIDE,
    "table['a'].astype('int32').shift().values": "float64",
    "(table['a'] > 1).shift().values": None,
    "table['c'].shift().values": "float32",
    "read['a'].shift().values": "float64",
    "table[['a']].shift(-1).values": "float64",
    "table['a'].diff().values": "float64",
    "table['a'].diff(-1).dropna().values": "float64",
    "table['a'].mask(table['b'] > 1).dropna().values": "float64",
    "table['a'].mask(table['b'] > 9).values": numpy_types.WIDE,  # nothing is hidden, as nobody minds
    "table['a'].where(table['b'] > 1).ffill().values": "float64",
    "read['a'].mask(np.arange(3) < 1).fillna(-1).values": "float64",
    "table['c'].mask(table['b'] > 1).values": "float32",
    "table['a'].mask(table['b'] > 1, 0).values": "int64",
    "table['a'].where(table['b'] > 1, other=-1).values": "int64",
    "table['a'].where(table['b'] > 1, None).values": numpy_types.WIDE,
    "table[['a']].where(table[['a']] > 0).values": numpy_types.WIDE,
    "table['a'].clip().values": numpy_types.WIDE,
    "table['a'].reindex([0, 1, 9]).values": numpy_types.WIDE,
}
#: What is looked up in a grid, and how many dimensions the array of the places has as far as devfix knows.
PLACES = {
    "np.digitize(table['b'], [0.7, 1.5])": 1,
    "np.digitize(table['a'] / 2 + table['b'], bins=[0.7, 1.5])": 1,
    "np.digitize(table[['a', 'b']], [0.7, 1.5])": AT_LEAST_1,
    "np.digitize([0.1, 0.8], [0.7, 1.5])": 1,
    "np.searchsorted([0.7, 1.5], table['b'])": 1,
}


@pytest.mark.parametrize(("text", "dtype"), DTYPES.items())
def test_dtypes_are_known_as_far_as_they_are_certain(text: str, dtype: str | None) -> None:
    found = Ending(f"{HEAD}found = {text}\n")["found"]
    assert (found.dtype if isinstance(found, Array) else None) == dtype


@pytest.mark.parametrize(("text", "rank"), PLACES.items())
def test_places_in_a_grid_are_integers(text: str, rank: int) -> None:
    found = Ending(f"{HEAD}found = {text}\n")["found"]
    assert isinstance(found, Array)
    assert (found.dtype, found.rank) == ("int64", rank)


def test_pandas_makes_what_is_claimed() -> None:
    pytest.importorskip("pandas")
    names: dict[str, object] = {}
    exec(HEAD, names)
    real = {text: str(eval(text, names).dtype) for text in DTYPES}
    assert [text for text, dtype in DTYPES.items() if dtype and real[text] not in dtype.split(" or ")] == []
    assert {str(eval(text, names).dtype) for text in PLACES} == {"int64"}


_TARGETS = """
import numpy as np
import pandas as pd
import torch
import torch.nn.functional as F
rng = np.random.default_rng(0)
table = pd.DataFrame({"level": rng.random(90)})
table["kind"] = np.digitize(table["level"], [0.3, 0.6])
table["kind"] = %s
table = table.dropna()
target = torch.tensor(table["kind"].values%s)
print(F.one_hot(target, 3))
"""


@pytest.mark.parametrize("kind", ['table["kind"].mask(table["level"] > 0.9)', 'table["kind"].shift(-1)'])
def test_labels_of_which_some_were_missing_are_no_indices(kind: str) -> None:
    assert clashes(_TARGETS % (kind, "")) == ["12: index-dtype"]
    assert clashes(_TARGETS % (kind, ", dtype=torch.long")) == []


@pytest.mark.parametrize(
    "kind",
    ['table["kind"].mask(table["level"] > 0.9, 0)', 'table["kind"].shift(1, fill_value=0)', 'table["kind"]'],
)
def test_labels_that_are_all_there_are_indices(kind: str) -> None:
    assert clashes(_TARGETS % (kind, "")) == []
