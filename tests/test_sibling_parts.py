"""What is taken out of a batch moves as the other parts do, in whatever statement those are renewed."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
    import torch

    class Batch:
        def __init__(self):
            self.src = (torch.ones(3, 2), torch.ones(2))
            self.trg = (torch.ones(3, 2), torch.ones(2))

    def main():
        model = torch.nn.Linear(2, 2).cuda()
        for batch in [Batch() for _ in range(3)]:
            {taken}
            {moved}
            print((model(src) - trg).sum())

    main()
"""
APART = "src, len_src = batch.src\n            trg, len_trg = batch.trg"


def added(taken: str, moved: str) -> list[str]:
    """The lines that the repair adds."""
    texts = files(PROGRAM.format(taken=taken, moved="\n            ".join(moved.split("; "))))
    after = fix_texts(texts)[0]["main.py"].splitlines()
    return [line.strip() for line in after if line not in texts["main.py"].splitlines()]


@pytest.mark.parametrize(
    ("moved", "line"),
    [
        ("src = src.data.cuda(); trg = trg.data", "trg = trg.data.cuda()"),
        ("src = src.float().cuda(); trg = trg.float()", "trg = trg.float().cuda()"),
        ("src = src.cuda(); trg = trg.view(3, 2)", "trg = trg.view(3, 2).cuda()"),
        ("src = src.data.cuda()", "trg = trg.cuda()"),
    ],
)
def test_it_is_written_as_for_the_sibling(moved: str, line: str) -> None:
    assert added(APART, moved) == [line]


def test_what_is_taken_from_another_thing_is_no_sibling() -> None:
    lines = added(
        "other = Batch()\n            src, len_src = batch.src\n            trg, len_trg = other.trg",
        "src = src.data.cuda()",
    )
    assert "trg = trg.cuda()" not in lines


def test_what_moves_already_stays() -> None:
    assert added(APART, "src = src.data.cuda(); trg = trg.data.cuda()") == []
