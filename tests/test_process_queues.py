"""Queues between processes: what a process puts there is another tensor where it is got."""

from __future__ import annotations

import difflib

import pytest
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
import torch.multiprocessing as mp

MAKES

def produce(queue, count):
    for _ in range(count):
        queue.put(SENT)
    queue.put(None)

class Producer(mp.Process):
    def __init__(self, queue):
        super().__init__()
        self.queue = queue

    def run(self):
        produce(self.queue, 4)

def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = torch.nn.Linear(4, 2).to(device)
    queue = QUEUE
    START
    while True:
        item = queue.get()
        if item is None:
            break
        USE

if __name__ == "__main__":
    main()
"""
STARTED = "worker = mp.Process(target=produce, args=(queue, 5))\nworker.start()"
PAIR = "(torch.ones(8, 4), torch.ones(8, 2))"
USED = "x, y = item\nloss = (net(x) - y).pow(2).mean()"
MOVED = "x, y = x.to(device), y.to(device)"


def _text(
    sent: str = PAIR, queue: str = "mp.Queue()", start: str = STARTED, use: str = USED, makes: str = ""
) -> str:
    text = PROGRAM.replace("SENT", sent).replace("QUEUE", queue).replace("MAKES", makes)
    return text.replace("START", start.replace("\n", "\n    ")).replace(
        "USE", use.replace("\n", "\n        ")
    )


def _added(text: str) -> list[str]:
    after = fix_texts(files(text), Applicability.SAFE)[0]["main.py"]
    lines = difflib.ndiff(files(text)["main.py"].splitlines(), after.splitlines())
    return [line[1:].strip() for line in lines if line.startswith("+ ")]


@pytest.mark.parametrize("queue", ["mp.Queue()", "mp.SimpleQueue()", 'mp.get_context("spawn").Queue(4)'])
@pytest.mark.parametrize(
    "start",
    [
        STARTED,
        "worker = Producer(queue)\nworker.start()",
        'worker = mp.get_context("spawn").Process(target=produce, args=[queue, 5])\nworker.start()',
    ],
)
def test_what_a_process_puts_moves_where_it_is_got(queue: str, start: str) -> None:
    assert _added(_text(queue=queue, start=start)) == [MOVED]


def test_what_a_spawned_process_puts_moves_where_it_is_got() -> None:
    start = "mp.spawn(lambda rank, queue: produce(queue, 3), args=(queue,), nprocs=2, join=False)"
    assert _added(_text(start=start)) == [MOVED]


@pytest.mark.parametrize(
    ("sent", "use"),
    [
        (PAIR, f"x, y = item\n{MOVED}\nloss = (net(x) - y).pow(2).mean()"),
        (PAIR, "x, y = (part.to(device) for part in item)\nloss = (net(x) - y).pow(2).mean()"),
        (PAIR, "print(item[0].sum())"),
        ("(torch.ones(8, 4).cuda(), torch.ones(8, 2).cuda())", USED),
        ("Episode(torch.ones(8, 4))", "net(item.states)"),
        ("1", "print(item + 1)"),
    ],
)
def test_what_is_moved_or_not_known_stays(sent: str, use: str) -> None:
    makes = "class Episode:\n    def __init__(self, states):\n        self.states = states\n"
    assert _added(_text(sent, use=use, makes=makes)) == []


@pytest.mark.parametrize(
    "start",
    [
        "worker = mp.Process(target=unknown, args=(queue, 5))\nworker.start()",
        "worker = mp.Process(target=produce, kwargs=dict(queue=queue, count=5))\nworker.start()",
        "mp.Process(target=produce, args=(queue, 2)).start()\nmp.Process(target=other, args=(queue,)).start()",
        "queue.put(torch.ones(3, 4))\nmp.Pool(2, initializer=other, initargs=(queue,))",
    ],
)
def test_what_others_may_put_is_unknown(start: str) -> None:
    assert (
        _added(
            _text("torch.ones(8, 4)", start=start, makes="from others import other, unknown", use="net(item)")
        )
        == []
    )


def test_a_process_changes_its_own_copy_alone() -> None:
    text = """
    import torch
    import torch.multiprocessing as mp

    def work(queue, held, net):
        held.append(torch.ones(3))
        net.to("cuda")
        queue.put(held[-1])

    held, net = [], torch.nn.Linear(3, 1)
    queue = mp.get_context("spawn").Queue()
    mp.get_context("spawn").Process(target=work, args=(queue, held, net)).start()
    net(torch.ones(3))
    held[0] + torch.ones(3, device="cuda")
    queue.get() + torch.ones(3, device="cuda")
    """
    assert clashes(text) == ["15: device"]


WITHOUT_QUEUES = """
import {package} as mp
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def loss(self, state):
        return self.layer(torch.tensor(state))

