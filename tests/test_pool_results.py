"""What a pool of processes gives back is where the function left it, and what the function does beside that stays there."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import concurrent.futures
import multiprocessing

import torch
import torch.multiprocessing
from torch import nn

KEPT = []


def made(number, *more):
    KEPT.append(number)
    return {made}


if __name__ == "__main__":
    device = torch.device("cuda")
    {asked}
    net = nn.Linear(4, 2).to(device)
    print(net(x))
"""
POOLS = [
    "x = multiprocessing.Pool(2).map(made, [1, 2])[0]",
    "x = torch.stack(multiprocessing.Pool(2).map(made, range(9), 3))",
    "x = list(multiprocessing.get_context('spawn').Pool(2).imap_unordered(made, [1]))[0]",
    "x = torch.multiprocessing.Pool(2).apply(made, (1,))",
    "x = multiprocessing.Pool(2).apply_async(made, (1,)).get()",
    "x = multiprocessing.Pool(2).starmap_async(made, [(1, 2), (3, 4)]).get()[0]",
    "x = concurrent.futures.ProcessPoolExecutor(2).submit(made, 1).result()",
    "x = next(concurrent.futures.ProcessPoolExecutor(2).map(made, [1, 2], [3, 4]))",
]


def _clashes(made: str, asked: str) -> list[str]:
    return clashes(PROGRAM.format(made=made, asked=asked))


@pytest.mark.parametrize("asked", POOLS)
def test_what_a_function_makes_in_another_process_is_where_it_made_it(asked: str) -> None:
    (found,) = _clashes("torch.zeros(4)", asked)
    assert found.endswith(": device")
    moved = asked + "; x = x.to(device)"
    assert _clashes("torch.zeros(4)", moved) == []


def test_an_object_that_is_called_in_another_process_gives_what_its_class_says() -> None:
    program = """
        import multiprocessing
        import torch

        class Maker:
            def __call__(self, number):
                return torch.zeros(4{place})

        if __name__ == "__main__":
            x = multiprocessing.get_context("spawn").Pool(2).map(Maker(), [1, 2])[0]
            x + torch.ones(4, device="cuda")
    """
    assert clashes(program.format(place="")) == ["11: device"]
    assert clashes(program.format(place=", device='cuda'")) == []


@pytest.mark.parametrize("asked", POOLS)
def test_of_what_a_library_makes_there_nothing_is_known(asked: str) -> None:
    assert _clashes("library.read(number)", asked) == []


def test_what_a_function_changes_in_another_process_is_not_changed_here() -> None:
    program = """
        import multiprocessing
        import torch
        from torch import nn

        net = nn.Linear(4, 2)

        def work(number):
            net.double()
            return net(torch.zeros(4, dtype=torch.float64))

        if __name__ == "__main__":
            print(multiprocessing.Pool(2).map(work, [1, 2]))
            print(net(torch.zeros(4{dtype})))
    """
    assert clashes(program.format(dtype="")) == []
    assert clashes(program.format(dtype=", dtype=torch.float64")) == ["14: dtype"]
