"""Deeds: a finding and what one of its fixes does, in terms that survive a move of lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields

from devfix.findings import (
    FileEdit,
    Finding,
    Fix,
    InsertAfter,
    InsertAfterImports,
    InsertAtBodyStart,
    InsertBefore,
    Span,
)
from devfix.project import Program

#: What a finding and one of its fixes are known by.
Identity = tuple[str, str, str, str, int]
#: What a finding alone is known by.
Named = tuple[str, str, str, str]
#: A program and what was found in it.
Known = tuple[Program, Sequence[Finding]]

#: Edits that leave the text at their place as it is.
_INSERTIONS = (InsertAfter, InsertBefore, InsertAtBodyStart, InsertAfterImports)


def fixes_of(finding: Finding) -> tuple[Fix, ...]:
    """The fixes of a finding, the preferred one first."""
    return () if finding.fix is None else (finding.fix, *finding.alternatives)


def identity_of(program: Program, finding: Finding, number: int) -> Identity:
    """What makes a finding and its fix ``number`` the same ones after lines have moved."""
    text = program.sources[finding.path].segment(finding.span)
    return (finding.path, finding.code, finding.message, text, number)


def named(identity: Identity) -> Named:
    """What remains of that for the finding, whichever of its fixes is made."""
    return identity[:-1]


def inserts_alone(fix: Fix) -> bool:
    """Whether a fix leaves all that is there as it is."""
    return all(isinstance(change.edit, _INSERTIONS) for change in fix.edits)


def is_in_vain(before: Known, after: Known, batch: Iterable[Finding]) -> bool:
    """Whether a fix left its finding as it was, to be mended by inserting the very same once more."""
    for finding in batch:
        if finding.fix is not None and not inserts_alone(finding.fix):
            continue
        deed = _deed(before[0], finding, finding.fix)
        if _offered(deed, after) >= _offered(deed, before):
            return True
    return False


def _offered(deed: tuple[object, ...], known: Known) -> int:
    """How many findings a deed would mend."""
    program, findings = known
    return sum(deed in (_deed(program, each, fix) for fix in fixes_of(each)) for each in findings)


def changes_of(program: Program, fix: Fix | None) -> frozenset[tuple[object, ...]]:
    """What a fix changes, and into what."""
    return frozenset(_told(program, edit) for edit in (fix.edits if fix is not None else ()))


def _deed(program: Program, finding: Finding, fix: Fix | None) -> tuple[object, ...]:
    return (*identity_of(program, finding, 0), changes_of(program, fix))


def _told(program: Program, change: FileEdit) -> tuple[object, ...]:
    edit = change.edit
    values = {field.name: getattr(edit, field.name) for field in fields(edit)}
    spans = [program.sources[change.path].segment(v) for v in values.values() if isinstance(v, Span)]
    return (type(edit), change.path, *spans, *(v for v in values.values() if not isinstance(v, Span)))
