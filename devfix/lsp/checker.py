"""Checker: decides what is analysed when, and keeps the newest outcome for each open document."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

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

#: A check is begun while somebody types where the one before took no longer than this, in seconds.
_QUICK = 0.3
#: A check that has been due for so long, in seconds, makes way no more for typing in another program.
_PATIENCE = 20.0


class Checker:
    """Checks the programs of documents that changed, and tells of it once there is a pause in typing.

    What takes long is not begun before that pause. ``deliver`` is told of the documents for which there is something new.
    """

    def __init__(self, worker: Worker, documents: Documents, deliver: Callable[[set[str]], None]) -> None:
        self.debounce = 0.1
        self.views: dict[str, FileView] = {}
        self._worker = worker
        self._documents = documents
        self._deliver = deliver
        #: What is to be checked, and since when.
        self._due: dict[str, float] = {}
        self._members: dict[str, frozenset[str]] = {}
        self._running: tuple[str, Ticket] | None = None
        self._typed_in: str | None = None
        self._stirred = asyncio.Event()
        #: What the client is told when typing stops, and the documents whose checks take little time.
        self._fresh: set[str] = set()
        self._quick: set[str] = set()
        self._waiting = 0
        self._preparing: asyncio.Task[None] | None = None
        self._last_change = 0.0
        self._died: dict[str, int] = {}
        self._turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._loop = asyncio.create_task(self._run())

    def changed(self, path: str) -> None:
        """A document has another text: what is being found out about its old one is of no use.

        What is being found out about another program is put off: nobody is to wait for it who types here, unless
        it was put off for long.
        """
        self._last_change = asyncio.get_running_loop().time()
        if self._running is not None:
            checked, ticket = self._running
            if path in ticket.about or not self._is_overdue(checked):
                self._worker.cancel(ticket)
        self._typed_in = path
        self._due.pop(path, None)
        self.want(path)

    def want(self, path: str) -> None:
        """A document is to be checked; the one that was touched last comes first."""
        self._due[path] = self._due.pop(path, asyncio.get_running_loop().time())
        self._stirred.set()

    def want_all(self) -> None:
        """Files or settings changed."""
        for document in self._documents.programs():
            self.want(document.path)

    def forget(self, path: str) -> None:
        """Drop what is known of a closed document, and check again what was one program with it."""
        self._due.pop(path, None)
        self.views.pop(path, None)
        for other in self._members.pop(path, frozenset()):
            if self._documents.get(other) is not None:
                self.want(other)
        self._end_turn()

    async def settled(self, path: str) -> FileView | None:
        """What is known of a document in its newest text, as soon as it is."""
        self._waiting += 1
        self._stirred.set()
        try:
            while path in self._due:
                await asyncio.shield(self._turn)
        finally:
            self._waiting -= 1
        return self.views.get(path)

    def current(self, path: str) -> FileView | None:
        """What is known of a document now, if that is of its newest text and the analysis could read it."""
        view, document = self.views.get(path), self._documents.get(path)
        if view is None or document is None or view.stale or view.revision != document.revision:
            return None
        return view

    async def close(self) -> None:
        """Call off all checks, and return when they have ended."""
        tasks = [task for task in (self._loop, self._preparing) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    async def _run(self) -> None:
        while True:
            self._tell()
            path = next(reversed(self._due), None)
            if path is None or not (self._is_quiet() or path in self._quick or self._is_overdue(path)):
                await self._rest()
                continue
            try:
                self._fresh |= await self._timed_check(path)
            except Exception:
                # A defect of ours in one answer must not end all that follow.
                log.exception("%s", path)
                self._due.pop(path, None)
            self._end_turn()

    def _tell(self) -> None:
        """Tell the client what is new, if typing has stopped."""
        if not self._fresh or not self._is_quiet():
            return
        fresh, self._fresh = self._fresh, set()
        try:
            self._deliver({path for path in fresh if self._is_newest(path)})
        except Exception:
            log.exception("%s", ", ".join(sorted(fresh)))

    async def _timed_check(self, path: str) -> set[str]:
        """Check a document, and note whether that is quick; nothing is told of one that is broken off."""
        loop = asyncio.get_running_loop()
        start = loop.time()
        fresh = await self._check(path)
        if path not in self._due:
            (self._quick.add if loop.time() - start <= _QUICK else self._quick.discard)(path)
        return fresh

    def _is_newest(self, path: str) -> bool:
        """Whether what is known of a document is of its newest text; else it is looked at again anyway."""
        view, document = self.views.get(path), self._documents.get(path)
        return view is not None and document is not None and view.revision == document.revision

    def _is_quiet(self) -> bool:
        """Whether typing has stopped, or somebody asks."""
        return self._waiting > 0 or self._rest_of_pause() <= 0

    def _is_overdue(self, path: str) -> bool:
        now = asyncio.get_running_loop().time()
        return now - self._due.get(path, now) > _PATIENCE

    def _rest_of_pause(self) -> float:
        return self._last_change + self.debounce - asyncio.get_running_loop().time()

    async def _rest(self) -> None:
        """Wait until something changes, typing stops, or somebody asks."""
        rest = self._rest_of_pause() if self._due or self._fresh else None
        self._stirred.clear()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._stirred.wait(), rest)

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
        about = self._members.get(path, frozenset()) | {path}
        ticket = self._worker.order(Check(path), about, urgent=path == self._typed_in)
        self._running = (path, ticket)
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
