"""Child: the process that does the work, one request after the other.

It is started by ``worker`` and speaks frames of pickled ``messages`` over its standard streams. A request
that nobody waits for any more is broken off in the middle: the thread that reads asks for it, and the main
thread, which works, gets an exception.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import pickle
import queue
import signal
import struct
import sys
import threading
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import BinaryIO

from devfix.lsp.messages import Cancelled, Failed, Reply, Request
from devfix.lsp.spent_memory import SpentMemory

#: The length of a frame.
HEADER = struct.Struct(">I")
#: How long nothing must be asked before memory is looked through, in seconds.
_IDLE = 0.3


@dataclass(frozen=True, slots=True)
class Order:
    """A request under a number; without a request the one of that number is cancelled."""

    number: int
    request: Request | None


class _CancelledError(BaseException):
    """No ``except Exception`` of the analysis may take it for a fault of the program."""


class _Desk:
    """What is to be done, and what not any more."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.orders: queue.SimpleQueue[Order] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        self._current = 0
        self._deaf = False

    def read(self) -> None:
        """Take in orders until the server goes away, and go with it."""
        with contextlib.suppress(Exception):
            while True:
                order = _read(self._stream)
                if order.request is not None:
                    self.orders.put(order)
                    continue
                self._cancelled.add(order.number)
                if order.number == self._current:
                    _thread.interrupt_main()
        os._exit(0)

    def interrupted(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 - the form of handlers
        """The main thread was interrupted; if not for the current order, then too late or by the keyboard."""
        if self._current in self._cancelled and not self._deaf:
            self._current = 0
            raise _CancelledError

    @contextlib.contextmanager
    def undisturbed(self) -> Iterator[None]:
        """Let the block come to its end before the order is broken off: what it does is short, and wanted later."""
        self._deaf = True
        try:
            yield
        finally:
            self._deaf = False
        self._check(self._current)

    def _check(self, number: int) -> None:
        if number in self._cancelled:
            raise _CancelledError

    @contextlib.contextmanager
    def working_on(self, number: int) -> Iterator[None]:
        """Let the block be broken off when the order is cancelled."""
        self._current = number
        try:
            self._check(number)
            yield
        except Exception:
            self._check(
                number
            )  # what cleans up behind an interruption may stumble over what is not there yet
            raise
        finally:
            self._current = 0
            self._cancelled.discard(number)


def main() -> None:
    """Work until the server goes away."""
    # What a library prints must not get among the frames.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    desk = _Desk(sys.stdin.buffer)
    signal.signal(signal.SIGINT, desk.interrupted)
    from devfix.lsp.workbench import Workbench  # noqa: PLC0415 - streams first

    try:
        bench = Workbench(desk.undisturbed)
        write(out, (0, bench.ready()))
    except Exception as error:  # noqa: BLE001 - rules of others may not load; who waits is to hear why
        write(out, (0, Failed(f"{type(error).__name__}: {error}", traceback.format_exc())))
        return
    memory = SpentMemory()
    threading.Thread(target=desk.read, daemon=True).start()
    for order in _orders(desk.orders, memory):
        if not _stands():
            os._exit(1)  # the server starts another one, elsewhere
        write(out, (order.number, _reply(bench, desk, order)))


def _stands() -> bool:
    """Whether the folder that paths are relative to is still there."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _orders(orders: queue.SimpleQueue[Order], memory: SpentMemory) -> Iterator[Order]:
    """The orders as they come; memory is looked through between them, and while somebody waits only for much."""
    idle = True
    while True:
        try:
            order = orders.get(timeout=None if idle else _IDLE)
        except queue.Empty:
            memory.free(waited_for=False)
            idle = True
            continue
        yield order
        memory.free(waited_for=True)
        idle = False


def _reply(bench: object, desk: _Desk, order: Order) -> Reply:
    try:
        with desk.working_on(order.number):
            reply: Reply = bench.answer(order.request)  # type: ignore[attr-defined]
            return reply
    except _CancelledError:
        return Cancelled()
    except Exception as error:  # noqa: BLE001 - the next request may fare better
        return Failed(f"{type(error).__name__}: {error}", traceback.format_exc())


def write(stream: BinaryIO, message: object) -> None:
    """Send a frame."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(HEADER.pack(len(data)) + data)
    stream.flush()


def _read(stream: BinaryIO) -> Order:
    (size,) = HEADER.unpack(stream.read(HEADER.size))
    order = pickle.loads(stream.read(size))  # noqa: S301 - the server's own
    if not isinstance(order, Order):
        raise TypeError(type(order).__name__)
    return order
