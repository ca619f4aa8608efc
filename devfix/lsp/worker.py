"""Worker: the server's end of the process that does the work; starts it, and again when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterable
from itertools import count
from typing import TypeVar

from devfix.lsp.child import HEADER, Order
from devfix.lsp.messages import Cancelled, Failed, Ready, Reply, Request

#: The child finds modules where this process does, and nowhere else: not in the folder it works in.
_START = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from devfix.lsp.child import main; main()"
#: No more restarts than so many in so many seconds.
_RESTARTS, _WITHIN = 5, 60.0
#: How long the process may work on one request, in seconds.
_LIMIT = 120.0
#: How long a request is put off for others, in seconds.
_PATIENCE = 20.0

Wanted = TypeVar("Wanted")


class WorkerDiedError(Exception):
    """The process ended, or had to be ended, over a request."""


class CancelledRequestError(Exception):
    """The request was cancelled, by whoever no longer wanted the reply."""


class FailedRequestError(Exception):
    """The request met a defect of devfix; ``trace`` is its traceback."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.message)
        self.trace = failed.trace


class Ticket:
    """A request on its way. ``about`` are the documents that it is asked for; it makes way for one for others.

    What is about none stands in line.
    """

    def __init__(self, number: int, request: Request, about: frozenset[str]) -> None:
        self.number = number
        self.request = request
        self.about = about
        self.reply: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        # Whether anybody asks for the outcome or not, it is not worth a warning.
        self.reply.add_done_callback(lambda done: done.cancelled() or done.exception())
        #: It is broken off to be made again.
        self.makes_way = False
        self._since = time.monotonic()

    def can_wait(self, about: frozenset[str]) -> bool:
        """Whether it is for others than ``about``, and was not put off for long."""
        is_for_others = bool(self.about) and not self.about & about
        return is_for_others and time.monotonic() - self._since <= _PATIENCE


