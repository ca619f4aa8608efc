"""What has to hold of one file, whatever is in it: devfix ends, repeats itself, and changes nothing but what it says."""

from __future__ import annotations

import ast
import difflib
import io
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, fields

from text_program import check_texts, fix_texts, project, rules

from devfix.config import Settings
from devfix.engine import Engine
from devfix.file_report import Skipped
from devfix.findings import Applicability, Finding, Span
from devfix.source import Source, check_syntax, decode_source

NAME = "main.py"
#: The ways to apply: how bold, and whether a program may be given a device.
WAYS = {
    "safe": (Applicability.SAFE, False),
    "unsafe": (Applicability.UNSAFE, False),
    "adopt": (Applicability.UNSAFE, True),
}
#: Single fixes of one file that are tried one by one.
_MOST_SINGLE = 12


@dataclass(frozen=True)
class Account:
    """What became of one text."""

    lines: int = 0
    skipped: str = ""
    findings: int = 0
    fixed: int = 0
    changed: int = 0
    faults: tuple[str, ...] = ()


def examine(data: bytes, *, deep: bool = True) -> Account:
    """Every property of one file; with ``deep`` its fixes one by one as well."""
    source = decode_source(NAME, data)
    if isinstance(source, Skipped):
        return Account(skipped=source.reason)
    return examine_text(source.text, deep=deep)


def examine_text(text: str, *, deep: bool = True) -> Account:
    """Every property of one text that parses."""
    texts = {NAME: text}
    findings = check_texts(texts)
    faults = [] if check_texts(texts) == findings else ["two checks do not agree"]
    fixed, changed = 0, 0
    for way, (wanted, adopt) in WAYS.items():
        after, reports = fix_texts(texts, wanted, adopt=adopt)
        fixed += sum(len(report.fixed) for report in reports)
        if after != texts:
            changed += 1
            again = fix_texts(after, wanted, adopt=adopt)[0]
            found = [
                *damage(text, after[NAME]),
                *(["applied twice is not applied once"] if again != after else []),
            ]
            faults += [f"{way}: {fault}" for fault in found]
    if deep:
        faults += single_fixes(text, findings)
    return Account(text.count("\n") + 1, "", len(findings), fixed, changed, tuple(faults))


def damage(before: str, after: str) -> Iterator[str]:
    """What a rewritten text must not have lost."""
    checked = check_syntax(Source(NAME, after))
    if isinstance(checked, Skipped):
        yield f"does not parse any more: {checked.reason}"
        return
    lost = comments(before) - comments(after)
    if lost:
        yield f"comments are lost: {sorted(lost)[:3]}"
    if newlines(before) != newlines(after) and len(newlines(before)) < 2:
        yield "newlines of another kind"
    if before.endswith("\n") != after.endswith("\n"):
        yield "the end of the last line is another"
    kept = set(before.splitlines()) - set(after.splitlines())
    if len(kept) > max(12, before.count("\n") // 2):
        yield f"{len(kept)} lines are gone"


def comments(text: str) -> Counter[str]:
    """All comments but those to devfix, which it may take away."""
    tokens = tokenize.generate_tokens(io.StringIO(text, newline=None).readline)
    found = (token.string for token in tokens if token.type == tokenize.COMMENT)
    return Counter(comment for comment in found if "devfix:" not in comment)


def newlines(text: str) -> set[str]:
    """The kinds of newlines."""
    return {
        line[len(line.rstrip("\r\n")) :]
        for line in io.StringIO(text, newline="")
        if line.endswith(("\r", "\n"))
    }


def single_fixes(text: str, findings: list[Finding]) -> Iterator[str]:
    """Faults of fixes that are applied alone: lines go that belong to no statement the fix names."""
    engine = Engine(rules(), Settings())
    for program in project({NAME: text}).programs():
        judgement = engine.judge(program)
        for finding in [each for each in judgement.findings if each.fix][:_MOST_SINGLE]:
            after = engine.mend(program, judgement, finding).get(NAME, text)
            allowed = named_lines(program.sources[NAME], finding)
            gone = {line for line in removed_lines(text, after) if line not in allowed}
            if gone:
                yield f"{finding.code} in line {finding.span.line} changes lines {sorted(gone)[:5]} that it does not name"


def removed_lines(before: str, after: str) -> Iterator[int]:
    """The numbers of the lines of ``before`` that are not in ``after``."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    for tag, first, last, _, _ in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag in ("replace", "delete"):
            yield from range(first + 1, last + 1)


def named_lines(source: Source, finding: Finding) -> set[int]:
    """The lines of the statements that the edits of a finding's fix stand in or beside."""
    assert finding.fix is not None
    named: set[int] = set()
    fixes = (finding.fix, *finding.alternatives)
    for change in (edit for fix in fixes for edit in fix.edits):
        for span in (getattr(change.edit, each.name) for each in fields(change.edit)):
            if isinstance(span, Span):
                named.update(range(span.line, span.end_line + 1))
    for node in ast.walk(source.tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            if not named.isdisjoint(lines):
                named.update(lines)
    # A statement that is added to an empty or one-line block, or to the imports, rewrites its neighbour's line.
    return named | {line + step for line in named for step in (-1, 1)} | imports(source.tree)


def imports(tree: ast.Module) -> set[int]:
    """The lines of the imports of a file, and the one after each."""
    found = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    return {line for node in found for line in range(node.lineno, (node.end_lineno or node.lineno) + 2)}
