"""Checker: decides what is analysed when, and keeps the newest outcome for each open document."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass

from devfix.lsp.documents import Documents
from devfix.lsp.messages import Check, Checked, FileView, Prepare
from devfix.lsp.worker import (
    CancelledRequestError,
    FailedRequestError,
    Ticket,
    Worker,
    WorkerDiedError,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Run:
    """A check that is under way."""

    ticket: Ticket
    paths: frozenset[str]


class Checker:
    """Checks the programs of documents that changed, once there is a pause in typing.

    ``deliver`` is told of the documents for which there is something new.
    """

    def __init__(self, worker: Worker, documents: Documents, deliver: Callable[[set[str]], None]) -> None:
        self.debounce = 0.1
        self.views: dict[str, FileView] = {}
        self._worker = worker
        self._documents = documents
        self._deliver = deliver
        self._due: dict[str, None] = {}
        self._members: dict[str, frozenset[str]] = {}
        self._running: _Run | None = None
        self._awake = asyncio.Event()
        self._hurried = asyncio.Event()
        self._waiting = 0
        self._preparing: asyncio.Task[None] | None = None
        self._last_change = 0.0
        self._died: dict[str, int] = {}
        self._turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._loop = asyncio.create_task(self._run())

    def changed(self, path: str) -> None:
        """A document has another text: what is being found out about its old one is of no use."""
        self._last_change = asyncio.get_running_loop().time()
        if self._running is not None and path in self._running.paths:
            self._worker.cancel(self._running.ticket)
        self.want(path)

    def want(self, path: str) -> None:
        """A document is to be checked; the one that was touched last comes first."""
        if path in self._due:
            del self._due[path]
        self._due[path] = None
        self._awake.set()

    def want_all(self) -> None:
        """Files or settings changed."""
        for document in self._documents.programs():
            self.want(document.path)

    def forget(self, path: str) -> None:
        """A document was closed."""
        self._due.pop(path, None)
        self.views.pop(path, None)
        for other in self._members.pop(path, frozenset()):
            if self._documents.get(other) is not None:
                self.want(other)
        self._end_turn()

    async def settled(self, path: str) -> FileView | None:
        """What is known of a document in its newest text, as soon as it is."""
        self._waiting += 1
        self._hurried.set()
        try:
            while path in self._due:
                await asyncio.shield(self._turn)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._hurried.clear()
        return self.views.get(path)

    def current(self, path: str) -> FileView | None:
        """What is known of a document now, if that is of its newest text and the analysis could read it."""
        view, document = self.views.get(path), self._documents.get(path)
        if view is None or document is None or view.stale or view.revision != document.revision:
            return None
        return view

    async def close(self) -> None:
        """Stop."""
        tasks = [task for task in (self._loop, self._preparing) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    async def _run(self) -> None:
        while True:
            await self._awake.wait()
            await self._pause()
            if not self._due:
                self._awake.clear()
                continue
            path = next(reversed(self._due))
            try:
                fresh = await self._check(path)
                self._end_turn()
                if fresh:
                    self._deliver(fresh)
            except Exception:
                # A defect of ours in one answer must not end all that follow.
                log.exception("%s", path)
                self._due.pop(path, None)
                self._end_turn()

    async def _pause(self) -> None:
        """Wait until typing stops, or somebody asks."""
        while not self._waiting:
            rest = self._last_change + self.debounce - asyncio.get_running_loop().time()
            if rest <= 0:
                return
            try:
                await asyncio.wait_for(self._hurried.wait(), rest)
            except asyncio.TimeoutError:
                continue

    def _end_turn(self) -> None:
        done, self._turn = self._turn, asyncio.get_running_loop().create_future()
        done.set_result(None)

    async def _check(self, path: str) -> set[str]:
        document = self._documents.get(path)
        if document is None:
            self._due.pop(path, None)
            return set()
        try:
            checked = await self._checked(path)
        except CancelledRequestError:
            return set()
        except (WorkerDiedError, FailedRequestError) as error:
            if isinstance(error, WorkerDiedError) and self._died.get(path) != document.revision:
                self._died[path] = document.revision  # it may have died of something else: once more
                return set()
            trace = error.trace if isinstance(error, FailedRequestError) else ""
            views = {path: FileView(document.revision, fault=f"devfix failed: {error}", trace=trace)}
            checked = Checked(views)
        fresh = {each for each, view in checked.views.items() if self._accept(each, view)}
        self._regroup(path, frozenset(checked.views))
        if checked.provisional and (self._preparing is None or self._preparing.done()):
            self._preparing = asyncio.create_task(self._prepare(path))
        return fresh

    async def _checked(self, path: str) -> Checked:
        await self._worker.start()
        ticket = self._worker.order(Check(path))
        self._running = _Run(ticket, self._members.get(path, frozenset()) | {path})
        try:
            return await self._worker.reply(ticket, Checked)
        finally:
            self._running = None

    async def _prepare(self, path: str) -> None:
        """Have the rest of the folder read, and look at all that is open again."""
        with contextlib.suppress(WorkerDiedError, FailedRequestError):
            await self._worker.ask_when_idle(Prepare(path), Prepare)
            self.want_all()

    def _accept(self, path: str, view: FileView) -> bool:
        """Whether a view is of the newest text of an open document, and so news."""
        document = self._documents.get(path)
        if document is None or view.revision != document.revision:
            return False
        self._due.pop(path, None)
        changed = self.views.get(path) != view
        self.views[path] = view
        return changed

    def _regroup(self, path: str, members: frozenset[str]) -> None:
        """What was of the same program, and is not any more, is to be looked at again."""
        parted = self._members.get(path, frozenset()) - members
        for member in members:
            self._members[member] = members
        for other in parted:
            self._members.pop(other, None)
            if self._documents.get(other) is not None:
                self.want(other)
