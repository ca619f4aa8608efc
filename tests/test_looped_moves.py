"""A loop that moves what is in a list, in a tuple, or has names side by side, and keeps none of it: they get the copies."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import clashes, fix_texts

HEAD = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(2, 2).to(device)
x, y = torch.ones(1, 2), torch.zeros(1, 2)
"""
#: What is written, and what the loop becomes.
KEPT = {
    "names": (
        """\
        for each in (x, y):
            each = each.to(device)
        print(model(x) - y)
        """,
        """\
        x, y = x.to(device), y.to(device)
        print(model(x) - y)
        """,
    ),
    "statement": (
        """\
        for each in [x, y]:
            each.to(device, non_blocking=True)
        print(model(x) - y)
        """,
        """\
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        print(model(x) - y)
        """,
    ),
    "new list": (
        """\
        pair = [x, y]
        for each in pair:
            # all of it
            each = each.to(device)
        print(model(pair[0]) - pair[1])
        """,
        """\
        pair = [x, y]
        # all of it
        pair = [each.to(device) for each in pair]
        print(model(pair[0]) - pair[1])
        """,
    ),
    "comments": (
        """\
        for each in (
            x,  # first
            y,
        ):
            each = each.to(
                device,  # there
                non_blocking=True,
            )  # at last
        print(model(x) - y)
        """,
        """\
        # first
        # there
        # at last
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        print(model(x) - y)
        """,
    ),
    "tuple": (
        """\
        row = (x, y, 3)
        for each in row:
            if torch.is_tensor(each):
                each = each.to(device)
        print(model(row[0]) - row[1] * row[2])
        """,
        """\
        row = (x, y, 3)
        row = tuple(each.to(device) if torch.is_tensor(each) else each for each in row)
        print(model(row[0]) - row[1] * row[2])
        """,
    ),
    "batch of a loader": (
        """\
        loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(4, 2), torch.ones(4, 2)))
        for batch in loader:
            for part in batch:
                part = part.to(device)
            images, labels = batch
            print(model(images) - labels)
        """,
        """\
        loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(4, 2), torch.ones(4, 2)))
        for batch in loader:
            batch = [part.to(device) for part in batch]
            images, labels = batch
            print(model(images) - labels)
        """,
    ),
    "given back": (
        """\
        def moved(parts):
            for part in parts:
                part = part.to(device)
            return parts


        a, b = moved([x, y])
        print(model(a) - b)
        """,
        """\
        def moved(parts):
            parts = [part.to(device) for part in parts]
            return parts


        a, b = moved([x, y])
        print(model(a) - b)
        """,
    ),
    "list of an object": (
        """\
        class Memory:
            def __init__(self):
                self.states = [torch.zeros(1, 2), torch.ones(1, 2)]

            def move(self):
                for state in self.states:
                    state.to(device)


        memory = Memory()
        memory.move()
        print(model(x.to(device)) + memory.states[0])
        """,
        """\
        class Memory:
            def __init__(self):
                self.states = [torch.zeros(1, 2), torch.ones(1, 2)]

            def move(self):
                for i, state in enumerate(self.states):
                    self.states[i] = state.to(device)


        memory = Memory()
        memory.move()
        print(model(x.to(device)) + memory.states[0])
        """,
    ),
}
#: Loops whose results are used, or of which nobody can tell where they belong: they stay as they are.
LEFT = {
    "used in the round": """\
        for each in (x, y):
            each = each.to(device)
            print(each.shape)
        print(model(x) - y)
        """,
    "used behind": """\
        for each in (x, y):
            each = each.to(device)
        print(model(x) - y, each)
        """,
    "names of the file": """\
        def step():
            for each in (x, y):
                each = each.to(device)
            return model(x) - y


        print(step())
        """,
    "a parameter that is not read behind": """\
        def place(parts):
            for part in parts:
                part = part.to(device)


        pair = [x, y]
        place(pair)
        print(model(pair[0]) - pair[1])
        """,
    "a parameter that is handed on": """\
        def place(parts):
            for part in parts:
                part = part.to(device)
            return combine(parts)


        def combine(parts):
            return model(parts[0]) - parts[1]


        print(place([x, y]))
        """,
    "a leaf": """\
        scale = torch.ones(1, 2, requires_grad=True)
        for each in (scale, y):
            each = each.to(device)
        print(model(x.to(device)) * scale - y)
        """,
    "leaves in a list": """\
        weights = [torch.ones(1, 2, requires_grad=True), torch.zeros(1, 2)]
        for each in weights:
            each = each.to(device)
        print(model(x.to(device)) * weights[0] - weights[1])
        """,
    "a tuple with names": """\
        from collections import namedtuple

        Batch = namedtuple("Batch", ["first", "second"])
        batch = Batch(x, y)
        for each in batch:
            each = each.to(device)
        print(model(batch.first) - batch.second)
        """,
    "a property": """\
        class Pair:
            def __init__(self):
                self.held, self.other = x, y

            @property
            def first(self):
                return self.held

            def move(self):
                for each in (self.first, self.other):
                    each = each.to(device)


        pair = Pair()
        pair.move()
        print(model(pair.first) - pair.other)
        """,
    "a frozen class": """\
        from dataclasses import dataclass


        @dataclass(frozen=True)
        class Pair:
            first: torch.Tensor
            other: torch.Tensor


        pair = Pair(x, y)
        for each in (pair.first, pair.other):
            each = each.to(device)
        print(model(pair.first) - pair.other)
        """,
    "a typed tuple with names": """\
        from typing import NamedTuple


        class Pair(NamedTuple):
            first: torch.Tensor
            other: torch.Tensor


        pair = Pair(x, y)
        for each in (pair.first, pair.other):
            each = each.to(device)
        print(model(pair.first) - pair.other)
        """,
    "deleted behind": """\
        pair = [x, y]
        for each in pair:
            each = each.to(device)
        del each
        print(model(pair[0]) - pair[1])
        """,
    "the body of a class": """\
        class Data:
            place = device
            pair = (x, y)
            for each in pair:
                each = each.to(place)
            print(model(pair[0]) - pair[1])
        """,
    "copies that do not move": """\
        pair = [x.to(device), y]
        for each in pair:
            each = each.clone()
        print(model(pair[0]) - pair[1])
        """,
    "a cast of one": """\
        row = [x, y, torch.ones(2, dtype=torch.float64)]
        for each in row:
            each = each.to(device, torch.float32)
        print(model(row[0]) - row[1], row[2].dtype)
        """,
    "a cast to what another one is": """\
        other, counts = torch.ones(2, device=device), torch.ones(1, 2, dtype=torch.int64)
        for each in (x, counts):
            each = each.to(other)
        print(model(x) * counts, counts.dtype)
        """,
    "a list in one call and a tuple in another": """\
        def moved(parts):
            for part in parts:
                part = part.to(device)
            return parts


        a, b, c = moved((x, y)) + (3,)
        pair = moved([x, y])
        print(model(pair[0]) - pair[1] * c)
        """,
    "a list where a call has an empty tuple": """\
        def moved(parts=()):
            for part in parts:
                part = part.to(device)
            return parts


        pair = moved([x, y])
        print(model(pair[0]) - pair[1], moved() == ())
        """,
    "a list of one object and a tuple of another": """\
        class Memory:
            def __init__(self, states):
                self.states = states

            def move(self):
                for state in self.states:
                    state = state.to(device)


        first, second = Memory([x, y]), Memory((x, y))
        first.move()
        second.move()
        print(model(first.states[0]) - second.states[1])
        """,
    "what is only like a list": """\
        from collections import deque

        for queue in [deque([x, y])]:
            for each in queue:
                each = each.to(device)
            print(model(queue.popleft()))
        """,
    "what is made in the loop": """\
        for each in (x + 1, y):
            each = each.to(device)
        print(model(x) - y)
        """,
}


