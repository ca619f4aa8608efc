"""Changes: from two texts of a file to the edits that a client makes of one the other."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from devfix.differences import differences
from devfix.lsp.positions import Lines


def text_edits(before: Lines, after: str) -> list[types.TextEdit]:
    """The edits that turn one text into another, each as small as it can be."""
    return [
        types.TextEdit(types.Range(before.position(start), before.position(end)), text)
        for start, end, text in differences(before.text, after)
    ]


def workspace_edit(
    changes: Iterable[tuple[str, int | None, list[types.TextEdit]]], *, versioned: bool
) -> types.WorkspaceEdit:
    """Edits of several files, each with its URI and the version they are for."""
    listed = list(changes)
    if not versioned:
        return types.WorkspaceEdit(changes={uri: edits for uri, _, edits in listed})
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version), list(edits)
            )
            for uri, version, edits in listed
        ]
    )
