"""Session: everything the server knows between the first message of a client and the last."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from devfix.lsp.checker import Checker
from devfix.lsp.client import Client, Options, client_of, options_of
from devfix.lsp.diagnostics import Renderer, Shown
from devfix.lsp.documents import Document, Documents, OutOfStepError, path_of, text_on_disk, uri_of
from devfix.lsp.messages import (
    Configure,
    Drop,
    FileView,
    GetReady,
    Mend,
    Mended,
    Put,
    Refresh,
    Request,
    RuleCard,
    See,
    Seen,
)
from devfix.lsp.positions import Lines
from devfix.lsp.worker import FailedRequestError, Worker, WorkerDiedError

if TYPE_CHECKING:
    from devfix.lsp.server import DevfixServer

log = logging.getLogger(__name__)

#: Who has not typed for so many seconds may be about to choose a fix.
_PAUSE = 0.25


class Session:
    """One client, its documents, and what is known of them."""

    def __init__(self, server: DevfixServer, params: types.InitializeParams, encoding: str) -> None:
        self.server = server
        self.client: Client = client_of(params.capabilities)
        self.options: Options = options_of(params.initialization_options)
        self.folders = _folders(params)
        self.documents = Documents(encoding, self._folder_of_unsaved())
        #: What runs of programs showed, until the file is edited.
        self.observed: dict[str, list[types.Diagnostic]] = {}
        self.home = next((each for each in self.folders if os.path.isdir(each)), os.path.expanduser("~"))
        self.worker = Worker(self.home, self._memory)
        self.checker = Checker(self.worker, self.documents, self.deliver)
        self.checker.debounce = self.options.debounce / 1000
        self.rules: dict[str, RuleCard] = {}
        self._pulling: Counter[str] = Counter()
        self._shown: dict[str, tuple[list[types.Diagnostic], str]] = {}
        #: No name is given twice: a client may still know what it stood for before a document came to lie elsewhere.
        self._names = map(str, count(1))
        self._sights: dict[str, Seen] = {}
        self._mends: dict[Mend, asyncio.Task[Mended]] = {}
        self._readying: dict[str, asyncio.Task[None]] = {}
        self._told: set[str] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self.spawn(self._start())

    def spawn(self, work: Any) -> asyncio.Task[Any]:
        """Let work go on beside the answers to the client; what it raises is logged, and the end calls it off."""
        task: asyncio.Task[Any] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("a task of the server failed", exc_info=task.exception())

    async def _start(self) -> None:
        await self.worker.start()
        ready = await asyncio.shield(self.worker.ready)
        self.rules = {card.code: card for card in ready.rules}
        for fault in ready.faults:
            self.say(f"devfix: {fault}", types.MessageType.Warning)

    def _memory(self) -> Iterable[Request]:
        yield Configure(self.folders)
        for document in self.documents.programs():
            yield Put(document.path, document.text, document.revision)

    async def close(self) -> None:
        """Call off checks and other work, and end the process that does it."""
        await self.checker.close()
        for task in list(self._tasks):
            task.cancel()
        await self.worker.close()

    # Documents

    def opened(self, item: types.TextDocumentItem) -> None:
        """A document is open."""
        self._changed(self.documents.open(item))

    def edited(self, params: types.DidChangeTextDocumentParams) -> None:
        """A document has another text."""
        try:
            document = self.documents.change(params)
        except OutOfStepError as error:
            log.warning("%s", error)
            return
        self.observed.pop(document.path, None)
        self._changed(document)

    def closed(self, uri: str) -> None:
        """A document is closed: what was shown for it goes."""
        document = self.documents.of(uri)
        path = self.documents.close(uri)
        self._forget_mends()
        self._stop_readying(path, whatever=True)
        for kept in (self.observed, self._shown, self._sights):
            kept.pop(path, None)
        self.worker.tell(Drop(path))
        self.checker.forget(path)
        if document is not None and not self.client.pulls:
            self._publish(types.PublishDiagnosticsParams(document.uri, []))

    def edited_notebook(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """A notebook has other cells."""
        try:
            document = self.documents.change_notebook(params)
        except OutOfStepError as error:
            log.warning("%s", error)
            return
        cells, notebook = params.change.cells, self.documents.notebook(document.path)
        if notebook is not None and cells is not None and (cells.structure or cells.text_content):
            for cell in notebook.cells:
                self.observed.pop(cell, None)
        self._changed(document)

    def closed_notebook(self, uri: str) -> None:
        """A notebook is closed."""
        path, cells = self.documents.close_notebook(uri)
        self._forget_mends()
        self.worker.tell(Drop(path))
        self.checker.forget(path)
        for cell in cells:
            self._shown.pop(cell, None)
            self.observed.pop(cell, None)
            if not self.client.pulls:
                self._publish(types.PublishDiagnosticsParams(cell, []))

    def opened_notebook(self, params: types.DidOpenNotebookDocumentParams) -> None:
        """A notebook is open."""
        self._changed(self.documents.open_notebook(params))

    def _changed(self, document: Document) -> None:
        if document.is_program:
            self._forget_mends()
            self._stop_readying(document.path)
            self.worker.tell(Put(document.path, document.text, document.revision))
            self.checker.changed(document.path)

    def refresh(self, events: Sequence[types.FileEvent] | None = None) -> None:
        """Files or settings changed on disk; nobody knows which, without events."""
        contents = events is not None and all(
            event.type == types.FileChangeType.Changed and event.uri.endswith(".py") for event in events
        )
        self._forget_mends()
        self.worker.tell(Refresh(contents_only=contents))
        self._sights.clear()
        self.checker.want_all()

    def configure(self, given: object) -> None:
        """The user changed what is set in the editor."""
        self.options = options_of(given, self.options)
        self.checker.debounce = self.options.debounce / 1000
        if self.client.refreshes_inlay_hints:
            self.server.workspace_inlay_hint_refresh(None)

    def move_folders(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        """Folders of the workspace came or went."""
        gone = {path_of(folder.uri) for folder in event.removed}
        self._forget_mends()
        kept = [folder for folder in self.folders if folder not in gone]
        self.folders = tuple(dict.fromkeys([*kept, *(path_of(folder.uri) for folder in event.added)]))
        self.worker.tell(Configure(self.folders))
        self.checker.want_all()
        self._move_unsaved()

    def _folder_of_unsaved(self) -> str | None:
        return next(filter(os.path.isdir, self.folders), None)

    def _move_unsaved(self) -> None:
        """What was never saved lies in the first folder, which may be another now."""
        home = self._folder_of_unsaved()
        if home == self.documents.home:
            return
        self.documents.home = home
        for each in self.documents.unsaved():
            if self.documents.notebook(each.path) is None:
                self.closed(each.uri)
                self.opened(each.item)
            else:
                params = self.documents.as_opened(each)
                self.closed_notebook(each.uri)
                self.opened_notebook(params)

    # What is shown

    @property
    def renderer(self) -> Renderer:
        """Findings in the client's terms."""
        return Renderer(
            self.client,
            self.worker.folder,
            self.rules,
            self.lines_at,
            self.documents.uri,
            lambda path: self.documents.get(path) is not None,
        )

    def lines_at(self, path: str) -> Lines | None:
        """The lines of a file, as the client has it open or else as it is on disk."""
        document = self.documents.get(path)
        if document is not None:
            return document.lines
        text = text_on_disk(path)
        return None if text is None else Lines(text, self.documents.encoding)

    def deliver(self, paths: set[str]) -> None:
        """There is something new about these documents."""
        for path in paths:
            view = self.checker.views.get(path)
            if view is not None:
                self._tell_of_defect(path, view)
                self._get_ready(path)
        self.show(paths)

    def _get_ready(self, path: str) -> None:
        """While nobody wants anything else, have that done which the first edit and the first fix need."""
        if path not in self._readying and self.documents.get(path) is not None:
            self._readying[path] = self.spawn(self._ready(path))

    def _stop_readying(self, path: str, *, whatever: bool = False) -> None:
        """Put off what is not done yet: somebody types."""
        task = self._readying.get(path)
        if task is not None and (whatever or not task.done()):
            task.cancel()
            del self._readying[path]

    async def _ready(self, path: str) -> None:
        await asyncio.sleep(_PAUSE)
        with contextlib.suppress(WorkerDiedError, FailedRequestError):
            await self.worker.ask_when_idle(GetReady(path), GetReady)

    def show(self, paths: Iterable[str]) -> None:
        """Let the client have the diagnostics of these documents."""
        if not self.client.pulls:
            for path in paths:
                self._push(path)
        elif any(not self._pulling[path] for path in paths):
            self.server.workspace_diagnostic_refresh(None)

    def _push(self, path: str) -> None:
        notebook = self.documents.notebook(path)
        if notebook is not None:
            for cell in notebook.cells:
                self._push(cell)
            return
        document = self.documents.get(path)
        if document is None:
            self._publish(types.PublishDiagnosticsParams(uri_of(path), self.observed.get(path, [])))
            return
        found = self.diagnostics(document)
        self._publish(types.PublishDiagnosticsParams(document.uri, found, document.version))

    def _publish(self, params: types.PublishDiagnosticsParams) -> None:
        self.server.text_document_publish_diagnostics(params)

    def diagnostics(self, document: Document) -> list[types.Diagnostic]:
        """All that is shown for a document."""
        analysed = self.documents.analysed(document)
        view = self.checker.views.get(analysed.path) if analysed is not None else None
        found = [] if view is None else self._diagnostics(document, view)
        return [*found, *self.observed.get(document.path, ())]

    def _diagnostics(self, document: Document, view: FileView) -> list[types.Diagnostic]:
        return self.renderer.diagnostics(view, self.shown(document, view), document.lines)

    def shown(self, document: Document, view: FileView) -> list[Shown]:
        """The findings of a view that are in a document; those of a notebook are shown in its cells."""
        notebook = self.documents.notebook_of(document)
        if notebook is None:
            return [Shown(finding, finding) for finding in view.findings]
        path, renderer = notebook.path, self.renderer
        moved = (
            Shown(notebook.in_cells(each, lambda other: renderer.path(other) == path), each)
            for each in view.findings
        )
        return [each for each in moved if each.finding.path == document.path]

    async def settled(self, document: Document) -> tuple[Document | None, FileView | None]:
        """What is known of a document in its newest text, as soon as it is, if the analysis could read it."""
        analysed = self.documents.analysed(document)
        if analysed is not None:
            await self.checker.settled(analysed.path)
        newest = self.documents.get(document.path)
        return newest, self.current(newest) if newest is not None else None

    def current(self, document: Document) -> FileView | None:
        """What is known of a document now, if that is of its newest text and the analysis could read it."""
        analysed = self.documents.analysed(document)
        return self.checker.current(analysed.path) if analysed is not None else None

    async def pull(self, path: str) -> tuple[list[types.Diagnostic], str]:
        """The diagnostics of a document's newest text, and a name for them."""
        document = self.documents.get(path)
        analysed = self.documents.analysed(document) if document is not None else None
        home = analysed.path if analysed is not None else path
        self._pulling[home] += 1
        try:
            await self.checker.settled(home)
        finally:
            self._pulling[home] -= 1
        document = self.documents.get(path)
        if document is None:
            return [], next(self._names)
        found = self.diagnostics(document)
        known, name = self._shown.get(path, (None, ""))
        if known != found:
            name = next(self._names)
            self._shown[path] = (found, name)
        return found, name

    async def mended(self, request: Mend) -> Mended:
        """What fixes make of the texts as they are; begun already where the fix was offered."""
        return await asyncio.shield(self.begin_mending(request))

    def begin_mending(self, request: Mend) -> asyncio.Task[Mended]:
        """Find out what fixes make of the texts, for when somebody asks."""
        task = self._mends.get(request)
        if task is None:
            task = self._mends[request] = self.spawn(self.worker.ask(request, Mended, about=request.path))
        return task

    def _forget_mends(self) -> None:
        for task in self._mends.values():
            task.cancel()
        self._mends.clear()

    async def sights(self, document: Document) -> Seen:
        """What the expressions of a document stand for."""
        known = self._sights.get(document.path)
        if not document.is_program:
            return Seen(document.revision)
        if known is None or known.revision != document.revision:
            known = await self.worker.ask(See(document.path), Seen, about=document.path)
            if self.documents.get(document.path) is not None:  # it may have been closed meanwhile
                self._sights[document.path] = known
        return known

    def say(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Show the user a message."""
        self.server.window_show_message(types.ShowMessageParams(kind, message))

    def _tell_of_defect(self, path: str, view: FileView) -> None:
        """A defect of ours is shown once, with its traceback in the log."""
        if view.trace and view.trace not in self._told:
            self._told.add(view.trace)
            log.error("%s: %s", path, view.trace)
            self.say(f"{os.path.basename(path)}: {view.fault}", types.MessageType.Warning)


def _folders(params: types.InitializeParams) -> tuple[str, ...]:
    if params.workspace_folders:
        return tuple(_unique(path_of(folder.uri) for folder in params.workspace_folders))
    if params.root_uri:
        return (path_of(params.root_uri),)
    return (os.path.normpath(params.root_path),) if params.root_path else ()


def _unique(paths: Iterable[str]) -> Iterator[str]:
    yield from dict.fromkeys(paths)
