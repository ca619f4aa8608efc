"""Where one expression makes tensors of arrays of several dtypes, it casts none of them."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

_PROGRAM = """
    import numpy as np
    import torch
    import torch.nn.functional as F
    from torch import nn


    def columns(n):
        rng = np.random.default_rng(0)
        x = np.stack([rng.standard_normal(3) for _ in range(n)])
        return [{made} for a in (x, rng.integers(0, 2, n), x.sum(1).astype(np.float32))]


    net = nn.Linear(3, 2)
    x, labels, weights = (t[:4] for t in columns(8))
    print((F.cross_entropy(net((x - 0.1) / 0.2), labels, reduction="none") * weights).sum())
"""


@pytest.mark.parametrize("made", ["torch.from_numpy(a)", "torch.as_tensor(a)", "torch.tensor(a)"])
def test_what_is_of_another_dtype_stays_what_it_is(made: str) -> None:
    before = dedent(_PROGRAM.format(made=made))
    after, _ = fix_texts(files(before), Applicability.UNSAFE)
    assert after["main.py"] == before.replace("(x - 0.1) / 0.2", "((x - 0.1) / 0.2).float()")


def test_what_is_of_the_wanted_dtype_already_may_be_cast_along() -> None:
    before = dedent(_PROGRAM.format(made="torch.from_numpy(a)"))
    before = before.replace(", rng.integers(0, 2, n)", "").replace("x, labels, weights", "x, weights")
    before = before.replace("F.cross_entropy", "F.mse_loss").replace("labels", "net(x)")
    after, _ = fix_texts(files(before), Applicability.UNSAFE)
    assert after["main.py"] == before.replace("from_numpy(a)", "from_numpy(a).float()")
