"""Progress: telling the client how far a longer piece of work is, and hearing that it is not wanted any more."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from lsprotocol import types

if TYPE_CHECKING:
    from devfix.lsp.session import Session

Result = TypeVar("Result")
_TICK = 0.1


class Progress:
    """One bar in the client, or none where it shows none."""

    def __init__(self, session: Session, token: str | None) -> None:
        self._progress = session.server.work_done_progress
        self._token = token

    @property
    def cancelled(self) -> bool:
        """Whether the user called it off."""
        future = self._progress.tokens.get(self._token) if self._token is not None else None
        return future is not None and future.cancelled()

    def report(self, message: str) -> None:
        """Say what is being done."""
        if self._token is not None:
            self._progress.report(self._token, types.WorkDoneProgressReport(message=message))

    async def unless_cancelled(self, work: Awaitable[Result]) -> Result:
        """The result of some work; raises CancelledError as soon as the user calls it off."""
        task = asyncio.ensure_future(work)
        while not task.done() and not self.cancelled:
            await asyncio.wait([task], timeout=_TICK)
        if not task.done():
            task.cancel()  # once: what it does to end well must not be called off as well
            await asyncio.wait([task])
        return task.result()


@asynccontextmanager
async def progress(session: Session, title: str) -> AsyncIterator[Progress]:
    """Show a bar during the block."""
    if not session.client.progress:
        yield Progress(session, None)
        return
    bars, token = session.server.work_done_progress, str(uuid.uuid4())
    await bars.create_async(token)
    bars.begin(token, types.WorkDoneProgressBegin(title=title, cancellable=True))
    try:
        yield Progress(session, token)
    finally:
        bars.end(token, types.WorkDoneProgressEnd())
        bars.tokens.pop(token, None)
