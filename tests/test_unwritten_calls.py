"""Functions that a library calls: no call of a factory stands there that could be given a device, so what comes of it moves."""

from __future__ import annotations

import pytest
from text_program import Ending, clashes, files, fix_texts

from devfix.analysis.domain.values import UNKNOWN

HEAD = """
    import asyncio
    import contextvars
    from concurrent.futures import ThreadPoolExecutor
    from functools import partial
    from multiprocessing.pool import ThreadPool

    import torch

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.ones(4, device=device)
"""


def repaired(body: str) -> str:
    """The program after its safe fixes, with nothing left to find."""
    [(_, text)] = files(HEAD + body).items()
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert clashes(text)
    assert clashes(after) == []
    return after.replace(files(HEAD)["main.py"], "")


@pytest.mark.parametrize(
    ("made", "moved"),
    [
        ("[*ThreadPoolExecutor().map(torch.ones, [4])][0]", None),
        ("ThreadPool(2).apply(torch.ones, (4,))", "ThreadPool(2).apply(torch.ones, (4,)).to(device)"),
        ("ThreadPool(2).apply_async(torch.ones, (4,)).get()", None),
        ("ThreadPool(2).map(torch.ones, [4, 4])[0]", None),
        ("ThreadPool(2).starmap(torch.full, [((4,), 1.0)])[0]", None),
        ("next(iter(partial(torch.ones, 4), None))", None),
    ],
)
def test_what_it_makes_moves(made: str, moved: str | None) -> None:
    text = repaired(f"    made = {made}\n    x = x + made\n")
    assert "device=" not in text
    assert text.count(".to(device)") == 1
    assert moved is None or moved in text


def test_a_loop_gives_no_executor_a_device() -> None:
    body = """
    async def main(x):
        made = await asyncio.get_running_loop().run_in_executor(None, torch.ones, 4)
        return x + made

    x = asyncio.run(main(x))
    """
    text = repaired(body)
    assert "(await asyncio.get_running_loop().run_in_executor(None, torch.ones, 4)).to(x.device)" in text


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("ThreadPoolExecutor().submit(torch.ones, 4).result()", "submit(torch.ones, 4, device=device)"),
        ("contextvars.copy_context().run(torch.ones, 4)", "run(torch.ones, 4, device=device)"),
    ],
)
def test_what_hands_on_all_that_it_is_given_hands_on_a_device(made: str, told: str) -> None:
    assert told in repaired(f"    made = {made}\n    x = x + made\n")


def test_what_runs_in_another_context_leaves_this_one_as_it_is() -> None:
    body = """
    held = contextvars.ContextVar("held", default=1)
    other = contextvars.ContextVar("other", default=2)
    def put(value):
        held.set(value)
        return held.get()

    context = contextvars.copy_context()
    given = context.run(put, torch.ones(4))
    here, there = held.get(), other.get()
    """
    end = Ending(HEAD + body)
    assert end["given"] != UNKNOWN
    assert end["here"] == UNKNOWN  # it is 1 here, and in that context what was put there
    assert end["there"] != UNKNOWN
