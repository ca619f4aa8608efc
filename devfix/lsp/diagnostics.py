"""Diagnostics: findings as the protocol has them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from devfix.findings import Finding, Note
from devfix.lsp.client import Client
from devfix.lsp.documents import uri_of
from devfix.lsp.messages import FileView, Known, RuleCard, known_by
from devfix.lsp.positions import Lines

SOURCE = "devfix"

#: What is advice on cost, or on comments: it does not fail.
_COSTS = ("DF7", "DF9")
_NO_PLACE = types.Range(types.Position(0, 0), types.Position(0, 0))
_TAGS = {
    "unused-suppression": types.DiagnosticTag.Unnecessary,
    "move-result-discarded": types.DiagnosticTag.Unnecessary,
    "legacy-tensor-type": types.DiagnosticTag.Deprecated,
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A finding as it is shown, in a cell of a notebook maybe, and as it was found."""

    finding: Finding
    original: Finding


@dataclass(frozen=True)
class Renderer:
    """Puts findings into a client's terms. ``lines_at`` gives the lines of any file, ``uri`` what it is called."""

    client: Client
    folder: str
    rules: Mapping[str, RuleCard]
    lines_at: Callable[[str], Lines | None]
    uri: Callable[[str], str]
    is_open: Callable[[str], bool]

    def diagnostics(self, view: FileView, shown: Iterable[Shown], lines: Lines) -> list[types.Diagnostic]:
        """What is shown for one file or cell."""
        return [*(self.diagnostic(each, lines, view) for each in shown), *self._fault(view)]

    def diagnostic(self, shown: Shown, lines: Lines, view: FileView) -> types.Diagnostic:
        """One finding."""
        finding = shown.finding
        tag = _TAGS.get(finding.rule)
        related = list(self._related(finding)) if self.client.related_information else []
        return types.Diagnostic(
            range=lines.range(finding.focus or finding.span),
            message=finding.message,
            severity=severity(finding),
            code=finding.code,
            code_description=self._description(finding),
            source=SOURCE,
            tags=[tag] if tag is not None and tag in self.client.tags else None,
            related_information=related or None,
            data=None if view.stale else data_of(shown.original, view),
        )

    def path(self, path: str) -> str:
        """Where a file of a finding is; a cell goes by its URI."""
        return path if self.is_open(path) else os.path.normpath(os.path.join(self.folder, path))

    def _description(self, finding: Finding) -> types.CodeDescription | None:
        card = self.rules.get(finding.code)
        if card is None or not card.file or not self.client.code_description:
            return None
        return types.CodeDescription(href=uri_of(card.file))

    def _related(self, finding: Finding) -> Iterator[types.DiagnosticRelatedInformation]:
        """Where operands come from; of those that meet here the message tells."""
        elsewhere = (each for each in finding.marks if not _is_within(each, finding))
        for note in dict.fromkeys((*elsewhere, *finding.notes)):
            location = self._location(note)
            if location is not None:
                yield types.DiagnosticRelatedInformation(location, note.text)

    def _location(self, note: Note) -> types.Location | None:
        path = self.path(note.path)
        lines = self.lines_at(path)
        return None if lines is None else types.Location(self.uri(path), lines.range(note.span))

    @staticmethod
    def _fault(view: FileView) -> Iterator[types.Diagnostic]:
        if view.fault:
            severity = types.DiagnosticSeverity.Error if view.trace else types.DiagnosticSeverity.Information
            yield types.Diagnostic(_NO_PLACE, view.fault, severity=severity, source=SOURCE)


def _is_within(note: Note, finding: Finding) -> bool:
    return note.path == finding.path and finding.span.contains(note.span)


def severity(finding: Finding) -> types.DiagnosticSeverity:
    """How bad it is: what fails is a warning, since only a machine with an accelerator shows it."""
    if finding.code.startswith(_COSTS):
        return types.DiagnosticSeverity.Information
    return types.DiagnosticSeverity.Warning


def data_of(finding: Finding, view: FileView) -> dict[str, Any]:
    """What names a finding and its fix when the client asks about it again."""
    fix = finding.fix
    return {
        "revision": view.revision,
        "finding": list(known_by(finding)),
        "fix": None if fix is None else {"title": fix.title, "applicability": fix.applicability.name.lower()},
    }


def known_in(data: object) -> Known | None:
    """What ``data_of`` named the finding by, if ``data`` is from there."""
    match data:
        case [str(path), str(code), str(message), [int(a), int(b), int(c), int(d)]]:
            return (path, code, message, (a, b, c, d))
        case _:
            return None
