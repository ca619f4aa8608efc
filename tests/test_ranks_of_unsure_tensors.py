"""Ranks that follow for certain, though others are not known: of what is joined or flattened, and what a test of one tells."""

from __future__ import annotations

import pytest
import torch
from text_program import Ending, clashes

from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import Tensor

JOINED = """
import numpy as np
import torch
text, unsure = torch.zeros(3, 4), torch.from_numpy(np.load("x"))
x = {expression}
"""


@pytest.mark.parametrize(
    ("expression", "rank"),
    [
        ("torch.cat((text, unsure), 1)", 2),
        ("torch.cat([unsure, text])", 2),
        ("torch.stack([text, unsure])", 3),
        ("torch.vstack([unsure, text])", 2),
        ("torch.dstack([text, unsure])", 3),
        ("torch.cat([torch.zeros(3), unsure])", AT_LEAST_1),
        ("torch.hstack([torch.zeros(3), unsure])", AT_LEAST_1),
        ("unsure.sum(0).flatten(1)", 2),
        ("torch.flatten(unsure * 2, 2)", 3),
        ("text.flatten(0, 1)", 1),
        ("(unsure * text[0]).flatten(1, 2)", AT_LEAST_1),
    ],
)
def test_one_of_several_ranks_tells_that_of_what_joins_them(expression: str, rank: int) -> None:
    found = Ending(JOINED.format(expression=expression))["x"]
    assert isinstance(found, Tensor)
    assert found.rank == rank


def test_as_many_dimensions_are_left_as_pytorch_leaves() -> None:
    for others in (torch.ones(2, 2), torch.ones(0)):
        assert torch.cat([torch.ones(2, 2), others]).dim() == torch.cat([others, torch.ones(2, 2)]).dim() == 2
    for rank in range(2, 6):
        assert torch.ones([2] * rank).flatten(1).dim() == 2


ASKED = """
import torch
codes = torch.zeros(3, 4, device="cuda")
is_picture = {test}
if is_picture:
    codes + torch.zeros(4)
"""


@pytest.mark.parametrize("of", ["codes.shape", "codes.size()"])
def test_a_rank_decides_a_test_of_how_many_sizes_there_are(of: str) -> None:
    assert clashes(ASKED.format(test=f"len({of}) == 4")) == []
    assert clashes(ASKED.format(test=f"len({of}) == 2")) == ["6: device"]
    unsure = ASKED.replace('zeros(3, 4, device="cuda")', "from_numpy(np.load('x')).cuda()")
    assert clashes("import numpy as np" + unsure.format(test=f"len({of}) == 4")) == ["6: device"]


@pytest.mark.parametrize(
    ("expression", "rank"),
    [
        ("torch.randn(text.shape)", 2),
        ("torch.randn(text.size())", 2),
        ("torch.zeros(text.shape + (3,))", 3),
        ("torch.zeros(text.shape[1:])", 1),
        ("torch.zeros(*text.shape[:-1], 5)", 2),
        ("(text + torch.randn(text.shape)).mean(0)", 1),
        ("torch.randn(text.size(0))", 1),
        ("torch.randn(text[0, 0].shape)", 0),
        ("torch.randn(unsure.shape)", AT_LEAST_1),
    ],
)
def test_what_has_the_shape_of_a_tensor_has_its_rank(expression: str, rank: int) -> None:
    found = Ending(JOINED.format(expression=expression))["x"]
    assert isinstance(found, Tensor)
    assert found.rank == rank
