"""Worklists: what ``while todo:`` takes one after the other is judged thing by thing."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes, files, fix_texts

HEAD = """
    import sys
    from collections import deque

    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.ones(4, device=device)

    class Node:
        def __init__(self, value, below=(), next=None):
            self.value, self.below, self.next = value, list(below), next
"""
CPU, THERE = "torch.ones(4)", "torch.ones(4, device=device)"
#: Of all that is taken one thing is on the CPU.
TAKEN = [
    """
    todo = [x, MADE, x]
    while todo:
        x = x + todo.pop()
    """,
    """
    todo = deque([("a", x), ("b", MADE)])
    while len(todo) > 0:
        name, value = todo.popleft()
        x = x + value
    """,
    """
    todo = {"a": x, "b": MADE}
    while todo:
        name, value = todo.popitem()
        x = x + value
    """,
    """
    todo = [Node(x, [Node(x, [Node(MADE)])])]
    while todo:
        node = todo.pop()
        x = x + node.value
        todo.extend(node.below)
    """,
    """
    level = [Node(x, [Node(x), Node(MADE)])]
    while level:
        for node in level:
            x = x + node.value
        level = [each for node in level for each in node.below]
    """,
    """
    node = Node(x, next=Node(x, next=Node(x, next=Node(MADE))))
    while node is not None:
        x = x + node.value
        node = node.next
    """,
    """
    table = {"a": (x, ["b"]), "b": (x, ["c"]), "c": (MADE, [])}
    todo = ["a"]
    while todo:
        value, names = table[todo.pop()]
        x = x + value
        todo += names
    """,
    """
    todo = [x, MADE, x]
    while len(todo) > 1:
        todo.append(todo.pop() + todo.pop())
    """,
]


#: What is asked of these is whether they are None, which an empty list or an object without a length is not.
NOT_NONE = [
    """
    found = []
    while found is not None:
        x = x + MADE
        found = None if x.sum() > 9 else [x]
    """,
    """
    class Rows(list):
        pass

    rows = Rows()
    while rows is not None:
        x = x + MADE
        rows = None if x.sum() > 9 else rows
    """,
    """
    class Sized:
        def __len__(self):
            return 0

    sized = Sized()
    while sized is not None:
        x = x + MADE
        sized = None if x.sum() > 9 else sized
    """,
]


@pytest.mark.parametrize("asked", NOT_NONE)
def test_what_is_empty_is_not_none(asked: str) -> None:
    before, right = (files(HEAD + asked.replace("MADE", made))["main.py"] for made in (CPU, THERE))
    assert len(set(clashes(before))) == 1
    assert clashes(right) == []


@pytest.mark.parametrize("taken", TAKEN)
def test_each_thing_that_is_taken(taken: str) -> None:
    before, right = (files(HEAD + taken.replace("MADE", made))["main.py"] for made in (CPU, THERE))
    assert len(clashes(before)) == 1
    assert clashes(right) == []
    assert fix_texts({"main.py": before})[0]["main.py"] == right


@pytest.mark.parametrize(
    "right",
    [
        """
    todo = [(torch.ones(4), True)]
    while todo:
        value, is_new = todo.pop()
        if is_new:
            value = value.to(device)
        x = x + value
        if x.sum() < 9:
            todo.append((value, False))
    """,
        """
    todo = [torch.ones(4) for _ in range(3)]
    moved = []
    while todo:
        moved.append(todo.pop().to(device))
    x = torch.stack(moved).sum(0) + x
    """,
        """
    todo, found = [[torch.ones(4)], torch.ones(4)], []
    while todo:
        part = todo.pop()
        if isinstance(part, list):
            todo.extend(part)
        else:
            found.append(part.to(device))
    for each in found:
        x = x + each
    """,
        """
    todo = [torch.ones(4)]
    while todo:
        value = todo.pop()
        if len(sys.argv) > 5:
            break
        todo.append(value.to(device))
        if value.device == x.device:
            x = x + value
    """,
        """
    node = Node(torch.ones(4), next=Node(torch.ones(4)))
    begin = node
    while node is not None:
        node.value = node.value.to(device)
        node = node.next
    x = x + begin.value + begin.next.value
    """,
    ],
)
def test_what_moves_before_it_is_used(right: str) -> None:
    assert clashes(HEAD + right) == []


def test_what_is_known_when_all_was_taken() -> None:
    text = """
todo, done = [1, 2, 3], []
while todo:
    done.append(todo.pop())
first, last = done[0], done[-1]
many, count = list(range(40)), 0
while many:
    number = many.pop()
    count += 1
steps, kept = [1], []
while steps and len(kept) < 20:
    kept.append(steps.pop())
    steps.append(kept[-1] + 1)
grown = kept[-1]
"""
    assert lies(text) == []
