"""Tables on the CPU of which a program asks something: the indices come to them."""

import pytest
from text_program import check_texts, files, fix_texts

PROGRAM = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Pool:
    def __init__(self, x):
        self.x = x
        self.seen = torch.zeros(len(x), dtype=torch.bool)

    def rest(self):
        return self.x[~self.seen]

    def mark(self, ids, scores):
        {asked}
        self.seen[ids.cpu()] = True


pool = Pool(torch.randn(8, 3))
scores = torch.randn(8).to(device)
pool.mark(scores.argsort()[:2], scores)
print(pool.rest().mean())
"""
ASKED = [
    "assert not {}.any()",
    "if len(ids) > 1 and {}.any(): raise ValueError",
    "count = int({}.sum())",
    "names = {}.tolist()",
    "if ~{}.any().item(): return",
    "print({})",
]


@pytest.mark.parametrize("asked", ASKED)
def test_what_the_host_asks_of_a_table_is_looked_up_where_that_is(asked: str) -> None:
    before = files(PROGRAM.format(asked=asked.format("self.seen[ids]")))["main.py"]
    texts, _ = fix_texts({"main.py": before})
    assert texts["main.py"] == before.replace("self.seen[ids]", "self.seen[ids.to(self.seen.device)]")
    assert check_texts(texts) == []


@pytest.mark.parametrize(
    "used", ["total = (scores[ids] * self.seen[ids]).sum()", "scores[ids] += self.seen[ids]"]
)
def test_what_goes_on_on_the_accelerator_is_looked_up_there(used: str) -> None:
    texts, _ = fix_texts(files(PROGRAM.format(asked=used)))
    assert "ids.to(self.seen.device)" not in texts["main.py"]
    assert check_texts(texts) == []


@pytest.mark.parametrize("asked", ASKED)
def test_indices_that_are_there_stay(asked: str) -> None:
    before = files(PROGRAM.format(asked=asked.format("self.seen[ids.cpu()]")))
    assert fix_texts(before)[0] == before
