"""Server: the messages of the Language Server Protocol, and who answers them."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from typing import Any, NoReturn

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

import devfix
from devfix.alive import is_running
from devfix.baseline.file import USUAL_NAME
from devfix.config.reading import NAMES
from devfix.lsp import actions, commands, hover
from devfix.lsp.life import live
from devfix.lsp.session import Session

log = logging.getLogger(__name__)

_WATCHED = ("**/*.py", *(f"**/{name}" for name in (*NAMES, USUAL_NAME)))


class _Protocol(LanguageServerProtocol):
    """Documents are kept by the session: pygls splits lines where clients do not, and loses count."""

    _server: DevfixServer

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_args: Any) -> None:  # type: ignore[override]
        """End in order: pygls would leave from here, and what the session started would stay."""
        self._server.last_message.set()

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        self._server.session.opened(params.text_document)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        self._server.session.edited(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._server.session.closed(params.text_document.uri)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: types.DidOpenNotebookDocumentParams) -> None:
        self._server.session.opened_notebook(params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: types.DidChangeNotebookDocumentParams) -> None:
        self._server.session.edited_notebook(params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: types.DidCloseNotebookDocumentParams) -> None:
        self._server.session.closed_notebook(params.notebook_document.uri)


class DevfixServer(LanguageServer):
    """The server, with the session of its client once that has said what it can do."""

    protocol: _Protocol

    def __init__(self) -> None:
        super().__init__(
            "devfix", devfix.__version__, notebook_document_sync=_notebooks(), protocol_cls=_Protocol
        )
        self._session: Session | None = None
        self.last_message = threading.Event()
        #: The process that the server must not outlive.
        self.client_process: int | None = None
        self.was_shut_down = False
        _register(self)

    @property
    def session(self) -> Session:
        """The session; raises RuntimeError before there is one, which only a client that breaks the protocol meets."""
        if self._session is None:
            raise RuntimeError("the client has not initialized the server")
        return self._session

    def begin(self, params: types.InitializeParams) -> Session:
        """A client has said hello."""
        encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        self._session = Session(self, params, str(getattr(encoding, "value", encoding)))
        # One that is not there is counted elsewhere, as outside of a container.
        if params.process_id is not None and params.process_id > 0 and is_running(params.process_id):
            self.client_process = params.process_id
        return self._session

    async def close(self) -> None:
        """End what the session started, if there is one."""
        if self._session is not None:
            await self._session.close()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """What goes wrong in a handler is for the log: a popup for each would be worse than the fault."""
        log.error("%s: %s", getattr(source, "__name__", source), error)


def serve() -> NoReturn:
    """Serve one client over standard input and output, and end the process."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="devfix: %(message)s")
    logging.getLogger("pygls.protocol.json_rpc").setLevel(logging.CRITICAL)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What a library prints must not get among the messages.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    live(DevfixServer(), sys.stdin.buffer, out)


def _register(server: DevfixServer) -> None:
    _register_life(server)
    _register_diagnoses(server)
    _register_actions(server)
    commands.register(server)


def _register_life(server: DevfixServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        session = server.begin(params)
        if session.client.pulls:
            _register_pull(server)

    @server.feature(types.INITIALIZED)
    async def initialized(_params: types.InitializedParams) -> None:
        session = server.session
        if session.client.configuration:
            await _read_configuration(server)
        if session.client.watches_files:
            with contextlib.suppress(JsonRpcException):
                await server.client_register_capability_async(_watching())

    @server.feature(types.SHUTDOWN)
    async def shutdown(_params: None) -> None:
        server.was_shut_down = True
        await server.close()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(params: types.DidChangeConfigurationParams) -> None:
        if server.session.client.configuration:
            await _read_configuration(server)
        else:
            server.session.configure(params.settings)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_moved(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.session.move_folders(params.event)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        server.session.refresh(params.changes)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(_params: types.DidSaveTextDocumentParams) -> None:
        if not server.session.client.watches_files:
            server.session.refresh()


def _notebooks() -> types.NotebookDocumentSyncOptions:
    python = [types.NotebookCellLanguage("python")]
    return types.NotebookDocumentSyncOptions(
        [types.NotebookDocumentFilterWithNotebook("jupyter-notebook", python)]
    )


def _watching() -> types.RegistrationParams:
    watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
    return types.RegistrationParams([types.Registration("devfix-files", method, options)])


async def _read_configuration(server: DevfixServer) -> None:
    items = [types.ConfigurationItem(section="devfix")]
    with contextlib.suppress(JsonRpcException):
        answers = await server.workspace_configuration_async(types.ConfigurationParams(items))
        if answers and answers[0]:
            server.session.configure(answers[0])


def _register_diagnoses(server: DevfixServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hovered(params: types.HoverParams) -> types.Hover | None:
        return await hover.hover(server.session, params)

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        return await hover.inlay_hints(server.session, params)


def _register_pull(server: DevfixServer) -> None:
    """Only for clients that pull well: one that was told of both ways would show everything twice."""
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=False, identifier="devfix"
    )

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def pulled(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        session = server.session
        document = session.documents.of(params.text_document.uri)
        if document is None:
            return types.RelatedFullDocumentDiagnosticReport([])
        found, name = await session.pull(document.path)
        if name == params.previous_result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(name)
        return types.RelatedFullDocumentDiagnosticReport(found, result_id=name)


def _register_actions(server: DevfixServer) -> None:
    kinds = [types.CodeActionKind.QuickFix, actions.FIX_ALL]
    options = types.CodeActionOptions(code_action_kinds=kinds, resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def offered(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await actions.offered(server.session, params)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolved(action: types.CodeAction) -> types.CodeAction:
        return await actions.resolved(server.session, action)
