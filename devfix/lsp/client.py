"""Client: what the editor at the other end can do, and what its user wants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lsprotocol import types


@dataclass(frozen=True, slots=True)
class Client:
    """The capabilities that make a difference."""

    pulls: bool = False
    refreshes_inlay_hints: bool = False
    resolves_edits: bool = False
    versioned_edits: bool = False
    related_information: bool = False
    code_description: bool = False
    diagnostic_data: bool = False
    tags: frozenset[int] = frozenset()
    markdown: bool = False
    progress: bool = False
    watches_files: bool = False
    configuration: bool = False
    shows_documents: bool = False
    applies_edits: bool = False


def client_of(capabilities: types.ClientCapabilities) -> Client:
    """The client with these capabilities."""
    text = capabilities.text_document or types.TextDocumentClientCapabilities()
    workspace = capabilities.workspace or types.WorkspaceClientCapabilities()
    window = capabilities.window or types.WindowClientCapabilities()
    published = text.publish_diagnostics
    tags = published.tag_support.value_set if published is not None and published.tag_support else ()
    actions = text.code_action
    lazily = actions.resolve_support.properties if actions is not None and actions.resolve_support else ()
    formats = text.hover.content_format if text.hover is not None else None
    watched = workspace.did_change_watched_files
    pulls = text.diagnostic is not None and workspace.diagnostics is not None
    return Client(
        # Without a refresh the client would not learn that an edit changed what is wrong in another file.
        pulls=bool(pulls and workspace.diagnostics and workspace.diagnostics.refresh_support),
        refreshes_inlay_hints=bool(workspace.inlay_hint and workspace.inlay_hint.refresh_support),
        resolves_edits="edit" in lazily and bool(actions and actions.data_support),
        versioned_edits=bool(workspace.workspace_edit and workspace.workspace_edit.document_changes),
        related_information=bool(published and published.related_information),
        code_description=bool(published and published.code_description_support),
        diagnostic_data=bool(published and published.data_support),
        tags=frozenset(int(tag) for tag in tags),
        markdown=types.MarkupKind.Markdown in (formats or ()),
        progress=bool(window.work_done_progress),
        watches_files=bool(watched and watched.dynamic_registration),
        configuration=bool(workspace.configuration),
        shows_documents=bool(window.show_document and window.show_document.support),
        applies_edits=bool(workspace.apply_edit),
    )


@dataclass(frozen=True, slots=True)
class Options:
    """What the user can set in the editor; rules and the like are set in pyproject.toml.

    ``debounce`` is how many milliseconds of quiet begin a check, ``python`` the interpreter for what is run.
    """

    debounce: int = 100
    inlay_hints: bool = False
    python: str | None = None


def options_of(given: object, default: Options = Options()) -> Options:
    """The options in what a client sent, under ``devfix`` or ``settings`` or bare.

    What is left out, or makes no sense, stays as it was.
    """
    table = given if isinstance(given, Mapping) else {}
    for key in ("devfix", "settings"):
        table = table[key] if isinstance(table.get(key), Mapping) else table
    debounce, hints, python = table.get("debounce"), table.get("inlayHints"), table.get("python")
    return Options(
        debounce=_milliseconds(debounce, default.debounce),
        inlay_hints=hints if isinstance(hints, bool) else default.inlay_hints,
        python=python or None if isinstance(python, str) else default.python,
    )


def _milliseconds(value: object, default: int) -> int:
    sensible = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 60_000
    return value if isinstance(value, int) and sensible else default
