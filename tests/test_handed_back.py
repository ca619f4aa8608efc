"""What processes of a pool hand back: they leave it on the CPU where they cannot use the accelerator."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

SCRIPT = """
import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def encode(n):
    x = torch.zeros(4)
    x[n] = 1.0
    return {returned}

def example(n):
    return encode(n), n

def joined(n, m):
    return encode(n), m

if __name__ == "__main__":
    net = torch.nn.Linear(4, 1).to(device)
    rows = {rows}
    for x, n in rows:
        print(net({used}), n)
"""
MAPS = [
    "mp.Pool(2).map(example, range(4))",
    "list(mp.Pool(2).imap_unordered(example, range(4)))",
    "mp.get_context('fork').Pool(2).starmap(joined, [(1, 2), (3, 0)])",
    "[mp.Pool(2).apply(example, (1,))]",
    "ProcessPoolExecutor(2, mp_context=mp.get_context('fork')).map(example, range(4))",
    "[mp.Pool(2).apply_async(example, (1,)).get()]",
    "mp.Pool(2).map_async(example, range(4)).get()",
    "[ProcessPoolExecutor(2).submit(example, 1).result()]",
]


def _script(returned: str, rows: str, used: str) -> str:
    return SCRIPT.format(returned=returned, rows=rows, used=used)


def _changed(text: str, wanted: Applicability = Applicability.SAFE) -> list[str]:
    after = fix_texts({"main.py": text}, wanted)[0]["main.py"]
    return [line.strip() for line in after.splitlines() if line not in text.splitlines()]


@pytest.mark.parametrize("rows", MAPS)
def test_what_is_handed_back_is_not_moved_before(rows: str) -> None:
    text = _script("x.to(device)", rows, "x.to(device)")
    assert [each.partition(": ")[2] for each in clashes(text)] == ["fork"]
    assert _changed(text) == ["return x"]


@pytest.mark.parametrize("rows", MAPS)
def test_who_takes_it_moves_it(rows: str) -> None:
    assert _changed(_script("x.to(device)", rows, "x")) == ["return x", "x = x.to(device)"]


@pytest.mark.parametrize("rows", MAPS)
def test_what_arrives_is_where_it_was(rows: str) -> None:
    assert [each.partition(": ")[2] for each in clashes(_script("x", rows, "x"))] == ["device"]
    assert _changed(_script("x", rows, "x")) == ["x = x.to(device)"]
    assert clashes(_script("x", rows, "x.to(device)")) == []


@pytest.mark.parametrize(
    "returned", ["x.to(device).sum()", "net.to(device)(x)", "torch.ones(4, device=device) * x"]
)
def test_what_is_computed_on_the_accelerator_is_spawned(returned: str) -> None:
    text = _script(returned, MAPS[0], "x.to(device)")
    assert not any("return" in line for line in _changed(text, Applicability.UNSAFE))


def test_processes_that_are_spawned_hand_back_what_they_made_where_they_made_it() -> None:
    rows = "mp.get_context('spawn').Pool(2).map(example, range(4))"
    assert _changed(_script("x", rows, "x")) == ["x = x.to(device)"]
    assert clashes(_script("x.to(device)", rows, "x")) == []


def test_objects_come_as_copies_of_which_nothing_is_known() -> None:
    text = _script("torch.nn.Linear(4, 4)", MAPS[0], "next(x.parameters())")
    assert clashes(text) == []


def test_parameters_and_what_is_held_comes_as_it_was() -> None:
    assert [each.partition(": ")[2] for each in clashes(_script("torch.nn.Parameter(x)", MAPS[0], "x"))] == [
        "device"
    ]
    assert [each.partition(": ")[2] for each in clashes(_script("{'x': [x]}", MAPS[0], "x['x'][0]"))] == [
        "device"
    ]
    assert clashes(_script("{'x': [x]}", MAPS[0], "x['x'][0].to(device)")) == []


def test_a_process_hands_nothing_back() -> None:
    text = _script("x.to(device)", "[]", "x") + "    mp.Process(target=encode, args=(1,)).start()\n"
    assert not any(line == "return x" for line in _changed(text, Applicability.UNSAFE))
