"""A program that chooses its device in one place is not given a second choice: the one that is there is handed on or imported."""

from __future__ import annotations

import difflib
from textwrap import indent

import pytest
from text_program import Texts, files, fix_texts

from devfix.findings import Applicability

CHOICE = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'


def added(texts: Texts) -> list[str]:
    """The lines that the repair adds."""
    after = fix_texts(texts, Applicability.UNSAFE)[0]
    return [
        line[1:].strip()
        for path in texts
        for line in difflib.ndiff(texts[path].splitlines(), after[path].splitlines())
        if line.startswith("+") and line[1:].strip()
    ]


BUILDING = """
    import torch
    from torch import nn

    class Prior(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.register_buffer("p", torch.ones(size))

        def forward(self, x):
            return (x * self.p).mean()

    def build(size):
        return Prior(size)
"""
RUNNER = """
import torch
from building import build

class Runner:
    def __init__(self, config):
        self.device = torch.device(config["device"] or "cuda")
        self.head = torch.nn.Linear(3, 3).to(self.device)
{made}

    def step(self):
        y = self.head(torch.ones(2, 3, device=self.device))
        return sum(loss(y) for loss in self.losses{values})

Runner({{"device": None}}).step()
"""


@pytest.mark.parametrize(
    ("made", "values", "moved"),
    [
        ("self.losses = [build(3) for _ in range(2)]", "", "self.losses = [build(3).to(self.device) for _ in range(2)]"),
        ("self.losses = [build(3)]", "", "self.losses = [build(3).to(self.device)]"),
        ('self.losses = {n: build(3) for n in "ab"}', ".values()", 'self.losses = {n: build(3).to(self.device) for n in "ab"}'),
        ('self.losses = {"a": build(3)}', ".values()", 'self.losses = {"a": build(3).to(self.device)}'),
        ("self.losses = []\nfor n in (3, 3):\n    self.losses.append(build(n))", "", "self.losses.append(build(n).to(self.device))"),
        ('self.losses = {}\nfor n in "ab":\n    self.losses[n] = build(3)', ".values()", "self.losses[n] = build(3).to(self.device)"),
    ],
)  # fmt: skip
def test_modules_that_another_file_makes_move_where_they_are_collected(
    made: str, values: str, moved: str
) -> None:
    main = RUNNER.format(made=indent(made, " " * 8), values=values)
    assert added(files(main, building=BUILDING)) == [moved]


def test_where_modules_that_move_are_collected_nothing_is_done() -> None:
    made = "self.losses = [build(3).to(self.device) for _ in range(2)]"
    main = RUNNER.format(made=indent(made, " " * 8), values="")
    assert added(files(main, building=BUILDING)) == []


TOLD = """
    import argparse
    import torch
    from torch.distributions import Normal, kl_divergence

    def objective(size, scale=1.0):
        prior = Normal(torch.zeros(size), torch.ones(size))

        def measure(q):
            return kl_divergence(q, prior).sum() * scale

        return measure

    {between}

    def main():
        parser = argparse.ArgumentParser()
        parser.add_argument("--no-gpu", action="store_true")
        args = parser.parse_args()
        args.device = torch.device("cuda" if torch.cuda.is_available() and not args.no_gpu else "cpu")
        x = torch.ones(4, device=args.device)
        measure = {made}
        print(measure(Normal(x, x)))

    main()
"""
MAKING = 'def objective(size, scale=1.0, device="cpu"):'
MADE = "prior = Normal(torch.zeros(size, device=device), torch.ones(size, device=device))"


def told(made: str, between: str = "") -> list[str]:
    """The lines that the repair adds to a program whose function makes a prior."""
    return added(files(TOLD.format(made=made, between=between)))


def test_a_function_is_told_the_device_by_its_caller() -> None:
    assert told("objective(4)") == [MAKING, MADE, "measure = objective(4, device=args.device)"]


def test_a_function_in_between_hands_it_on() -> None:
    between = "def scaled(size):\n        return objective(size, scale=2.0)"
    assert told("scaled(4)", between) == [
        MAKING,
        MADE,
        'def scaled(size, device="cpu"):',
        "return objective(size, scale=2.0, device=device)",
        "measure = scaled(4, device=args.device)",
    ]


@pytest.mark.parametrize(
    ("made", "between"),
    [
        ("kinds['plain'](4)", "kinds = {'plain': objective}"),
        ("objective(**{'size': 4})", ""),
        ("objective(4)", "again = map(objective, [3])"),
    ],
)
def test_a_function_whose_calls_are_not_all_seen_is_not_told(made: str, between: str) -> None:
    assert not any("def objective" in line for line in told(made, between))


SETTINGS = f"""
    import torch

    device = {CHOICE}
"""
FIRST = """
    import torch
    {imported} import device
    from parts import Head

    print(Head()(torch.ones(2, 3, device=device)))
"""
PARTS = """
    import torch

    tables = {"one": torch.ones(3)}

    class Head:
        def __call__(self, x):
            return tables["one"].mul(x)
"""