@pytest.mark.parametrize("form", KEPT)
def test_the_copies_are_kept_in_the_place_of_what_was_moved(form: str) -> None:
    before, after = (HEAD + dedent(text) for text in KEPT[form])
    assert fix_texts({"main.py": before})[0]["main.py"] == after
    assert clashes(after) == []
    assert clashes(before) != []


@pytest.mark.parametrize("form", LEFT)
def test_another_loop_stays_as_it_is_and_what_is_used_moves_elsewhere(form: str) -> None:
    before = HEAD + dedent(LEFT[form])
    after = fix_texts({"main.py": before})[0]["main.py"]
    loop = before[before.index("    for " if "    for " in before else "for ") :].partition("print(")[0]
    assert loop in after
    assert clashes(after) == []


def test_a_list_that_others_have_changes_in_place() -> None:
    text = HEAD + dedent("""\
        class Memory:
            def __init__(self):
                self.states = [torch.zeros(1, 2)]

            def move(self):
                states = self.states
                for state in states:
                    state = state.to(device)
                states.append(torch.ones(1, 2, device=device))


        memory = Memory()
        memory.move()
        print(model(x.to(device)) + memory.states[0])
        """)
    expected = text.replace("for state in states:", "for i, state in enumerate(states):")
    expected = expected.replace("state = state.to(device)", "states[i] = state.to(device)")
    assert fix_texts({"main.py": text})[0]["main.py"] == expected


def test_modules_move_in_place_and_what_is_kept_is_not_lost() -> None:
    text = HEAD + dedent("""\
        head = torch.nn.Linear(2, 1)
        for part in (model, head):
            part = part.to(device)
        pair = [x, y]
        for i, each in enumerate(pair):
            pair[i] = each.to(device)
        print(head(model(pair[0]) - pair[1]))
        """)
    assert clashes(text) == []
    assert fix_texts({"main.py": text})[0]["main.py"] == text
