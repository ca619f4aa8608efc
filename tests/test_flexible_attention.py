"""``flex_attention`` wants its tensors in one place, and what its functions read is beside the scores."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

query = torch.zeros(1, 2, 128, 16).cuda()
bias, ends = torch.zeros(128){placed}, torch.zeros(1, dtype=torch.int64){placed}

def shifted(score, sentence, head, here, there):
    return score + bias[there]

def near(sentence, head, here, there):
    return (here >= there) & (there < ends[sentence])

{used}
"""


def _clashes(used: str, placed: str = "") -> list[str]:
    return clashes(PROGRAM.format(used=used, placed=placed))


def test_keys_and_values_are_beside_the_queries() -> None:
    assert _clashes("flex_attention(query, query.cpu(), query)")
    assert _clashes("flex_attention(query, query, value=query.cpu())")
    assert _clashes("flex_attention(query, query, query) + torch.zeros(16)")
    assert _clashes("flex_attention(query, query, query) + torch.zeros(16).cuda()") == []


@pytest.mark.parametrize(
    "used",
    [
        "flex_attention(query, query, query, score_mod=shifted)",
        "flex_attention(query, query, query, shifted)",
        "create_block_mask(near, None, None, 128, 128)",
        "create_block_mask(near, None, None, 128, 128, device=query.device)",
    ],
)
def test_what_is_read_is_beside_the_scores(used: str) -> None:
    assert _clashes(used)
    assert _clashes(used, ".cuda()") == []


def test_a_mask_may_be_made_on_the_cpu() -> None:
    assert _clashes('create_block_mask(near, None, None, 128, 128, device="cpu")') == []
