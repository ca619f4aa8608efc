"""The dtype of quantiles: a list of them is an array of float64, a number decides nothing."""

from __future__ import annotations

import numpy as np
import pytest
from text_program import Ending

from devfix.analysis.domain.values import Array

HEAD = """
import numpy as np
import torch

x = np.ones((4, 3), dtype=np.float32)
"""


@pytest.mark.parametrize(
    ("name", "q", "axis"),
    [
        ("quantile", [0.25, 0.75], 0),
        ("percentile", (5, 95), None),
        ("nanpercentile", [50], 1),
        ("quantile", 0.5, 0),
        ("percentile", 75, None),
        ("nanquantile", 0.1, 1),
    ],
)
def test_quantiles_are_as_numpy_has_them(name: str, q: object, axis: int | None) -> None:
    found = Ending(HEAD + f"found = np.{name}(x, {q!r}, axis={axis})\n")["found"]
    true = getattr(np, name)(np.ones((4, 3), dtype=np.float32), q, axis=axis)
    assert isinstance(found, Array)
    assert (found.dtype, found.rank) == (str(true.dtype), true.ndim)
