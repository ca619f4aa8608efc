"""A value of which every part is moved moves where it gets its name."""

from __future__ import annotations

from textwrap import dedent

import pytest
from test_tidying import tidy

BEFORE = """
    def main(device):
        ids = encode(text)
        cut = len(ids) // 2
        for _ in range(9):
            train(ids[:cut])
        {more}
        return test(ids[cut:])
"""


def tidied(
    more: str = "pass", moved: str = "ids[:cut].to(device)", kept: str = "ids[cut:].to(device)"
) -> str:
    """What is made of two new moves, and what stands between them."""
    before = dedent(BEFORE.format(more=more))
    after = before.replace("ids[:cut]", moved).replace("ids[cut:]", kept)
    return tidy(before, after)


def test_it_moves_once() -> None:
    expected = dedent(BEFORE.format(more="pass")).replace("encode(text)", "encode(text).to(device)")
    assert tidied() == expected


@pytest.mark.parametrize("more", ["print(ids.shape, len(ids))", "print(ids.size(0))"])
def test_questions_that_are_answered_anywhere_do_not_matter(more: str) -> None:
    assert "ids = encode(text).to(device)" in tidied(more)


@pytest.mark.parametrize(
    "more",
    [
        "print(ids.numpy())",
        "save(ids)",
        "ids = ids + 1",
        "device = other()",
        "later = lambda: ids",
    ],
)
def test_what_is_used_otherwise_stays(more: str) -> None:
    assert "ids = encode(text)\n" in tidied(more)


def test_moves_to_two_devices_stay() -> None:
    assert "ids = encode(text)\n" in tidied(kept="ids[cut:].to(x.device)")


def test_what_moves_piece_by_piece_may_be_large_and_stays() -> None:
    before = BEFORE.format(more="pass").replace("for _ in range(9)", "for i in range(9)")
    before = dedent(before.replace("ids[:cut]", "ids[i:i + 4]"))
    after = before.replace("ids[i:i + 4]", "ids[i:i + 4].to(device)").replace(
        "ids[cut:]", "ids[cut:].to(device)"
    )
    assert tidy(before, after) == after


def test_moves_that_were_there_stay() -> None:
    text = dedent(BEFORE.format(more="pass")).replace("ids[:cut]", "ids[:cut].to(device)")
    assert tidy(text, text) == text
