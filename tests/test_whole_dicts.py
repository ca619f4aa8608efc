"""A dict of tensors that a function returned moves as a whole, where several of its entries have to."""

from __future__ import annotations

import difflib

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
    import torch
    from data import load
    {device}

    def main():
        data = load()
        model = torch.nn.Linear(3, 1){moved}
        for _ in range(3):
            loss = ({call} - {target}).pow(2).mean()
            loss.backward()
        {after}

    main()
"""
LOAD = """
    import torch

    def load():
        x = torch.ones(8, 3)
        y = x.sum(1, keepdim=True)
        return {"x": x, "y": y, "mask": y > 0}
"""
CHOICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'
WHOLE = "data = {k: v.to(device) for k, v in data.items()}"


def _added(
    *,
    call: str = 'model(data["x"])',
    target: str = 'data["y"]',
    after: str = "",
    load: str = LOAD,
    adopt: bool = False,
    main: str = PROGRAM,
) -> list[str]:
    filled = main.format(
        device="" if adopt else CHOICE,
        moved="" if adopt else ".to(device)",
        call=call,
        target=target,
        after=after,
    )
    before = files(filled, data=load)
    after_it = fix_texts(before, Applicability.UNSAFE, adopt=adopt)[0]
    return [
        line[1:].strip()
        for path in before
        for line in difflib.ndiff(before[path].splitlines(), after_it[path].splitlines())
        if line.startswith("+") and line[1:].strip()
    ]


@pytest.mark.parametrize("call", ['model(data["x"])', 'model(data["x"][data["mask"][:, 0]])'])
def test_it_moves_once(call: str) -> None:
    assert _added(call=call) == [WHOLE]


def test_it_moves_once_where_the_program_is_given_its_device() -> None:
    assert [line for line in _added(adopt=True) if "data" in line] == [WHOLE]


def test_an_entry_that_alone_has_to_moves_by_itself() -> None:
    assert WHOLE not in _added(target="1.0")


@pytest.mark.parametrize(
    "after",
    [
        'print(data["mask"].numpy())',
        "print(len(data))",
        'data["x"] = data["x"] + 1',
        'data["mask"].to(device)',
    ],
)
def test_one_that_is_asked_for_otherwise_does_not(after: str) -> None:
    assert WHOLE not in _added(after=after)


def test_one_that_holds_other_things_does_not() -> None:
    assert WHOLE not in _added(load=LOAD.replace('"mask": y > 0', '"mask": "none"'))


def test_one_that_moves_already_is_left_alone() -> None:
    main = PROGRAM.replace(
        "data = load()", f"data = load()\n        {WHOLE}".replace("{", "{{").replace("}", "}}")
    )
    assert _added(main=main) == []


HANDED = PROGRAM.replace(
    "    def main():",
    """    def score(scale, values):
        return {read}

    def main():""",
)


def _handed(read: str, call: str = "score(1.0, data)") -> list[str]:
    return _added(main=HANDED.replace("{read}", read), call=f'(model(data["x"]) + {call})')


def test_one_that_a_function_reads_by_entries_as_well_moves_once() -> None:
    assert _handed('scale * values["y"]') == [WHOLE]


@pytest.mark.parametrize(
    ("read", "call"),
    [
        ('scale * values["y"].numpy().sum()', "score(1.0, data)"),
        ("scale * len(values)", "score(1.0, data)"),
        ('scale * values["y"]', "score(*(1.0, data))"),
        ('scale * values["y"]', "(score or score)(1.0, data)"),
    ],
)
def test_one_that_is_given_to_what_may_do_otherwise_does_not(read: str, call: str) -> None:
    assert WHOLE not in _handed(read, call)


def test_what_is_computed_of_entries_moves_with_the_whole() -> None:
    call = 'model(data["x"] * 2 + data["x"][:1])'
    assert _added(call=call, target='(-data["y"].abs())') == [WHOLE]


def test_what_an_entry_only_selects_from_something_else_does_not_move_the_whole() -> None:
    call, load = (
        'model(torch.ones(3, 3)[data["i"]])',
        LOAD.replace('"mask": y > 0', '"i": y.long()[:, 0] * 0'),
    )
    assert WHOLE not in _added(call=call, target="1.0", load=load)


AGAIN = PROGRAM.replace("        model =", "        {before}\n        model =")


@pytest.mark.parametrize(
    ("before", "after", "moves"),
    [
        ("data = load()", "data = load()\n        print((model(data['x']) - data['y']).sum())", 2),
        ("pass", "for _ in range(2):\n            data = load()\n            print((model(data['x']) - data['y']).sum())", 2),
        ("pass", "if loss > 0:\n            data = load()\n        print((model(data['x']) - data['y']).sum())", 1),
        ("pass", "for _ in range(2):\n            print((model(data['x']) - data['y']).sum())\n            data = load()", 1),
    ],
)  # fmt: skip
def test_one_that_is_loaded_again_moves_each_time(before: str, after: str, moves: int) -> None:
    assert _added(main=AGAIN.replace("{before}", before), after=after).count(WHOLE) == moves


BESIDE = PROGRAM.replace("data = load()", "{names} = load()")
PAIR = LOAD.replace(
    'return {"x": x, "y": y, "mask": y > 0}', 'return {"x": x, "y": y}, [1, 2], torch.arange(8)'
)


@pytest.mark.parametrize("names", ["data, sizes, index", "(data, *rest)", "[data, sizes, index]"])
def test_one_that_is_returned_beside_other_things_moves_as_a_whole(names: str) -> None:
    main = BESIDE.replace("{names}", names)
    assert _added(main=main, load=PAIR) == [WHOLE]


@pytest.mark.parametrize("entry", ['"size": len(x)', '"names": ["a"]', '"none": None'])
def test_one_of_other_things_than_tensors_that_is_returned_beside_others_does_not(entry: str) -> None:
    load = PAIR.replace('"y": y}', f'"y": y, {entry}}}')
    assert WHOLE not in _added(main=BESIDE.replace("{names}", "data, sizes, index"), load=load)
