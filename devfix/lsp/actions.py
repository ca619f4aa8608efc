"""Actions: what the light bulb offers, and the edits of what is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified

from devfix.findings import Applicability, Finding, Fix
from devfix.lsp.cells import OpenNotebook
from devfix.lsp.changes import text_edits, workspace_edit
from devfix.lsp.diagnostics import Shown, known_in
from devfix.lsp.documents import Document
from devfix.lsp.messages import FileView, Mend, Mended, NewText, known_by
from devfix.silencing import silence

if TYPE_CHECKING:
    from devfix.lsp.session import Session

#: Applies all safe fixes of a file; editors can do it on saving.
FIX_ALL = "source.fixAll.devfix"


async def offered(session: Session, params: types.CodeActionParams) -> list[types.CodeAction]:
    """What can be done about the findings in a range."""
    document = session.documents.of(params.text_document.uri)
    if document is None:
        return []
    document, view = await session.settled(document)
    if document is None or view is None:
        return []
    actions = [
        action
        for action in _Offer(session, document, view).actions(params.range)
        if _is_asked_for(action.kind, params.context.only)
    ]
    if not session.client.resolves_edits:
        for action in actions:
            action.edit = await edit_of(session, action.data)
        return [action for action in actions if action.edit is not None]
    if actions and actions[0].is_preferred and isinstance(actions[0].data, dict):
        # Whoever opens the menu reads it first: until then the likeliest choice is worked out.
        session.begin_mending(_mend(session.documents.analysed(document) or document, actions[0].data))
    return actions


async def resolved(session: Session, action: types.CodeAction) -> types.CodeAction:
    """The action with its edit; raises JsonRpcContentModified when the text that it was offered for is gone."""
    action.edit = await edit_of(session, action.data)
    if action.edit is None:
        raise JsonRpcContentModified("the text has changed since this was offered, or the fix does nothing")
    return action


async def edit_of(session: Session, data: Any) -> types.WorkspaceEdit | None:
    """The edit that an action's data stand for, or None when it is out of date."""
    given = data if isinstance(data, dict) else {}
    document = session.documents.of(str(given.get("uri")))
    analysed = session.documents.analysed(document) if document is not None else None
    if document is None or analysed is None or analysed.revision != given.get("revision"):
        return None
    if given.get("does") == "silence":
        return _silencing(session, document, known_in(given.get("finding")))
    return edit_for(session, await session.mended(_mend(analysed, given)))


def _mend(document: Document, given: dict[str, Any]) -> Mend:
    wanted = Applicability.UNSAFE if given.get("unsafe") else Applicability.SAFE
    code = given.get("code")
    known = known_in(given.get("finding"))
    return Mend(document.path, document.revision, known, code if isinstance(code, str) else None, wanted)


def edit_for(session: Session, mended: Mended) -> types.WorkspaceEdit | None:
    """The edit that makes the new texts of the old ones, or None when one of these is not there any more."""
    changes: list[tuple[str, int | None, list[types.TextEdit]]] = []
    for new in mended.texts:
        notebook = session.documents.notebook(new.path)
        if notebook is not None:
            changes.extend(_changed_cells(session, notebook, new))
            continue
        document = session.documents.get(new.path)
        before = session.lines_at(new.path)
        if before is None or before.text != new.before:
            return None
        version = document.version if document is not None else None
        changes.append((session.documents.uri(new.path), version, text_edits(before, new.after)))
    return workspace_edit(changes, versioned=session.client.versioned_edits) if changes else None


def _changed_cells(
    session: Session, notebook: OpenNotebook, new: NewText
) -> Iterator[tuple[str, int | None, list[types.TextEdit]]]:
    if notebook.notebook.program != new.before:
        return
    for uri, text in notebook.texts_after(new.after):
        cell = session.documents.of(uri)
        if cell is not None and cell.text != text:
            yield uri, cell.version, text_edits(cell.lines, text)