class Worker:
    """Sends requests to the process and hands out its replies, in order.

    ``memory`` are the requests that bring a new process up to date; paths in findings are relative to ``folder``.
    """

    def __init__(self, folder: str, memory: Callable[[], Iterable[Request]]) -> None:
        self.folder = self._folder = folder
        self._memory = memory
        self._process: asyncio.subprocess.Process | None = None
        self._numbers = count(1)
        self._waiting: dict[int, Ticket] = {}
        #: When the process could turn to what it works on.
        self._turned = 0.0
        self._starts: list[float] = []
        self._reading: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._yielding: Ticket | None = None
        self._fault = ""
        self.closed = False
        self.ready: asyncio.Future[Ready] = asyncio.get_running_loop().create_future()

    @property
    def pid(self) -> int | None:
        """The number of the process, when there is one."""
        return None if self._process is None else self._process.pid

    async def start(self) -> None:
        """Start the process, unless it runs; raises WorkerDiedError when it keeps dying."""
        async with self._starting:
            if self.closed or (self._process is not None and self._process.returncode is None):
                return
            now = time.monotonic()
            self._starts = [start for start in self._starts if now - start < _WITHIN]
            if len(self._starts) >= _RESTARTS:
                raise WorkerDiedError("the analysis keeps dying; it is tried again in a minute")
            self._starts.append(now)
            await self._start()

    async def _start(self) -> None:
        path = json.dumps([os.path.abspath(entry) for entry in sys.path if entry])
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-I",
            "-c",
            _START,
            path,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=self._folder if os.path.isdir(self._folder) else os.path.abspath(os.sep),
        )
        self._reading = asyncio.create_task(self._read(self._process))
        for request in self._memory():
            self._post(request)

    async def ask(self, request: Request, wanted: type[Wanted], *, about: str | None = None) -> Wanted:
        """The reply to a request; what is under way for other documents than ``about`` is put off for it."""
        await self.start()
        return await self.reply(self.order(request, frozenset(() if about is None else (about,))), wanted)

    async def ask_when_idle(self, request: Request, wanted: type[Wanted]) -> Wanted:
        """The reply to a request that makes way for every other one, and is made again after it."""
        await self.start()
        while True:
            while self._waiting:
                await asyncio.wait([ticket.reply for ticket in self._waiting.values()])
            ticket = self._yielding = self._post(request)
            try:
                return await self.reply(ticket, wanted)
            except CancelledRequestError:
                continue

    def order(self, request: Request, about: frozenset[str] = frozenset(), *, urgent: bool = True) -> Ticket:
        """Send a request; the process must have been started. What is urgent comes before what is about others."""
        if urgent and about:
            for ticket in self._waiting.values():
                if not ticket.makes_way and ticket.can_wait(about):
                    ticket.makes_way = True
                    self._send(Order(ticket.number, None))
        return self._post(request, about)

    async def reply(self, ticket: Ticket, wanted: type[Wanted]) -> Wanted:
        """Wait for the reply to a request.

        Raises CancelledRequestError when it was cancelled, FailedRequestError when the analysis failed, WorkerDiedError when
        that took too long or its process ended, and TypeError for a reply of another kind than ``wanted``.
        """
        try:
            reply = await self._in_time(ticket)
        except asyncio.CancelledError:
            self.cancel(ticket)
            raise
        if isinstance(reply, Cancelled):
            raise CancelledRequestError
        if isinstance(reply, Failed):
            raise FailedRequestError(reply)
        if not isinstance(reply, wanted):
            raise TypeError(type(reply).__name__)
        return reply

    async def _in_time(self, ticket: Ticket) -> Reply:
        """The reply; the time in which others are worked on does not count."""
        while not ticket.reply.done():
            rest = self._turned + _LIMIT - time.monotonic()
            if rest <= 0:
                self._kill()
                raise WorkerDiedError(f"the analysis took longer than {_LIMIT:.0f} seconds")
            await asyncio.wait([ticket.reply], timeout=rest)
        return ticket.reply.result()

    def tell(self, request: Request) -> None:
        """Send what has no reply; a process that does not run yet learns it from the memory."""
        if self._process is not None and self._process.returncode is None:
            self._post(request)

    def cancel(self, ticket: Ticket) -> None:
        """Nobody wants the reply any more."""
        if not ticket.reply.done():
            if not ticket.makes_way:
                self._send(Order(ticket.number, None))
            ticket.makes_way = False

    def _post(self, request: Request, about: frozenset[str] = frozenset()) -> Ticket:
        if self._yielding is not None:
            self.cancel(self._yielding)
            self._yielding = None
        ticket = Ticket(next(self._numbers), request, about)
        self._put_in_line(ticket)
        return ticket

    def _put_in_line(self, ticket: Ticket) -> None:
        if not self._waiting:
            self._turned = time.monotonic()
        self._waiting[ticket.number] = ticket
        self._send(Order(ticket.number, ticket.request))

    def _send(self, order: Order) -> None:
        data = pickle.dumps(order, pickle.HIGHEST_PROTOCOL)
        process = self._process
        if process is not None and process.stdin is not None:
            with contextlib.suppress(OSError, RuntimeError):
                process.stdin.write(HEADER.pack(len(data)) + data)

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        stream = process.stdout
        try:
            while stream is not None:
                (size,) = HEADER.unpack(await stream.readexactly(HEADER.size))
                number, reply = pickle.loads(await stream.readexactly(size))  # noqa: S301 - our own child's
                self._take(number, reply)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            status = await process.wait()
            self._fail(self._fault or f"the process that analyses ended with status {status}")

    def _take(self, number: int, reply: Reply) -> None:
        if isinstance(reply, Failed) and not number:
            self._fault = reply.message
        elif isinstance(reply, Ready):
            self.folder = reply.folder
            if not self.ready.done():
                self.ready.set_result(reply)
        self._turned = time.monotonic()
        ticket = self._waiting.pop(number, None)
        if ticket is None or ticket.reply.done():
            return
        if ticket.makes_way and isinstance(reply, Cancelled):
            ticket.makes_way = False
            ticket.number = next(self._numbers)
            self._put_in_line(ticket)
        else:
            ticket.reply.set_result(reply)

    def _fail(self, reason: str) -> None:
        waiting, self._waiting = self._waiting, {}
        for ticket in waiting.values():
            if not ticket.reply.done():
                ticket.reply.set_exception(WorkerDiedError(reason))

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def close(self) -> None:
        """End the process."""
        self.closed = True
        self._kill()
        if self._reading is not None:
            await self._reading
