"""Editor: a client that does what VS Code or Neovim do, with its own idea of what each text is."""

from __future__ import annotations

import asyncio
import copy
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.uris import to_fs_path
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 30.0
#: A line with its end.
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)")
_WIDTHS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def vscode() -> types.ClientCapabilities:
    """VS Code, as recorded, with what later versions added: diagnostics on request and encodings."""
    capabilities = copy.deepcopy(client_capabilities("visual-studio-code"))
    assert capabilities.text_document
    assert capabilities.workspace
    capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities(True, False)
    capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(True)
    capabilities.notebook_document = types.NotebookDocumentClientCapabilities(
        types.NotebookDocumentSyncClientCapabilities(True, False)
    )
    capabilities.text_document.inlay_hint = types.InlayHintClientCapabilities(True)
    return capabilities


def neovim() -> types.ClientCapabilities:
    """Neovim 0.11, as recorded."""
    return copy.deepcopy(client_capabilities("neovim@v0.11.0"))


def split(text: str) -> list[str]:
    """The lines of a text as the protocol has them."""
    lines = _LINE.findall(text)
    return [*lines, text[sum(map(len, lines)) :]]


def offset_of(text: str, position: types.Position, encoding: str) -> int:
    """Where a position is in a text, found by way of the bytes of its line."""
    codec, width = _WIDTHS[encoding]
    lines = split(text)
    if position.line >= len(lines):
        return len(text)
    line = lines[position.line].rstrip("\r\n").encode(codec, "surrogatepass")
    before = line[: position.character * width].decode(codec, "surrogatepass")
    return sum(map(len, lines[: position.line])) + len(before)


