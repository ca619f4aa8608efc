"""Pipes between processes: what is sent arrives at the other end, and a process that waits answers what it is sent."""

from __future__ import annotations

import pytest
from text_program import clashes

ENVIRONMENTS = """
import multiprocessing as mp
import numpy as np
import torch
from torch import nn

device = torch.device("cuda")

class Environment:
    def reset(self):
        return {observed}

    def step(self, action):
        return {observed}, 1.0, False

class Wrapped:
    def __init__(self, x):
        self.x = x

def work(remote, parent, make):
    parent.close()
    environment = make.x()
    try:
        while True:
            command, data = remote.recv()
            if command == "step":
                observation, reward, done = environment.step(data)
                if done:
                    observation = environment.reset()
                remote.send((observation, reward, done))
            elif command == "reset":
                remote.send(environment.reset())
            elif command == "close":
                remote.close()
                break
            else:
                raise NotImplementedError(command)
    except KeyboardInterrupt:
        print("interrupted")

class Vector:
    def __init__(self, makes):
        self.remotes, self.works = zip(*[mp.Pipe() for _ in range(len(makes))])
        self.processes = [
            mp.Process(target=work, args=(theirs, ours, Wrapped(make)), daemon=True)
            for theirs, ours, make in zip(self.works, self.remotes, makes)
        ]
        for process in self.processes:
            process.start()

    def reset(self):
        for remote in self.remotes:
            remote.send(("reset", None))
        return {stack}([remote.recv() for remote in self.remotes])

    def step(self, actions):
        for remote, action in zip(self.remotes, actions):
            remote.send(("step", action))
        observations, rewards, done = zip(*[remote.recv() for remote in self.remotes])
        return {stack}(observations), torch.tensor(rewards), done

if __name__ == "__main__":
    environments = Vector([Environment for _ in range({count})])
    net = nn.Linear(4, 2).to(device)
    {use}
"""


def found(observed: str, use: str, count: str = "2", stack: str = "torch.stack") -> list[str]:
    text = ENVIRONMENTS.format(observed=observed, use=use, count=count, stack=stack)
    return [each.partition(": ")[2] for each in clashes(text)]


@pytest.mark.parametrize("count", ["2", "int(input())"])
@pytest.mark.parametrize(
    "use",
    [
        "x = environments.reset()\n    net({x})",
        "environments.reset()\n    x, reward, done = environments.step([0, 1])\n    net({x})",
        "for _ in range(9): x, reward, done = environments.step([0, 1]); net({x})",
        "environments.reset()\n    x, reward, done = environments.step([0, 1])\n    {x} * net.weight",
    ],
)
def test_each_answer_is_where_the_process_made_it(use: str, count: str) -> None:
    assert found("torch.ones(4)", use.format(x="x"), count) == ["device"]
    assert found("torch.ones(4)", use.format(x="x.to(device)"), count) == []


def test_arrays_keep_their_dtype() -> None:
    use = "x = torch.from_numpy(environments.reset()).to(device)\n    net({x})"
    assert found("np.random.randn(4)", use.format(x="x"), stack="np.stack") == ["dtype"]
    assert found("np.random.randn(4)", use.format(x="x.float()"), stack="np.stack") == []


ENDS = """
import torch
import torch.multiprocessing as mp
from others import stranger

device = torch.device("cuda")

def send(end, count):
    for _ in range(count):
        end.send(torch.ones(4))
    end.close()

def answer(end):
    while True:
        end.send(end.recv() * 2)

def main():
    {ours}, {theirs} = mp.Pipe({duplex})
    net = torch.nn.Linear(4, 2).to(device)
    mp.Process(target={function}, args={args}).start()
    {use}

if __name__ == "__main__":
    main()
"""


def clashing(function: str, args: str, use: str, duplex: str = "") -> list[str]:
    names = {"ours": "ours", "theirs": "theirs", "duplex": duplex}
    found = clashes(ENDS.format(function=function, args=args, use=use, **names))
    return [each.partition(": ")[2] for each in found]


