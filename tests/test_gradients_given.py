"""A gradient that is given to a tensor has the dtype of that; PyTorch is asked whether it takes it."""

from __future__ import annotations

import pytest
import torch
from text_program import clashes, fix_texts

from devfix.findings import Applicability

GIVEN = """
import torch

masters = [torch.zeros(3, dtype=torch.{own}) for _ in range(2)]
for master in masters:
    given = torch.ones(3, dtype=torch.{other})
    {before}master.grad = given{cast}
print(masters[0].grad)
"""


def _is_taken(text: str) -> bool:
    try:
        exec(text, {})
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize("own", ["float32", "bfloat16"])
@pytest.mark.parametrize("other", ["float32", "float64", "bfloat16", "int64"])
@pytest.mark.parametrize("cast", ["", ".float()", ".to(master.dtype)"])
def test_it_has_the_dtype_of_the_tensor(own: str, other: str, cast: str) -> None:
    text = GIVEN.format(own=own, other=other, cast=cast, before="")
    assert (clashes(text) == []) == _is_taken(text)


@pytest.mark.skipif(not hasattr(torch.Tensor, "grad_dtype"), reason="this PyTorch has no such attribute")
def test_a_tensor_that_is_told_may_have_another() -> None:
    text = GIVEN.format(own="float32", other="bfloat16", cast="", before="master.grad_dtype = None; ")
    assert _is_taken(text)
    assert clashes(text) == []


def test_it_is_cast_where_it_is_given() -> None:
    text = GIVEN.format(own="float32", other="bfloat16", cast="", before="")
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert after == text.replace("master.grad = given", "master.grad = given.float()")
