"""Threads and queues: what one puts into a queue another gets out of it."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """\
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from queue import Queue
from threading import Thread

import torch
import torch.nn as nn

net = nn.Linear(3, 2).to("cuda")


def make(n):
    return torch.rand(n, 3)


class Ahead(Thread):
    def __init__(self, rows, put=lambda row: row):
        Thread.__init__(self, daemon=True)
        self.rows, self.put, self.q = rows, put, Queue(2)
        self.start()

    def run(self):
        for row in self.rows:
            self.q.put(self.put(row))
        self.q.put(None)

    def __iter__(self):
        return self

    def __next__(self):
        row = self.q.get()
        if row is None:
            raise StopIteration
        return row


def beside(rows):
    q, end = queue.SimpleQueue(), object()

    def work():
        for row in rows:
            q.put(row)
        q.put(end)

    threading.Thread(target=work).start()
    row = q.get()
    while row is not end:
        yield row
        row = q.get()


def feed(q, rows):
    while True:
        q.put(rows)


"""

#: How rows come through a thread, on the CPU.
WAYS = {
    "loop over a thread": "for row in Ahead([make(2)]):\n    net(row)\n",
    "generator": "for row in beside([make(2)]):\n    net(row)\n",
    "thread that never ends": (
        "q = Queue()\nThread(target=feed, args=(q, make(2)), daemon=True).start()\nnet(q.get(timeout=1))\n"
    ),
    "arguments by name": 'q = Queue()\nThread(target=feed, kwargs={"q": q, "rows": make(2)}).start()\nnet(q.get())\n',
    "map": "with ThreadPoolExecutor() as pool:\n    for row in pool.map(make, [1, 2]):\n        net(row)\n",
    "future": "pool = ThreadPoolExecutor(2)\njob = pool.submit(make, 2)\nnet(job.result())\n",
}


@pytest.mark.parametrize("way", WAYS)
def test_what_goes_in_comes_out(way: str) -> None:
    program = HEAD + WAYS[way]
    assert clashes(program) == [f"{len(program.splitlines())}: device"]


@pytest.mark.parametrize(
    "text",
    [
        "for row in Ahead([make(2)], lambda row: row.cuda()):\n    net(row)\n",
        'for row in beside([make(2).to("cuda")]):\n    net(row)\n',
        "q = Queue()\nq.put(make(2).cuda())\nnet(q.get())\n",
        "pool = ThreadPoolExecutor()\nnet(pool.submit(make, 2).result().cuda())\n",
        "q = Queue()\nnet(q.get())\n",
        "job = ThreadPoolExecutor().submit(print, 2)\nnet(job.result())\n",
    ],
)
def test_what_is_moved_on_either_side_is_there(text: str) -> None:
    assert clashes(HEAD + text) == []


def test_the_program_goes_on_beside_a_thread_that_never_ends() -> None:
    program = HEAD + "q = Queue()\nThread(target=feed, args=(q, 1)).start()\nnet(make(2))\n"
    assert clashes(program) == [f"{len(program.splitlines())}: device"]
