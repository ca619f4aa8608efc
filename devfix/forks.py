"""Forks: processes that begin as copies of this one, with all that it knows, and answer what it asks."""

from __future__ import annotations

import gc
import multiprocessing
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from multiprocessing.connection import Connection
from typing import Any

#: From the process that asks: a question, by which an answer is made. What it raises ends the fork.
Answer = Callable[[Any], Any]


def may_fork() -> bool:
    """Whether this process may be copied: it can be, and no other thread of it may hold a lock."""
    return sys.platform == "linux" and threading.active_count() == 1


class Fork:
    """A process that answers one question after the other until it is ended, or has died."""

    def __init__(self, answer: Answer, others: Iterable[Fork] = ()) -> None:
        ours, theirs = multiprocessing.Pipe()
        self._connection = ours
        #: A copy holds the ends of the pipes that there are; those of others would keep them open beyond this process.
        foreign = [ours, *(each._connection for each in others)]
        self._process = multiprocessing.get_context("fork").Process(
            target=_serve, args=(theirs, answer, foreign), daemon=True
        )
        gc.freeze()  # a look for garbage in the copy would write to all that both have in common
        try:
            self._process.start()
        finally:
            gc.unfreeze()
            theirs.close()

    def ask(self, question: Any) -> bool:
        """Ask something; whether there is anybody to answer."""
        try:
            self._connection.send(question)
        except OSError:
            return False
        return True

    def answer(self) -> Any:
        """What it answers, for which this waits; None where it died instead."""
        try:
            return self._connection.recv()
        except (EOFError, OSError):
            return None

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self._connection.close()


def answering(forks: Sequence[Fork], timeout: float | None = None) -> list[Fork]:
    """Those that have an answer, or have died; this waits for the first, though not for more than some seconds."""
    asked = select.poll()  # what waits for connections in general takes ten times as long to begin
    for each in forks:
        asked.register(each._connection.fileno(), select.POLLIN)
    ready = {place for place, _ in asked.poll(None if timeout is None else 1000 * timeout)}
    return [each for each in forks if each._connection.fileno() in ready]


def _serve(connection: Connection, answer: Answer, foreign: Sequence[Connection]) -> None:
    # Control-C goes to all processes at a terminal, and one of them is enough to tell of it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for each in foreign:
        each.close()
    try:
        while True:
            connection.send(answer(connection.recv()))
    except (EOFError, OSError):
        return  # nobody asks any more
    except Exception:  # noqa: BLE001 - who asked finds out by itself, and meets it there
        return
