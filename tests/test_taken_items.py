"""Items that are taken out of a list, moved and put back: in the end all of them have moved."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

HEAD = """
import heapq
from collections import deque

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(4, device=device)
"""
ROTATIONS = [
    """
kept = deque([torch.ones(4), torch.ones(4)])
for _ in range(len(kept)):
    kept.append(kept.popleft().to(device))
""",
    """
kept = [torch.ones(4), torch.ones(4)]
for _ in range(len(kept)):
    kept.append(kept.pop(0).to(device))
""",
    """
kept = [torch.ones(4), torch.ones(4)]
for _ in range(len(kept)):
    kept.insert(0, kept.pop().to(device))
""",
    """
kept = [torch.ones(4)]
for each in list(kept):
    kept.remove(each)
    kept.append(each.to(device))
""",
    """
kept = [torch.ones(4), torch.ones(4)]
for _ in range(len(kept)):
    each = kept[0]
    del kept[0]
    kept.append(each.to(device))
""",
    """
kept = deque([torch.ones(4)] * 40)
for _ in range(len(kept)):
    kept.append(kept[0].to(device))
    kept.popleft()
""",
    """
kept = [(number, torch.ones(4)) for number in range(40)]
for _ in range(len(kept)):
    kept.append((kept[0][0], kept[0][1].to(device)))
    del kept[0]
kept = [each for _, each in kept]
""",
    """
heap = [(number, torch.ones(4)) for number in range(3)]
for _ in range(3):
    number, each = heapq.heappop(heap)
    heapq.heappush(heap, (number + 3, each.to(device)))
kept = [each for _, each in heap]
""",
]


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_what_was_put_back_has_moved(rotation: str) -> None:
    text = f"{HEAD}{rotation}x = x + kept[0]\n"
    assert clashes(text) == []
    assert clashes(text.replace(".to(device)", "")) == [f"{text.count(chr(10))}: device"]


def test_what_fails_while_it_is_taken_out() -> None:
    text = f"{HEAD}todo = [torch.ones(4), torch.ones(4)]\nwhile todo:\n    x = x + todo.pop()\n    todo.append(x)\n"
    assert clashes(text) == [f"{text.count(chr(10)) - 1}: device"]


def test_where_items_are_that_came_from_the_left() -> None:
    text = """
from collections import deque

both = deque([1])
both.extendleft([2, 3])
first, second, last = both[0], both[1], both[-1]
short = deque([1], maxlen=2)
short.extendleft([2, 3])
begin = short[0]
any_way = deque([1])
any_way.extendleft(n for n in range(50) if n % 2)
left = any_way[0]
del both, short, any_way, deque
"""
    assert lies(text) == []
    assert clashes(f"""{HEAD}
both = deque([x])
both.extendleft([torch.ones(4)])
y = x + both[1]
x = x + both[0]
""") == [f"{(HEAD).count(chr(10)) + 5}: device"]


@pytest.mark.parametrize("emptied", ["del kept[:]", "kept.clear()", "del kept[0:2]", "kept[:] = []"])
def test_a_list_that_is_filled_anew(emptied: str) -> None:
    text = f"""{HEAD}
kept = [torch.ones(4), torch.ones(4)]
moved = [each.to(device) for each in kept]
{emptied}
for each in moved:
    kept.append(each)
x = x + kept[0]
"""
    assert clashes(text) == []
    assert clashes(text.replace(".to(device)", "")) == [f"{text.count(chr(10))}: device"]


def test_where_items_are_in_what_is_left() -> None:
    text = """
turned, cut, tail, rest = [1, 2, 3], [1, 2, 3, 4], [1, 2, 3], [1, 2, 3]
turned.reverse()
del cut[1:3]
del tail[-1:]
del rest[::2]
first, second, third, fourth = turned[0], cut[1], tail[-1], rest[0]
grown = []
for number in range(48):
    grown.append(number)
    if number % 7 == 0:
        del grown[:]
last = grown[-1]
"""
    assert lies(text) == []
