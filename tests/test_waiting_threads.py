"""A thread that waits for a queue goes on with what is put there later, and futures have what they are given."""

from __future__ import annotations

import textwrap

import pytest
from text_program import clashes

PROGRAM = """
import asyncio
import concurrent.futures
import contextlib
import queue
import threading

import torch
from torch import nn

device = torch.device("cuda")
net = nn.Linear(4, 2).to(device)
waiting = queue.Queue()
x = {made}


def work():
    while True:
        item = waiting.get()
        if item is None:
            break
        print(net(item))


class Worker(threading.Thread):
    def __init__(self, items):
        super().__init__()
        self.items, self.results = items, queue.Queue()

    def run(self):
        for item in iter(self.items.get, None):
            self.results.put(net(item))


async def later(value):
    future = asyncio.get_running_loop().create_future()
    future.set_result(value)
    for each in asyncio.as_completed([future]):
        print(net(await each))


def given(value):
    future = concurrent.futures.Future()
    future.set_result(value)
    return future


{use}
"""


@pytest.mark.parametrize(
    "use",
    [
        "threading.Thread(target=work).start(); waiting.put(x)",
        "threading.Thread(target=work, daemon=True).start(); waiting.put(None); waiting.put(x)",
        "Worker(waiting).start(); waiting.put(x); waiting.put(None)",
        "threading.Timer(1.0, lambda item: print(net(item)), args=(x,)).start()",
        "threading.Timer(1.0, function=net, kwargs={'input': x}).start()",
        "print(net(given(x).result()))",
        "asyncio.run(later(x))",
    ],
)
def test_what_comes_later_is_met_then(use: str) -> None:
    assert clashes(PROGRAM.format(made="torch.zeros(4)", use=use))
    assert clashes(PROGRAM.format(made="torch.zeros(4, device=device)", use=use)) == []


@pytest.mark.parametrize(
    "use",
    [
        "threading.Thread(target=work).start(); waiting.put(None)",
        "threading.Thread(target=work).start(); waiting.put(x.to(device))",
        "threading.Thread(target=work).start(); queue.Queue().put(x)",
        "threading.Timer(1.0, lambda item: print(net(item)), args=(x,))",
        "print(net(concurrent.futures.Future().result()))",
    ],
)
def test_what_nobody_waits_for_is_not(use: str) -> None:
    assert clashes(PROGRAM.format(made="torch.zeros(4)", use=use)) == []


def test_a_stack_of_managers_calls_what_it_was_told_to_at_its_end() -> None:
    program = """
        import contextlib
        import torch

        kept = []
        with contextlib.ExitStack() as stack:
            stack.callback(kept.append, {first})
            kept.append({second})
        kept[1] + torch.ones(4, device="cuda")
    """
    there, host = "torch.zeros(4, device='cuda')", "torch.zeros(4)"
    assert clashes(program.format(first=host, second=there)) == ["9: device"]
    assert clashes(program.format(first=there, second=host)) == []


STACK = """
import contextlib
import sys
import torch

here = torch.ones(4, device="cuda")
net = torch.nn.Linear(4, 4).cuda()


def work(strict):
    with contextlib.ExitStack() as stack:
{told}
    return net(here)


work(sys.argv[1] == "strict")
"""


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("stack.callback(net.cpu)", ["device"]),
        ("stack.callback(net.cpu)\nif strict:\n    return None", ["device"]),
        ("if strict:\n    stack.callback(net.cpu)", []),
        ("if strict:\n    stack.callback(net.cpu)\n    return None", []),
        ("stack.callback(net.cpu)\nkept = stack.pop_all()", []),
        ("stack.callback(net.cpu)\nif strict:\n    stack.pop_all()", []),
        ("stack.callback(net.cpu)\nstack.close()\nnet.cuda()", []),
        ("stack.callback(net.cpu)\nstack.close()\nnet.cuda()\nif strict:\n    stack.callback(net.cpu)", []),
    ],
)
def test_a_stack_calls_what_this_run_told_it_and_no_other_stack_was_handed(
    told: str, expected: list[str]
) -> None:
    found = clashes(STACK.format(told=textwrap.indent(told, " " * 8)))
    assert [each.partition(": ")[2] for each in found] == expected


COROUTINES = """
import asyncio
from concurrent.futures import ThreadPoolExecutor
import queue
import torch
from torch import nn

net = nn.Linear(4, 2).to("cuda")

async def use(waiting):
    while True:
        item = await waiting.get()
        if item is None:
            return
        net(item)

async def give(waiting, count):
    for _ in range(count):
        await waiting.put(torch.zeros(4{made}))
    await waiting.put(None)

def use_all(waiting):
    for item in iter(waiting.get, None):
        net(item)

async def main():
    waiting = asyncio.Queue()
    {begin}

{start}
"""
BEGUN = [
    "await asyncio.gather(use(waiting), give(waiting, 3))",
    "task = asyncio.create_task(use(waiting))\n    await give(waiting, count=3)\n    await task",
    "async with asyncio.TaskGroup() as group:\n        group.create_task(use(waiting))\n        group.create_task(give(waiting, 3))",
]


@pytest.mark.parametrize("begin", BEGUN)
def test_a_coroutine_goes_on_with_what_comes_later(begin: str) -> None:
    text = COROUTINES.format(begin=begin, start="asyncio.run(main())", made="{made}")
    assert set(clashes(text.replace("{made}", ""))) in ({"15: device"}, {"24: device"})
    assert clashes(text.replace("{made}", ", device='cuda'")) == []


def test_so_does_what_an_executor_was_given() -> None:
    start = "waiting = queue.Queue()\nwith ThreadPoolExecutor() as pool:\n    pool.submit(use_all, waiting)\n    waiting.put(torch.zeros(4{made}))"
    text = COROUTINES.format(begin="pass", start=start, made="")
    assert set(clashes(text.replace("{made}", ""))) in ({"15: device"}, {"24: device"})
    assert clashes(text.replace("{made}", ", device='cuda'")) == []


TWICE = """
import multiprocessing as mp
import queue
import threading
import torch

device = torch.device("cuda")

def both(items, sums):
    first = items.get()
    {second}
    sums.put(first.cpu() + second)

if __name__ == "__main__":
    items, sums = {kind}.{queue}(), {kind}.{queue}()
    {made}(target=both, args=(items, sums)).start()
    items.put(torch.ones(4, device=device))
    items.put(torch.ones(4))
    print(sums.get())
"""


@pytest.mark.parametrize(
    ("kind", "queue", "made"), [("queue", "Queue", "threading.Thread"), ("mp", "Queue", "mp.Process")]
)
def test_an_item_is_got_once(kind: str, queue: str, made: str) -> None:
    """What a second call gets has not been put there yet when the first item is."""
    text = TWICE.format(kind=kind, queue=queue, made=made, second="second = items.get()")
    assert clashes(text) == []
    assert len(clashes(text.replace("second = items.get()", "second = first"))) == 1
