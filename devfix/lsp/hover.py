"""Hover and inlay hints: a rule in short, and on what device a value is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from lsprotocol import types

from devfix.analysis.record.seen_values import SeenValue, Sight
from devfix.findings import Applicability, Finding, Span
from devfix.lsp.documents import Document
from devfix.lsp.messages import RuleCard
from devfix.lsp.worker import CancelledRequestError, FailedRequestError, WorkerDiedError
from devfix.suppression import Suppression, find_suppressions

if TYPE_CHECKING:
    from devfix.lsp.session import Session

_Point = tuple[int, int]
_TRUST = {
    Applicability.SAFE: "safe: without an accelerator the program does exactly what it did",
    Applicability.UNSAFE: "unsafe: it changes numbers, order, what is saved or where code runs",
    Applicability.DISPLAY: "advice",
}


async def hover(session: Session, params: types.HoverParams) -> types.Hover | None:
    """What is known of the place under the pointer."""
    document = session.documents.of(params.text_document.uri)
    if document is None:
        return None
    point = document.lines.point(params.position)
    span, paragraphs = _rules_at(session, document, point)
    sight = await _sight_at(session, document, point)
    if sight is not None:
        span = span or sight.span
        paragraphs = [" or ".join(described(value) for value in sight.values), *paragraphs]
    if span is None or not paragraphs:
        return None
    text = "\n\n".join(paragraphs)
    kind = types.MarkupKind.Markdown if session.client.markdown else types.MarkupKind.PlainText
    plain = text if session.client.markdown else text.replace("**", "").replace("`", "")
    return types.Hover(types.MarkupContent(kind, plain), document.lines.range(span))


def _rules_at(session: Session, document: Document, point: _Point) -> tuple[Span | None, list[str]]:
    view = session.current(document)
    spans, told = [], []
    for finding in (shown.finding for shown in session.shown(document, view)) if view is not None else ():
        if _holds(finding.span, point):
            spans.append(finding.span)
            told.append(_of_finding(session.rules, finding))
    for comment in _suppressions(document):
        if _holds(comment.span, point):
            spans.append(comment.span)
            told.extend(_of_comment(session.rules, comment))
    return (spans[0] if spans else None), told


def _suppressions(document: Document) -> Iterator[Suppression]:
    try:
        yield from find_suppressions(document.text)
    except (SyntaxError, ValueError):
        return


def _of_comment(rules: dict[str, RuleCard], comment: Suppression) -> Iterator[str]:
    if not comment.rules:
        yield "Ignores every rule of devfix."
    for card in rules.values():
        if _names(comment.rules, card):
            yield f"Ignores **{card.name}** ({card.code}): {card.summary}"


def _names(rules: tuple[str, ...], card: RuleCard) -> bool:
    return any(rule == card.name or card.code.startswith(rule) for rule in rules)


def _of_finding(rules: dict[str, RuleCard], finding: Finding) -> str:
    """The rule and the fix: the message is shown beside this, as the diagnostic's."""
    card = rules.get(finding.code)
    lines = [f"**{finding.rule}** ({finding.code}): {card.summary if card is not None else finding.message}"]
    if finding.fix is not None:
        lines.append(f"Fix: {finding.fix.title} ({_TRUST[finding.fix.applicability]}).")
    return "\n\n".join(lines)


async def _sight_at(session: Session, document: Document, point: _Point) -> Sight | None:
    """The innermost expression there of which something is known."""
    sights = await _sights(session, document)
    here = [sight for sight in sights if _holds(sight.span, point)]
    return max(here, key=lambda sight: (sight.span.start, tuple(-x for x in sight.span.end)), default=None)


async def _sights(session: Session, document: Document) -> list[Sight]:
    """What is known of the expressions of a document, if it is still the same text then."""
    analysed = session.documents.analysed(document)
    try:
        seen = await session.sights(analysed) if analysed is not None else None
    except (CancelledRequestError, FailedRequestError, WorkerDiedError):
        return []
    if analysed is None or seen is None or seen.revision != analysed.revision:
        return []
    notebook = session.documents.notebook_of(document)
    if notebook is None:
        return list(seen.sights)
    places = ((sight, *notebook.place(sight.span)) for sight in seen.sights)
    return [replace(sight, span=span) for sight, cell, span in places if cell == document.uri]


def _holds(span: Span, point: _Point) -> bool:
    return span.start <= point <= span.end


def described(value: SeenValue | None) -> str:
    """A value in words."""
    if value is None:
        return "something unknown"
    if value.kind == "loader":
        batch = f": batches of {_listed(value)}" if value.parts else ""
        return f"{value.name or 'loader'}{batch}"
    if value.kind == "collection":
        return f"({_listed(value)})"
    if value.kind == "module":
        return f"module `{value.name}`{_where(value)}"
    dtype = f" `{value.dtype}`" if value.dtype is not None else ""
    if value.kind == "array":
        return f"array{dtype} in host memory"
    return f"{value.kind}{dtype}{_where(value)}"


def _where(value: SeenValue) -> str:
    if value.device is None:
        return " on an unknown device"
    return " on the module's device" if value.device == "module" else f" on `{value.device}`"


def _listed(value: SeenValue) -> str:
    return ", ".join(described(part) for part in value.parts)


async def inlay_hints(session: Session, params: types.InlayHintParams) -> list[types.InlayHint]:
    """The device beside each name of a tensor, module or batch where it is bound."""
    document = session.documents.of(params.text_document.uri)
    if document is None or not session.options.inlay_hints:
        return []
    sights = await _sights(session, document)
    first, last = document.lines.point(params.range.start), document.lines.point(params.range.end)
    within = (sight for sight in sights if sight.target and first <= sight.span.end <= last)
    return list(_hints(document, within))


def _hints(document: Document, sights: Iterator[Sight]) -> Iterator[types.InlayHint]:
    for sight in sights:
        value = sight.values[0]
        known = len(sight.values) == 1 and value.device not in (None, "module")
        if known and value.kind in ("tensor", "module"):
            place = document.lines.at(sight.span.end_line - 1, sight.span.end_column)
            tooltip = described(value).replace("`", "")
            yield types.InlayHint(place, f": {value.device}", types.InlayHintKind.Type, tooltip=tooltip)
