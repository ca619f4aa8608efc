"""Processes beside a script: a fork cannot use the accelerator of its parent, so those with models keep them on the CPU."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import files

WORKERS = """
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import torch
import torch.multiprocessing as mp


class Worker(mp.Process):
    def __init__(self, net):
        super().__init__()
        self.nets = [net]

    def run(self):
        print(self.nets[0](torch.ones(2, 3)).sum().item())


def work(net):
    print(net(torch.ones(2, 3)).sum().item())


def score(seed):
    return net(torch.full((2, 3), float(seed))).sum().item()


def score_of_own(seed):
    return make()(torch.full((2, 3), float(seed))).sum().item()


def make():
    return torch.nn.Linear(3, 1)


def count(rows):
    print(len(rows))
    return len(rows)


class Trainer:
    def __init__(self, net):
        self.net = net

    def work(self):
        print(self.net(torch.ones(2, 3)).sum().item())


class Counter:
    def __init__(self, rows):
        self.rows = rows

    def work(self):
        print(len(self.rows))


net = torch.nn.Linear(3, 1)
{worker}
print(net(torch.ones(4, 3)).sum().item())
"""


@pytest.mark.parametrize(
    "worker",
    [
        "Worker(net).start()",
        "mp.Process(target=work, args=(net,)).start()",
        "multiprocessing.Process(target=work, kwargs={'net': net}).start()",
        "mp.get_context('fork').Process(target=work, args=(net,)).start()",
        "mp.Process(target=Trainer(net).work).start()",
        "mp.Process(target=partial(work, net)).start()",
        "mp.Process(target=lambda: work(net)).start()",
        "mp.Process(target=score, args=(1,)).start()",
        "mp.Process(target=score_of_own, args=(1,)).start()",
        "print(multiprocessing.Pool(2).map(score, range(4)))",
        "print(multiprocessing.get_context('fork').Pool(2).map(score_of_own, range(4)))",
        "print(list(ProcessPoolExecutor().map(score, range(4))))",
        "if os.fork() == 0:\n    os._exit(0)",
    ],
)
def test_no_device_where_a_process_has_the_model(worker: str) -> None:
    texts = files(WORKERS.format(worker=worker))
    assert adopted(texts) == texts


@pytest.mark.parametrize(
    "worker",
    [
        "mp.Process(target=count, args=([1, 2],)).start()",
        "mp.Process(target=Counter([1, 2]).work).start()",
        "print(multiprocessing.Pool(2).map(count, [[1], [1, 2]]))",
        "with ProcessPoolExecutor() as executor:\n    print(executor.submit(count, [1]).result())",
    ],
)
def test_a_process_without_a_model_is_no_obstacle(worker: str) -> None:
    after = adopted(files(WORKERS.format(worker=worker)))["main.py"]
    assert "net = torch.nn.Linear(3, 1).to(device)" in after
