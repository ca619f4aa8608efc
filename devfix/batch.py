"""Batch: fixes that can be applied together, and what a program becomes by them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from devfix.comments import replace_comments
from devfix.findings import (
    AddImport,
    AddParameter,
    DeleteStatement,
    DropCall,
    Edit,
    FileEdit,
    Finding,
    InsertAfter,
    InsertAfterImports,
    InsertAtBodyStart,
    InsertBefore,
    MoveStatement,
    ReplaceComment,
    Span,
)
from devfix.joined_moves import joined
from devfix.project import Program
from devfix.selection import ADOPTING_RULE

#: Turns a text and edits of it into the new text; raises ``EditError``.
ApplyEdits = Callable[[str, Sequence[Edit]], str]

#: A statement that moves a name.
_MOVE = re.compile(r"(\w+) = \1\.to\(")
_INSERTIONS = (InsertBefore, InsertAfter, InsertAtBodyStart)
#: What takes nothing away, and holds on to a statement.
_ADDITIONS = (*_INSERTIONS, AddParameter)


def choose(findings: Iterable[Finding]) -> list[Finding]:
    """The findings whose fixes fit together, first come first served.

    Comments are edited in a pass of their own: what suppresses nothing is known for sure only
    when everything else is done, and removing a line moves the others.
    """
    findings = list(findings)
    syntax = [finding for finding in findings if not _edits_comments(finding)]
    region = _Region()
    return [finding for finding in syntax or findings if region.take(_edits(finding))]


def in_turn(candidates: Iterable[Finding]) -> list[Finding]:
    """The findings whose turn it is; a device is chosen before anything follows it."""
    candidates = list(candidates)
    adopting = [finding for finding in candidates if finding.code == ADOPTING_RULE]
    if adopting:
        return adopting
    found = [(finding.fix.turn if finding.fix is not None else 0, finding) for finding in candidates]
    first = min(turn for turn, _ in found)
    # Two rules that blame one place explain the same failure: the fix of one may well do for the other.
    blamed: dict[tuple[str, Span], str] = {}
    return [
        finding
        for turn, finding in found
        if turn == first and blamed.setdefault((finding.path, finding.span), finding.code) == finding.code
    ]


def texts_after(program: Program, batch: Iterable[Finding], apply_edits: ApplyEdits) -> dict[str, str]:
    """The new text of each file that the batch's fixes touch; raises ``EditError``."""
    edits: defaultdict[str, dict[Edit | ReplaceComment, None]] = defaultdict(dict)
    for finding in batch:
        for item in _edits(finding):
            edits[item.path][item.edit] = None
    return {path: text_after(program.sources[path].text, edits[path], apply_edits) for path in sorted(edits)}


def text_after(text: str, edits: Iterable[Edit | ReplaceComment], apply_edits: ApplyEdits) -> str:
    """The new text of one file; raises ``EditError``. Comments are edited alone."""
    edits = list(edits)
    comments = [edit for edit in edits if isinstance(edit, ReplaceComment)]
    if comments:
        return replace_comments(text, comments)
    return apply_edits(text, joined([edit for edit in edits if not isinstance(edit, ReplaceComment)]))


def _edits(finding: Finding) -> tuple[FileEdit, ...]:
    return finding.fix.edits if finding.fix else ()


def _edits_comments(finding: Finding) -> bool:
    return any(isinstance(item.edit, ReplaceComment) for item in _edits(finding))


@dataclass
class _Region:
    """What the edits taken so far lay claim to, file by file."""

    taken: dict[FileEdit, None] = field(default_factory=dict)
    changed: defaultdict[str, list[Span]] = field(default_factory=lambda: defaultdict(list))
    anchors: defaultdict[str, list[Span]] = field(default_factory=lambda: defaultdict(list))
    removed: defaultdict[str, list[Span]] = field(default_factory=lambda: defaultdict(list))

    def take(self, edits: Sequence[FileEdit]) -> bool:
        """Claim all of ``edits`` unless one of them is in the way of what is taken."""
        fresh = [item for item in edits if item not in self.taken]
        if any(self._clashes(item.path, item.edit) for item in fresh):
            return False
        for item in fresh:
            self._claim(item)
        return True

    def _clashes(self, path: str, edit: Edit | ReplaceComment) -> bool:
        removed, anchors = self.removed[path], self.anchors[path]
        if any(_touch(span, gone) for span in _anchors(edit) for gone in removed):
            return True
        target = _rebound(edit)
        if target is not None and any(
            target == _rebound(item.edit) for item in self.taken if item.path == path
        ):
            return True
        if _removes(edit) and any(_touch(span, anchor) for span in _changed(edit) for anchor in anchors):
            return True
        return any(_touch(span, other) for span in _changed(edit) for other in self.changed[path])

    def _claim(self, item: FileEdit) -> None:
        self.taken[item] = None
        self.anchors[item.path].extend(_anchors(item.edit))
        self.changed[item.path].extend(_changed(item.edit))
        if _removes(item.edit):
            self.removed[item.path].extend(_changed(item.edit))


def _changed(edit: Edit | ReplaceComment) -> tuple[Span, ...]:
    """The regions an edit changes; an insertion changes none."""
    if isinstance(edit, (InsertAfterImports, AddImport, *_ADDITIONS)):
        return ()
    return (edit.span,)


def _anchors(edit: Edit | ReplaceComment) -> tuple[Span, ...]:
    """The statements an edit holds on to: they must still be there, whatever happens inside them."""
    if isinstance(edit, _ADDITIONS):
        return (edit.span,)
    if isinstance(edit, MoveStatement):
        return tuple(span for span in (edit.after, edit.before) if span is not None)
    return ()


def _rebound(edit: Edit | ReplaceComment) -> tuple[Span, str] | None:
    """The name that an insertion of ``x = x.to(...)`` binds, and where: one such move is enough."""
    if not isinstance(edit, _INSERTIONS):
        return None
    found = _MOVE.match(edit.code)
    return (edit.span, found[1]) if found is not None else None


def _removes(edit: Edit | ReplaceComment) -> bool:
    return isinstance(edit, (DeleteStatement, MoveStatement, DropCall))


def _touch(one: Span, other: Span) -> bool:
    return one == other or one.overlaps(other)
