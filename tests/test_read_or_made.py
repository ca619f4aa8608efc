"""What a function reads from a file where there is one is what it makes where there is none."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import os
import pickle
import torch
from torch import nn

def rows(path):
    {body}

net = nn.Linear(3, 2).cuda()
data, count = rows("rows.pkl")
for x in data:
    net(x)
"""
READ_FIRST = """
    if os.path.exists(path):
        data, count = pickle.load(open(path, "rb"))
        return data, count
    data = [torch.ones(4, 3) for _ in range(6)]
    return data, len(data)
"""
MADE_FIRST = """
    if not os.path.isfile(path):
        data = [torch.ones(4, 3) for _ in range(6)]
        return data, 6
    with open(path, "rb") as file:
        data = pickle.load(file)
    return data, len(data)
"""
WHOLE = """
    if os.path.exists(path):
        return pickle.load(open(path, "rb"))
    return [torch.ones(4, 3) for _ in range(6)], 6
"""


@pytest.mark.parametrize("body", [READ_FIRST, MADE_FIRST, WHOLE])
def test_what_is_read_is_what_is_made(body: str) -> None:
    assert clashes(PROGRAM.format(body=body.strip()))
    assert not clashes(PROGRAM.format(body=body.strip()).replace("(4, 3)", "(4, 3).cuda()"))


@pytest.mark.parametrize("test", ["len(path) > 4", "path.endswith('pkl')", "known(path)"])
def test_what_another_test_reads_is_anything(test: str) -> None:
    head = "from somewhere import known\n"
    body = READ_FIRST.strip().replace("os.path.exists(path)", test)
    assert not clashes(head + PROGRAM.format(body=body))


def test_what_is_known_on_both_paths_is_either() -> None:
    body = WHOLE.strip().replace('pickle.load(open(path, "rb"))', "[torch.ones(4, 3).cuda()], 1")
    assert not clashes(PROGRAM.format(body=body))


def test_nothing_where_no_file_is_tells_nothing_of_one() -> None:
    body = WHOLE.strip().replace("[torch.ones(4, 3) for _ in range(6)], 6", "None, 0")
    assert not clashes(PROGRAM.format(body=body))
