"""What a dtype is as a text, by which programs tell one version of PyTorch from another."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import check_texts, files

OLD_AND_NEW = """
import numpy as np
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
above = torch.randn(3, 4, device=device) > 0
if {test}:
    rest = ~above
else:
    rest = 1 - above
"""
TESTS = [
    "str(above.dtype) == 'torch.bool'",
    "above.dtype.__str__() == 'torch.bool'",
    "repr(above.dtype) == 'torch.bool'",
    "f'{above.dtype}' == 'torch.bool'",
    "str(above.dtype).endswith('bool')",
    "str(above.dtype) in ('torch.bool', 'torch.uint8')",
]


@pytest.mark.parametrize("test", TESTS)
def test_the_way_of_an_old_version_is_not_gone(test: str) -> None:
    assert check_texts(files(OLD_AND_NEW.format(test=test))) == []


@pytest.mark.parametrize("test", TESTS)
def test_the_way_of_the_version_that_is_there_is(test: str) -> None:
    found = check_texts(files(OLD_AND_NEW.format(test=f"not ({test})")))
    assert [each.message for each in found] == ["`above` is bool, which torch.sub does not take"]


def test_the_texts_are_those_of_torch_and_numpy() -> None:
    text = """
    import numpy as np
    import torch
    x, y = torch.ones(3), np.ones(3, dtype=np.float32)
    kind = torch.half if len(str(x.dtype)) > 3 else torch.float64
    made, other, chosen = str(x.dtype), str(y.dtype), f"as {kind}"
    shown, spoken, plain = repr(torch.long), x.double().dtype.__str__(), str(np.dtype("int64"))
    """
    assert lies(text) == []
