"""How long the language server puts off what takes long: not for ever."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest
from lsprotocol import types

from devfix.lsp import checker, worker
from devfix.lsp.checker import Checker
from devfix.lsp.documents import Documents
from devfix.lsp.messages import Cancelled, Check, Checked, FileView, Request
from devfix.lsp.worker import CancelledRequestError, Ticket, Worker

pytestmark = pytest.mark.asyncio


class SlowWorker:
    """A worker that never comes to an end unless it is told to."""

    def __init__(self) -> None:
        self.ordered: list[Ticket] = []

    async def start(self) -> None:
        pass

    def order(self, request: Request, about: frozenset[str], *, urgent: bool) -> Ticket:
        self.ordered.append(Ticket(len(self.ordered), request, about))
        return self.ordered[-1]

    async def reply(self, ticket: Ticket, _wanted: type[Checked]) -> object:
        reply = await ticket.reply
        if isinstance(reply, Cancelled):
            raise CancelledRequestError
        return reply

    def cancel(self, ticket: Ticket) -> None:
        ticket.reply.set_result(Cancelled())

    def paths(self) -> list[str]:
        return [ticket.request.path for ticket in self.ordered if isinstance(ticket.request, Check)]


class Desk:
    """A large and a small document, and what checks them."""

    def __init__(self) -> None:
        self.worker, self.documents = SlowWorker(), Documents("utf-16")
        self.checker = Checker(cast("Worker", self.worker), self.documents, lambda _: None)
        self.checker.debounce = 0.0
        for name in ("small", "large"):
            self.documents.open(types.TextDocumentItem(f"file:///{name}.py", "python", 1, ""))

    async def typed(self, name: str) -> None:
        self.checker.changed(f"/{name}.py")
        for _ in range(10):
            await asyncio.sleep(0.001)

    async def done(self) -> None:
        ticket = self.worker.ordered[-1]
        (path,) = ticket.about
        document = self.documents.get(path)
        assert document is not None
        ticket.reply.set_result(Checked({path: FileView(document.revision)}))
        for _ in range(10):
            await asyncio.sleep(0.001)


async def test_a_check_is_put_off_for_typing_elsewhere_until_it_is_overdue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = Desk()
    await desk.typed("large")
    await desk.typed("small")
    assert desk.worker.paths() == ["/large.py", "/small.py"]
    await desk.done()
    assert desk.worker.paths()[2:] == ["/large.py"]
    monkeypatch.setattr(checker, "_PATIENCE", 0.0)
    await desk.typed("small")
    # It is let come to its end.
    assert desk.worker.paths()[3:] == []
    await desk.done()
    assert desk.worker.paths()[3:] == ["/small.py"]
    await desk.done()
    assert sorted(desk.checker.views) == ["/large.py", "/small.py"]
    await desk.checker.close()


async def test_typing_in_it_breaks_off_an_overdue_check_and_begins_its_time_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    desk = Desk()
    await desk.typed("large")
    monkeypatch.setattr(checker, "_PATIENCE", 0.0)
    await desk.typed("large")
    assert desk.worker.paths() == ["/large.py", "/large.py"]
    monkeypatch.setattr(checker, "_PATIENCE", 5.0)
    await desk.typed("small")
    assert desk.worker.paths()[2:] == ["/small.py"]
    await desk.checker.close()


async def test_a_request_is_put_off_for_others_until_it_has_waited_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = Worker("/", tuple)
    large = line.order(Check("/large.py"), frozenset({"/large.py"}))
    line.order(Check("/large.py"), frozenset({"/large.py"}))
    assert not large.makes_way
    monkeypatch.setattr(worker, "_PATIENCE", -1.0)
    line.order(Check("/small.py"), frozenset({"/small.py"}))
    assert not large.makes_way
    monkeypatch.setattr(worker, "_PATIENCE", 60.0)
    line.order(Check("/small.py"), frozenset({"/small.py"}))
    assert large.makes_way