def position_of(text: str, offset: int, encoding: str) -> types.Position:
    """The position of an offset, which must not cut a line's end."""
    codec, width = _WIDTHS[encoding]
    lines = split(text)
    for number, line in enumerate(lines):
        if offset < len(line) or number == len(lines) - 1:
            return types.Position(number, len(line[:offset].encode(codec, "surrogatepass")) // width)
        offset -= len(line)
    raise AssertionError


def after_edits(text: str, edits: Sequence[Any], encoding: str) -> str:
    """A text after edits that all speak of it as it was."""
    places = [
        (
            offset_of(text, edit.range.start, encoding),
            offset_of(text, edit.range.end, encoding),
            edit.new_text,
        )
        for edit in edits
    ]
    for start, end, new in sorted(places, reverse=True):
        text = text[:start] + new + text[end:]
    return text


class Editor:
    """One connection, and the texts that are open in it."""

    def __init__(self, client: LanguageClient, result: types.InitializeResult) -> None:
        self.client = client
        self.capabilities = result.capabilities
        encoding = result.capabilities.position_encoding
        self.encoding = str(getattr(encoding, "value", encoding))
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self._news = asyncio.Event()

    def open(self, path: Path, text: str | None = None, language: str = "python") -> str:
        """Open a file with what is in it, or with another text."""
        return self.open_as(path.as_uri(), path.read_bytes().decode() if text is None else text, language)

    def open_as(self, uri: str, text: str, language: str = "python") -> str:
        """Open a text that is called so."""
        self.texts[uri], self.versions[uri] = text, 1
        item = types.TextDocumentItem(uri, language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )
        self.texts.pop(uri)

    def replace(self, uri: str, old: str, new: str, *, version: int | None = None) -> None:
        """Type ``new`` over the first place that reads ``old``."""
        text = self.texts[uri]
        start = text.index(old)
        self.change(uri, start, start + len(old), new, version=version)

    def change(self, uri: str, start: int, end: int, new: str, *, version: int | None = None) -> None:
        """Replace what is between two offsets."""
        text = self.texts[uri]
        place = types.Range(position_of(text, start, self.encoding), position_of(text, end, self.encoding))
        self.texts[uri] = text[:start] + new + text[end:]
        self.versions[uri] = version if version is not None else self.versions[uri] + 1
        identifier = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        part = types.TextDocumentContentChangePartial(place, new)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [part]))

    async def diagnostics(self, uri: str) -> Sequence[types.Diagnostic]:
        """The diagnostics of the newest text, pulled or waited for."""
        if self.capabilities.diagnostic_provider is not None:
            report = await self.client.text_document_diagnostic_async(
                types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
            )
            assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
            return report.items
        while (pushed := self._pushed(uri)) is None:
            self._news.clear()
            await asyncio.wait_for(self._news.wait(), PATIENCE)
        return pushed.diagnostics

    def take(self, params: types.PublishDiagnosticsParams) -> None:
        """The server publishes diagnostics."""
        self.published[params.uri] = params
        self._news.set()

    def _pushed(self, uri: str) -> types.PublishDiagnosticsParams | None:
        pushed = self.published.get(uri)
        return pushed if pushed is not None and pushed.version == self.versions.get(uri) else None

    async def codes(self, uri: str) -> list[str]:
        """The codes of the findings of the newest text."""
        return sorted(str(each.code) for each in await self.diagnostics(uri))

    async def becomes(self, uri: str, codes: list[str]) -> None:
        """Wait until the diagnostics have these codes: they follow changes elsewhere in their own time."""
        loop = asyncio.get_running_loop()
        end = loop.time() + PATIENCE
        while (found := await self.codes(uri)) != codes:
            assert loop.time() < end, f"{found} instead of {codes}"
            await asyncio.sleep(0.02)

    async def until(self, condition: Any) -> None:
        """Wait for something to come true."""
        loop = asyncio.get_running_loop()
        end = loop.time() + PATIENCE
        while not condition():
            assert loop.time() < end, "it does not come"
            await asyncio.sleep(0.005)

    async def actions(
        self, uri: str, diagnostic: types.Diagnostic | None = None, only: list[str] | None = None
    ) -> list[types.CodeAction]:
        """What can be done about a diagnostic, or about the whole file."""
        place = types.Range(types.Position(0, 0), types.Position(100_000, 0))
        context = types.CodeActionContext([diagnostic] if diagnostic else [], only)
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(uri), diagnostic.range if diagnostic else place, context
        )
        found = await self.client.text_document_code_action_async(params)
        return [each for each in found or [] if isinstance(each, types.CodeAction)]

    async def action(self, uri: str, title: str) -> types.CodeAction:
        """The first action whose title has some words."""
        actions = await self.actions(uri)
        chosen = [each for each in actions if title in each.title]
        assert chosen, [each.title for each in actions]
        return chosen[0]

    async def choose(self, action: types.CodeAction) -> None:
        """Resolve an action and make its edit."""
        if action.edit is None:
            action = await self.client.code_action_resolve_async(action)
        assert action.edit is not None
        self.apply(action.edit)

    def apply(self, edit: types.WorkspaceEdit) -> None:
        """Make an edit as an editor does: not if it is for another version; in files that are closed, on disk."""
        for change in edit.document_changes or ():
            assert isinstance(change, types.TextDocumentEdit)
            uri, version = change.text_document.uri, change.text_document.version
            if uri in self.texts:
                assert version == self.versions[uri], "the edit is for another version"
            self._apply(uri, change.edits)
        for uri, edits in (edit.changes or {}).items():
            self._apply(uri, edits)

    def _apply(self, uri: str, edits: Sequence[Any]) -> None:
        if uri in self.texts:
            after = after_edits(self.texts[uri], edits, self.encoding)
            self.change(uri, 0, len(self.texts[uri]), after)
            return
        path = Path(to_fs_path(uri) or uri)
        path.write_bytes(after_edits(path.read_bytes().decode(), edits, self.encoding).encode())

    async def command(self, name: str, *arguments: Any) -> Any:
        """Call a command."""
        params = types.ExecuteCommandParams(name, list(arguments))
        return await self.client.workspace_execute_command_async(params)

    async def in_step(self) -> bool:
        """Whether the server has every open text as it is here."""
        told = await self.command("devfix.debugInformation")
        held = {uri: each["sha256"] for uri, each in told["documents"].items()}
        return held == {uri: digest(text) for uri, text in self.texts.items()}

    def folders(self, added: Sequence[Path] = (), removed: Sequence[Path] = ()) -> None:
        """Add folders to the workspace, or take them away."""
        event = types.WorkspaceFoldersChangeEvent(
            [types.WorkspaceFolder(each.as_uri(), each.name) for each in added],
            [types.WorkspaceFolder(each.as_uri(), each.name) for each in removed],
        )
        self.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))

    def touched(self, *paths: Path) -> None:
        """Files changed on disk."""
        events = [types.FileEvent(path.as_uri(), types.FileChangeType.Changed) for path in paths]
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(events))


def digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@asynccontextmanager
async def editor(
    capabilities: types.ClientCapabilities, *folders: Path, options: dict[str, Any] | None = None
) -> AsyncIterator[Editor]:
    """An editor with a server of its own."""
    client = make_test_lsp_client()
    cache = tempfile.TemporaryDirectory(prefix="devfix-cache-")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "codemods")]),
        "XDG_CACHE_HOME": cache.name,
    }
    await client.start_io(sys.executable, "-m", "devfix", "lsp", env=environment)
    workspace = [types.WorkspaceFolder(each.as_uri(), each.name) for each in folders]
    params = types.InitializeParams(
        capabilities, workspace_folders=workspace, initialization_options={"debounce": 20, **(options or {})}
    )
    made = Editor(client, await client.initialize_session(params))

    def published(params: types.PublishDiagnosticsParams) -> None:
        made.take(params)

    client.protocol.fm.features.pop(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)
    try:
        yield made
    finally:
        await client.shutdown_session()
        await client.stop()  # type: ignore[no-untyped-call]
        cache.cleanup()
