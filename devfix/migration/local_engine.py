"""Local engine: a process of its own for each repository, a few at a time; none of them can end the campaign."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from devfix.migration.assignment import Assignment
from devfix.migration.order import Event, Finished, Left, Order, Tell
from devfix.migration.pipeline import work
from devfix.migration.rewriting import warm_up
from devfix.sandbox import processes, system_calls

_PATIENCE = 10.0
_FORKS = sys.platform == "linux"


class LocalEngine:
    """Works on ``concurrency`` repositories at a time (0: as many as there are cores)."""

    def __init__(self, concurrency: int = 0) -> None:
        self.concurrency = concurrency or os.cpu_count() or 1

    def run(self, orders: Iterable[Order], tell: Tell) -> None:
        """Work on all orders."""
        if _FORKS:
            warm_up()
        _Team(self.concurrency, iter(orders), tell).run()


@dataclass
class _Worker:
    assignment: Assignment
    process: BaseProcess
    receiver: Connection

    def end(self) -> None:
        """End the process and whatever it started."""
        pid = self.process.pid
        if pid is not None and self.process.is_alive():
            with suppress(OSError):
                processes.end_all(lambda: _family(pid), _PATIENCE)
        self.process.join(_PATIENCE)
        self.receiver.close()


class _Team:
    def __init__(self, size: int, orders: Iterator[Order], tell: Tell) -> None:
        self.size = size
        self.orders = orders
        self.tell = tell
        self.workers: list[_Worker] = []

    def run(self) -> None:
        try:
            while self._hire():
                receivers = [worker.receiver for worker in self.workers]
                ready = wait(receivers, self._patience())
                for worker in list(self.workers):
                    if worker.receiver in ready:
                        self._hear(worker)
                self._end_overdue()
        finally:
            for worker in self.workers:
                worker.end()

    def _hire(self) -> bool:
        while len(self.workers) < self.size:
            order = next(self.orders, None)
            if order is None:
                break
            self.workers.append(_started(Assignment(order)))
        return bool(self.workers)

    def _patience(self) -> float | None:
        soonest = min(worker.assignment.deadline for worker in self.workers)
        return None if soonest == float("inf") else max(0.0, soonest - time.monotonic())

    def _hear(self, worker: _Worker) -> None:
        try:
            event: Event = worker.receiver.recv()
        except (EOFError, OSError):
            self._dismiss(worker)
            return
        worker.assignment.note(event)
        self.tell(event)

    def _end_overdue(self) -> None:
        for worker in list(self.workers):
            if worker.assignment.is_overdue:
                self._let_go(worker)
                self._give_up(worker, worker.assignment.overdue())

    def _dismiss(self, worker: _Worker) -> None:
        """Let go of a worker; where it died in the middle of its work, another one goes on."""
        # What it has open is closed before it is dead; ended from here, it would not tell what it died of.
        worker.process.join(_PATIENCE)
        self._let_go(worker)
        if worker.assignment.left:
            return
        again = worker.assignment.again()
        if again is None:
            self._give_up(worker, worker.assignment.died(_how(worker.process.exitcode)))
        else:
            self.workers.append(_started(again))

    def _let_go(self, worker: _Worker) -> None:
        self.workers.remove(worker)
        worker.end()

    def _give_up(self, worker: _Worker, loss: Finished) -> None:
        self.tell(loss)
        self.tell(Left(worker.assignment.key, "lost"))


def _started(assignment: Assignment) -> _Worker:
    order = assignment.order
    # Forking is fast, and this process has no other thread; what it has open its children leave alone.
    context = multiprocessing.get_context("fork") if _FORKS else multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(order, sender), name=f"devfix {order.repository.name}")
    process.start()
    sender.close()
    return _Worker(assignment, process, receiver)


def _serve(order: Order, sender: Connection) -> None:
    """Be the process that works on one repository."""
    if os.name == "posix":
        # Nothing that runs here can ask a terminal; an interrupt is for the one who sends the orders.
        os.setsid()
    if sys.platform == "linux":
        system_calls.die_with_parent(signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _silence()
    # A broken pipe means that nobody is left to work for.
    with suppress(BrokenPipeError):
        work(order, sender.send)


def _silence() -> None:
    """What is printed here belongs to nobody's output."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - for the rest of this process


def _family(pid: int) -> list[processes.Process]:
    below = processes.descendants(pid)
    own = processes.running().get(pid)
    return [each for each in ([own] if own else []) + below if not each.dead]


def _how(status: int | None) -> str:
    if status is None or status >= 0:
        return f"exit status {status}"
    with suppress(ValueError):
        return signal.Signals(-status).name
    return f"signal {-status}"