def _silencing(session: Session, document: Document, known: object) -> types.WorkspaceEdit | None:
    view = session.current(document)
    for shown in session.shown(document, view) if view is not None else ():
        insertion = silence(document.text, shown.finding) if known_by(shown.original) == known else None
        if insertion is not None:
            place = document.lines.at(insertion.line - 1, insertion.column)
            edits = [types.TextEdit(types.Range(place, place), insertion.text)]
            changes = [(document.uri, document.version, edits)]
            return workspace_edit(changes, versioned=session.client.versioned_edits)
    return None


def _is_asked_for(kind: str | None, only: Sequence[str] | None) -> bool:
    return not only or any(kind == each or str(kind).startswith(f"{each}.") or each == "" for each in only)


class _Offer:
    """The actions for the findings of one document."""

    def __init__(self, session: Session, document: Document, view: FileView) -> None:
        self.document = document
        self.view = view
        self.renderer = session.renderer
        self.shown = session.shown(document, view)

    def actions(self, place: types.Range) -> Iterator[types.CodeAction]:
        here = [shown for shown in self.shown if self._touches(shown.finding, place)]
        for shown in here:
            fix = offered_fix(shown.original)
            if fix is not None:
                yield self._fix(shown, fix)
        yield from self._fix_rules([shown.original for shown in here])
        for shown in here:
            if not shown.original.code.startswith("DF9"):
                yield self._silence(shown)
        if any(_is_safe(finding) for finding in self.view.findings):
            yield types.CodeAction("Make all safe fixes in this file", kind=FIX_ALL, data=self._data())

    def _fix(self, shown: Shown, fix: Fix) -> types.CodeAction:
        finding = shown.original
        unsafe = fix.applicability < Applicability.SAFE
        title = f"{fix.title[:1].upper()}{fix.title[1:]} ({'unsafe, ' if unsafe else ''}{finding.code})"
        return types.CodeAction(
            title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=self._diagnostics([finding]),
            is_preferred=not unsafe or None,
            data=self._data(finding=list(known_by(finding)), unsafe=unsafe),
        )

    def _fix_rules(self, here: list[Finding]) -> Iterator[types.CodeAction]:
        """What several findings of one rule have in common is offered once."""
        for unsafe in (False, True):
            fixable = [finding for finding in self.view.findings if offered_fix(finding) is not None]
            counts = Counter(finding.code for finding in fixable if unsafe or _is_safe(finding))
            for code, rule in dict.fromkeys((finding.code, finding.rule) for finding in here):
                alike = [finding for finding in fixable if finding.code == code]
                if counts[code] > 1 and any(_is_safe(finding) != unsafe for finding in alike):
                    yield self._fix_rule(alike, rule, unsafe=unsafe)

    def _fix_rule(self, alike: list[Finding], rule: str, *, unsafe: bool) -> types.CodeAction:
        chosen = [finding for finding in alike if unsafe or _is_safe(finding)]
        return types.CodeAction(
            f"Fix all {len(chosen)} `{rule}` in this file{' (unsafe)' if unsafe else ''}",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=self._diagnostics(chosen),
            data=self._data(code=alike[0].code, unsafe=unsafe),
        )

    def _silence(self, shown: Shown) -> types.CodeAction:
        finding = shown.original
        return types.CodeAction(
            f"Ignore {finding.code} on this line",
            kind=types.CodeActionKind.QuickFix,
            diagnostics=self._diagnostics([finding]),
            data=self._data(does="silence", finding=list(known_by(finding))),
        )

    def _diagnostics(self, findings: list[Finding]) -> list[types.Diagnostic]:
        lines = self.document.lines
        chosen = [shown for shown in self.shown if shown.original in findings]
        return [self.renderer.diagnostic(shown, lines, self.view) for shown in chosen]

    def _data(self, **more: object) -> dict[str, object]:
        return {"uri": self.document.uri, "revision": self.view.revision, **more}

    def _touches(self, finding: Finding, place: types.Range) -> bool:
        lines = self.document.lines
        return lines.point(place.start) <= finding.span.end and finding.span.start <= lines.point(place.end)


def offered_fix(finding: Finding) -> Fix | None:
    """The fix that an editor may apply; advice is only shown."""
    fix = finding.fix
    return fix if fix is not None and fix.applicability > Applicability.DISPLAY else None


def _is_safe(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.applicability == Applicability.SAFE
