"""Observed: the mismatches that a run on the simulated accelerator met, as diagnostics."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from devfix.findings import Span
from devfix.lsp.positions import Lines

if TYPE_CHECKING:
    from devfix.lsp.session import Session

SOURCE = "devfix run"
#: Where Python tells no columns, the line is marked up to here.
_END_OF_LINE = 10_000


def observed_diagnostics(
    session: Session, document: Mapping[str, Any], folder: str
) -> dict[str, list[types.Diagnostic]]:
    """The mismatches in the report of a run, by file."""
    found: dict[str, list[types.Diagnostic]] = {}
    for mismatch in document.get("mismatches", ()):
        place = mismatch.get("sink")
        where = _range(session, place, folder)
        if where is None:
            continue
        path, span = where
        related = list(_origins(session, mismatch, folder)) if session.client.related_information else []
        diagnostic = types.Diagnostic(
            span,
            _message(mismatch),
            severity=types.DiagnosticSeverity.Error,
            code=mismatch["kind"],
            source=SOURCE,
            related_information=related or None,
        )
        found.setdefault(path, []).append(diagnostic)
    return found


def _message(mismatch: Mapping[str, Any]) -> str:
    first = next(iter(str(mismatch["message"]).strip().splitlines()), "")
    times = f" ({mismatch['count']} times)" if mismatch["count"] > 1 else ""
    return f"{mismatch['error']}: {first}{times}"


def _origins(
    session: Session, mismatch: Mapping[str, Any], folder: str
) -> Iterator[types.DiagnosticRelatedInformation]:
    for operand in mismatch.get("operands", ()):
        name = next(iter(operand.get("paths", ())), operand["role"])
        for made in operand.get("roots") or [operand.get("made")]:
            where = _range(session, made.get("place"), folder) if made else None
            if where is not None:
                path, span = where
                text = f"`{name}` ({operand['dtype']} on {operand['device']}) comes from here"
                yield types.DiagnosticRelatedInformation(
                    types.Location(session.documents.uri(path), span), text
                )


def _range(session: Session, place: Mapping[str, Any] | None, folder: str) -> tuple[str, types.Range] | None:
    if not place or place.get("cell") is not None:
        return None
    path = os.path.normpath(os.path.join(folder, place["file"]))
    lines: Lines | None = session.lines_at(path)
    if lines is None:
        return None
    column, end = place["column"], place["end_column"]
    span = Span(
        place["line"],
        0 if column is None else column,
        place["end_line"],
        _END_OF_LINE if end is None else end,
    )
    return path, lines.range(span)