def test_where_a_file_has_no_device_it_imports_the_one_that_others_do() -> None:
    parts = PARTS + "\n    layer = torch.nn.Linear(3, 3)\n    Head.__call__ = lambda self, x: layer(x)\n"
    lines = added(files(FIRST.format(imported="from settings"), settings=SETTINGS, parts=parts))
    assert lines == ["from settings import device", "layer = torch.nn.Linear(3, 3).to(device)"]


def test_where_a_choice_cannot_be_imported_only_the_very_same_is_made_again() -> None:
    parts = PARTS + "\n    layer = torch.nn.Linear(3, 3)\n    Head.__call__ = lambda self, x: layer(x)\n"
    main = FIRST.format(imported="from torch import nn  # no").replace(
        "from torch import nn  # no import device", "import sys"
    )
    there = main.replace("print(", 'device = torch.device("cuda:0")\n    print(')
    assert not any(CHOICE in line for line in added(files(there, parts=parts)))
    alike = main.replace("print(", f"device = {CHOICE}\n    print(")
    assert [line for line in added(files(alike, parts=parts)) if CHOICE in line] == [f"device = {CHOICE}"]


def test_a_program_in_one_file_may_still_choose() -> None:
    main = """
        import torch

        layer = torch.nn.Linear(3, 3)

        def run(x):
            return layer(x.cuda())

        print(run(torch.ones(2, 3)))
    """
    assert len(added(files(main))) > 0


CACHE = """
    import torch

    class Cache:
        def __init__(self, keys):
            self.keys = keys

        {decorated}
        def allocate({first}size, dtype):
            make = lambda: torch.zeros(4, size, dtype=dtype)
            return Cache(make())

        def update(self, keys, at):
            {write}
            return self.keys[: at + len(keys)]
"""
DECODER = """
    import torch
    from cache import Cache

    class Decoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.key = torch.nn.Linear(3, 3)

        def forward(self, x, cache, at):
            keys = cache.update(self.key(x), at)
            return x @ keys.t()

    class Engine:
        def __init__(self, model):
            self.model = model
            p = next(model.parameters())
            self.cache = {made}

        def run(self, x):
            return [self.model(x, self.cache, at) for at in range(2)]

    def main():
        device = "cuda" if torch.cuda.is_available() else "cpu"
        print(Engine(Decoder().to(device)).run(torch.ones(2, 3, device=device)))

    main()
"""


def cached(
    write: str, made: str = "Cache.allocate(3, p.dtype)", decorated: str = "@staticmethod"
) -> list[str]:
    """The lines that the repair adds to a decoder with a cache."""
    first = "cls, " if decorated == "@classmethod" else ""
    cache = CACHE.format(write=write, decorated=decorated, first=first)
    return added(files(DECODER.format(made=made), cache=cache))


@pytest.mark.parametrize("decorated", ["@staticmethod", "@classmethod"])
def test_the_buffers_of_a_cache_are_allocated_where_they_are_filled_from(decorated: str) -> None:
    first = "cls, " if decorated == "@classmethod" else ""
    assert cached("self.keys[at : at + len(keys)] = keys", decorated=decorated) == [
        "self.cache = Cache.allocate(3, p.dtype, device=p.device)",
        f'def allocate({first}size, dtype, device="cpu"):',
        "make = lambda: torch.zeros(4, size, dtype=dtype, device=device)",
    ]


@pytest.mark.parametrize(
    ("write", "made"),
    [
        (
            "self.keys[at] = torch.arange(3)",
            "Cache.allocate(3, p.dtype)",
        ),  # a store on the host, filled from there
        ("self.keys[at : at + len(keys)] = keys", "next(map(Cache.allocate, [3], [p.dtype]))"),
    ],
)
def test_what_is_no_cache_of_the_accelerators_is_not_allocated_there(write: str, made: str) -> None:
    assert not any("def allocate" in line for line in cached(write, made))


STATE = """
    import torch
    from typing import NamedTuple

    class State(NamedTuple):
        h: torch.Tensor
        c: torch.Tensor
        steps: torch.Tensor

    class Cell(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 3)

        def initial(self, n):
            return {made}

        def forward(self, n):
            state = self.initial(n)
            return self.layer({read})

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(Cell().to(device)(2))
"""


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("State(torch.zeros(n, 3), torch.ones(n, 3), torch.zeros(n))", 3),
        ("(torch.zeros(n, 3), torch.ones(n, 3))", 2),
        ("State(torch.zeros(n, 3), torch.ones(n, 3), torch.zeros(n, dtype=torch.long))", 2),
        ("State(torch.zeros(n, 3), c=torch.ones(n, 3), steps=torch.arange(n))", 2),
    ],
)
def test_what_a_module_makes_for_one_record_is_made_in_one_place(made: str, told: int) -> None:
    read = "state.h" if made.startswith("State") else "state[0]"
    lines = added(files(STATE.format(made=made, read=read)))
    assert sum(line.count("device=") for line in lines) == told
