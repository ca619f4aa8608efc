"""Observed: the mismatches that a run on the simulated accelerator met, as diagnostics."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from devfix.findings import Span
from devfix.lsp.documents import text_on_disk
from devfix.lsp.positions import Lines
from devfix.notebooks import Notebook, NotebookError

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
        where = _place(session, place, folder)
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
    """What meets what, and what an accelerator says to that."""
    first = next(iter(str(mismatch["message"]).strip().splitlines()), "")
    times = f" ({mismatch['count']} times)" if mismatch["count"] > 1 else ""
    blamed, others = _sides(mismatch)
    meeting = f"{_states(blamed)} meets {_states(others)}\n" if blamed and others else ""
    return f"{meeting}{mismatch['error']}: {first}{times}"


def _sides(mismatch: Mapping[str, Any]) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    operands = mismatch.get("operands", ())
    return (
        [operand for operand in operands if operand["blamed"]],
        [operand for operand in operands if not operand["blamed"]],
    )


def _states(operands: list[Mapping[str, Any]]) -> str:
    return " and ".join(dict.fromkeys(_state(operand) for operand in operands))


def _state(operand: Mapping[str, Any]) -> str:
    return f"{_name(operand)} ({operand['dtype']} on {operand['device']})"


def _name(operand: Mapping[str, Any]) -> str:
    """An operand as the program calls it, or else as torch does."""
    module, computed = operand.get("module"), operand.get("computed_from")
    if operand.get("paths"):
        return f"`{operand['paths'][0]}`"
    if module:
        return f"`{module['path']}.{module['name']}`"
    if computed:
        return f"what is computed from `{'`, `'.join(computed)}`"
    return f"the operand `{operand['role']}`"


def _origins(
    session: Session, mismatch: Mapping[str, Any], folder: str
) -> Iterator[types.DiagnosticRelatedInformation]:
    """Where the operands come from, those to blame first."""
    blamed, others = _sides(mismatch)
    for operand in (*blamed, *others):
        for made in operand.get("roots") or [operand.get("made")]:
            where = _place(session, made.get("place"), folder) if made else None
            if where is not None:
                path, span = where
                location = types.Location(session.documents.uri(path), span)
                yield types.DiagnosticRelatedInformation(location, f"{_name(operand)} comes from here")


def _place(session: Session, place: Mapping[str, Any] | None, folder: str) -> tuple[str, types.Range] | None:
    """A place and what it is in: a file, or a cell of a notebook that is open."""
    if not place:
        return None
    path = os.path.normpath(os.path.join(folder, place["file"]))
    cell = place.get("cell")
    path = path if cell is None else _cell(session, path, cell)
    lines: Lines | None = session.lines_at(path) if path else None
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


def _cell(session: Session, path: str, number: int) -> str:
    """The open cell that a number stands for, "" if it cannot be told.

    Cells are counted in the file, and clients leave out those that are not Python: what tells them is the text.
    """
    notebook, text = session.documents.notebook(path), text_on_disk(path)
    if notebook is None or text is None:
        return ""
    try:
        texts = [source.text for source in Notebook.parse(text).sources]
    except NotebookError:
        return ""
    meant = texts[number - 1] if number <= len(texts) else ""
    alike = [
        uri for uri, cell in zip(notebook.cells, notebook.notebook.sources, strict=True) if cell.text == meant
    ]
    before = texts[: number - 1].count(meant)
    return alike[before] if before < len(alike) else ""