@pytest.mark.parametrize("duplex", ["", "duplex=False"])
def test_what_is_sent_without_being_asked_for_is_there(duplex: str) -> None:
    use = "while ours.poll(): net({x})"
    assert clashing("send", "(theirs, 3)", use.format(x="ours.recv()"), duplex) == ["device"]
    assert clashing("send", "(theirs, 3)", use.format(x="ours.recv().to(device)"), duplex) == []


def test_an_answer_is_made_of_what_was_sent() -> None:
    assert clashing("answer", "(theirs,)", "ours.send(torch.ones(4))\n    net(ours.recv())") == ["device"]
    assert (
        clashing("answer", "(theirs,)", "ours.send(torch.ones(4, device=device))\n    net(ours.recv())") == []
    )
    both = "ours.send(torch.ones(4, device=device))\n    net(ours.recv())\n    ours.send(torch.ones(4))\n    net(ours.recv())"
    assert clashing("answer", "(theirs,)", both) == ["device"]


def test_what_a_stranger_sends_is_unknown() -> None:
    assert clashing("stranger", "(theirs,)", "ours.send(torch.ones(4))\n    net(ours.recv())") == []
    assert clashing("print", "()", "net(ours.recv())") == []


POOL = """
import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor
import torch
from others import stranger

device = torch.device("cuda")
table = torch.ones(4, device=device)

def begin(given):
    global table
    table = given

def work(place):
    return table[place]

if __name__ == "__main__":
    net = torch.nn.Linear(4, 2).to(device)
    with {pool} as pool:
        x = torch.stack(list(pool.map(work, range(3))))
    net({x})
"""
POOLS = [
    "mp.Pool(2, begin, (torch.eye(4),))",
    "mp.Pool(2, initializer=begin, initargs=[torch.eye(4)])",
    "ProcessPoolExecutor(2, initializer=begin, initargs=(torch.eye(4),))",
]


@pytest.mark.parametrize("pool", POOLS)
def test_a_process_of_a_pool_begins_with_a_call(pool: str) -> None:
    def found(pool: str, x: str) -> list[str]:
        return [
            each.partition(": ")[2] for each in clashes(POOL.format(pool=pool, x=x)) if "fork" not in each
        ]

    assert found(pool, "x") == ["device"]
    assert found(pool, "x.to(device)") == []
    assert found(pool.replace("begin", "stranger"), "x.to(device)") == []
    assert (
        clashes(POOL.format(pool=pool, x="table")) == []
        or "fork" in clashes(POOL.format(pool=pool, x="table"))[0]
    )


STATEFUL = """
import multiprocessing as mp
import torch
from torch import nn

device = torch.device("cuda")

def answer(end):
    net, where = nn.Linear(4, 2), "cpu"
    while True:
        command, x = end.recv()
        if command == "move":
            {move}
            end.send(None)
        else:
            end.send(net(x.to(where)).detach())

def both(end):
    end.send(end.recv().cpu() + end.recv())

if __name__ == "__main__":
    ours, theirs = mp.Pipe()
    mp.Process(target={target}, args=(theirs,)).start()
    {use}
"""
ASKED = 'ours.send(("move", device))\n    ours.recv()\n    ours.send(("run", torch.ones(4)))\n    '
MOVES = ["where = x; net.to(x)", "where = device; net = net.to(device)", "where = 'cuda'; net.cuda()"]


@pytest.mark.parametrize("move", MOVES)
def test_what_came_in_may_change_what_is_answered_from_then_on(move: str) -> None:
    use = f"{ASKED}print(ours.recv() + torch.ones(2, device=device))"
    assert clashes(STATEFUL.format(move=move, target="answer", use=use)) == []
    assert len(clashes(STATEFUL.format(move="print(x)", target="answer", use=use))) == 1


def test_each_message_comes_in_once() -> None:
    use = "ours.send(torch.ones(4, device=device))\n    ours.send(torch.ones(4))\n    print(ours.recv() + torch.ones(4))"
    assert clashes(STATEFUL.format(move="pass", target="both", use=use)) == []