def work(net):
    net.loss([1.0, 2.0, 3.0])

if __name__ == "__main__":
    net = Net(){move}
    workers = [mp.Process(target=work, args=(net,)) for rank in range(3)]
    [worker.start() for worker in workers]
"""


@pytest.mark.parametrize("package", ["multiprocessing", "torch.multiprocessing"])
def test_what_a_process_runs_is_judged_with_what_it_is_given(package: str) -> None:
    assert clashes(WITHOUT_QUEUES.format(package=package, move="")) == []
    assert "12: device" in clashes(WITHOUT_QUEUES.format(package=package, move=".cuda()"))


def test_what_nobody_runs_may_be_given_a_module_that_was_moved() -> None:
    nobody = WITHOUT_QUEUES.format(package="multiprocessing", move="").replace("target=work", "target=print")
    assert clashes(nobody) == ["12: device"]


REBORN = """
import torch.multiprocessing as mp
import torch
from torch import nn

device = torch.device("cuda")
net = nn.Linear(3, 3)

def work(n):
    where = {where}
    print(where(torch.ones(2, 3)))

if __name__ == "__main__":
    net.to(device)
    {start}
"""


@pytest.mark.parametrize(
    "start",
    ["mp.spawn(work, nprocs=2)", "mp.get_context('spawn').Process(target=work, args=(1,)).start()"],
)
def test_a_process_that_imports_the_script_again_has_nothing_of_what_its_guard_did(start: str) -> None:
    assert clashes(REBORN.format(where="net", start=start)) == []
    assert len(clashes(REBORN.format(where="nn.Linear(3, 3).to(device)", start=start))) == 1


@pytest.mark.parametrize("shared", ["queue.Queue()", "mp.Queue()"])
def test_a_process_waits_in_vain_for_a_queue_of_its_own(shared: str) -> None:
    program = f"""
import queue
import torch
import torch.multiprocessing as mp

def work(results):
    own = {shared}
    try:
        results.put(own.get(timeout=1))
    except queue.Empty:
        results.put(torch.ones(2))

if __name__ == "__main__":
    results = mp.Queue()
    mp.Process(target=work, args=(results,)).start()
    print(results.get() + torch.ones(2).cuda())
"""
    assert len(clashes(program)) <= 1


HANDED = """
from concurrent.futures import ProcessPoolExecutor
import sys
import torch

def read(path):
    found = {}
    for line in open(path):
        found[line] = torch.ones(2)
    return found

def work(path):
    try:
        return path, read(path)
    except OSError:
        return path, {"a": torch.ones(2)}

if __name__ == "__main__":
    everything = []
    with ProcessPoolExecutor() as executor:
        for future in [executor.submit(work, path) for path in sys.argv]:
            path, found = future.result()
            everything.append({path: found})
    for each in everything:
        for path, found in each.items():
            for name, tensor in found.items():
                print(name, tensor + torch.ones(2))
"""


def test_a_process_gives_back_what_is_one_of_two_objects_beside_another() -> None:
    assert clashes(HANDED) == []
