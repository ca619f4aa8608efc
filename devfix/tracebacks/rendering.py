"""Rendering: an account for people, and as data for other programs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from devfix.file_report import FileReport
from devfix.findings import Applicability, Note, Span
from devfix.report.diff import diff_encoding, render_diff
from devfix.report.excerpt import excerpt
from devfix.report.json import finding_data
from devfix.report.paint import Paint
from devfix.report.results import Results
from devfix.tracebacks.account import Account
from devfix.tracebacks.raised import Frame, Raised
from devfix.tracebacks.repair import Repair
from devfix.tracebacks.scene import is_library

#: Raised when a key changes its meaning or goes; new keys do not raise it.
SCHEMA_VERSION = 1
_WIDTH = 100
_MAX_OTHERS = 8
_TRUST = {
    Applicability.SAFE: "safe: without an accelerator the program does exactly what it did",
    Applicability.UNSAFE: "unsafe: a cast or an order changes; look at it before you take it",
}

Codes = Mapping[str, str]


def render_text(account: Account, codes: Codes, paint: Paint) -> str:
    """The account for a person; ``codes`` are the codes of rules by name."""
    return "\n".join(_text(account, codes, paint)) + "\n"


def _text(account: Account, codes: Codes, paint: Paint) -> Iterator[str]:
    yield paint("bold", _short(account.raised.headline))
    if account.reading.family.versions:
        yield paint("dim", f"(the wording of PyTorch {account.reading.family.versions})")
    yield ""
    yield from _section("What is wrong", [account.what], paint)
    if account.who or account.place is not None:
        yield from _section("Where, and what is to blame", account.who, paint, list(_place(account, paint)))
    yield from _section(
        "What to do", [account.todo] if account.todo else [], paint, list(_pages(account, codes))
    )
    yield from _fix(account, paint)
    if account.notes:
        yield from _section("Note", [f"{_sentence(note)}" for note in account.notes], paint)
    yield from _others(account, paint)


def _section(
    title: str, sentences: list[str] | tuple[str, ...], paint: Paint, more: list[str] | None = None
) -> Iterator[str]:
    lines = [*more] if more and title.startswith("Where") else []
    lines += [
        f"  {line}"
        for sentence in sentences
        for line in textwrap.wrap(sentence, _WIDTH - 2, break_long_words=False)
    ]
    lines += more if more and not title.startswith("Where") else []
    if lines:
        yield paint("cyan", title)
        yield from lines
        yield ""


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _short(text: str) -> str:
    return text if len(text) <= 400 else f"{text[:400]}..."


def _place(account: Account, paint: Paint) -> Iterator[str]:
    """The line of the user's code, with carets under what matters."""
    place = account.place
    if place is None:
        return
    frame = place.frame
    path = place.source.path if place.source is not None else frame.path
    line = place.line or frame.line
    where = f" in {frame.function}" if frame.function not in ("", "<module>") else ""
    yield f"  {paint('bold', f'{path}:{line}' if line else path)}{where}"
    view, span = account.blame.view, account.blame.span
    if view is not None and view.from_file:
        mark = Note(path, span, "") if span is not None else Note(path, Span(line, 0, line, 0), "")
        shown = excerpt(view.source.lines, [mark], paint)
        yield from (f"  {text}" for text in shown)
    elif frame.code:
        yield from (f"      {text}" for text in frame.code.split("\n"))


def _pages(account: Account, codes: Codes) -> Iterator[str]:
    known = [name for name in account.rules if name in codes]
    for name in known[:3]:
        yield f"  devfix explain {codes[name]}  ({name})"


def _fix(account: Account, paint: Paint) -> Iterator[str]:
    repair = account.repair
    if repair.changed and repair.applicability is not None:
        yield f"{paint('cyan', 'The fix')} ({_TRUST[repair.applicability]})"
        yield _patch(repair, paint)
    elif account.reading.kind and account.reading.kind != "absent-device" and repair.reason:
        yield from _section("No fix is shown", [_sentence(repair.reason)], paint)
    if repair.others:
        faults = "1 other fault" if repair.others == 1 else f"{repair.others} other faults"
        yield f"devfix sees {faults} in this program, which may fail next: `devfix apply --diff`."
        yield ""


def _patch(repair: Repair, paint: Paint) -> str:
    """The change as ``git apply`` takes it."""
    return "".join(
        render_diff(Results((FileReport(source.path, new_text=text),), {source.path: source}), paint).decode(
            diff_encoding(source, paint), errors="replace"
        )
        for source, text in repair.changed
    )


def _others(account: Account, paint: Paint) -> Iterator[str]:
    if not account.others:
        return
    yield paint("cyan", "Also in this text")
    for raised in account.others[:_MAX_OTHERS]:
        yield f"  line {raised.number}: {_short(raised.headline)[:200]}"
    if len(account.others) > _MAX_OTHERS:
        yield f"  and {len(account.others) - _MAX_OTHERS} more"
    yield ""


# ---- JSON


def render_json(account: Account, codes: Codes) -> str:
    """One object with all that the text says, and the diff."""
    reading, repair, suspicion = account.reading, account.repair, account.blame.suspicion
    document = {
        "version": SCHEMA_VERSION,
        "recognised": True,
        "error": _error(account.raised),
        "family": reading.family.name,
        "kind": reading.kind or None,
        "torch": reading.family.versions or None,
        "operator": reading.operator or None,
        "argument": reading.argument or None,
        "devices": reading.all_devices,
        "dtypes": [
            dtype
            for dtype in dict.fromkeys([*reading.dtypes.values(), reading.found, reading.wanted])
            if dtype
        ],
        "explanation": {"what": account.what, "who": list(account.who), "todo": account.todo},
        "blame": {
            "roles": list(suspicion.roles),
            "operands": [culprit.text for culprit in account.blame.culprits],
            "device": suspicion.device or None,
            "dtype": suspicion.dtype or None,
            "wanted": suspicion.wanted or None,
            "how": suspicion.how or None,
        },
        "place": _spot(account),
        "rules": [{"code": codes[name], "name": name} for name in account.rules if name in codes],
        "fix": {
            "witness": repair.witness or None,
            "applicability": repair.applicability.name.lower() if repair.applicability is not None else None,
            "findings": [finding_data(finding) for finding in repair.findings],
            "diff": _patch(repair, Paint()),
            "reason": repair.reason or None,
            "other_findings": repair.others,
        },
        "notes": list(account.notes),
        "others": [_error(raised) for raised in account.others],
    }
    return json.dumps(document, indent=2) + "\n"


def render_unrecognised(errors: list[Raised]) -> str:
    """The object for a paste whose errors devfix does not know."""
    return (
        json.dumps(
            {"version": SCHEMA_VERSION, "recognised": False, "others": [_error(each) for each in errors]},
            indent=2,
        )
        + "\n"
    )


def _error(raised: Raised) -> dict[str, Any]:
    return {
        "type": raised.type or None,
        "message": raised.message,
        "line": raised.number,
        "process": raised.stream or None,
        "frames": [_frame(frame) for frame in raised.frames],
    }


def _frame(frame: Frame) -> dict[str, Any]:
    return {
        "path": frame.path,
        "line": frame.line or None,
        "function": frame.function or None,
        "code": frame.code or None,
        "library": is_library(frame.path),
    }


def _spot(account: Account) -> dict[str, Any] | None:
    place = account.place
    if place is None:
        return None
    found = place.source
    return {
        "path": found.path if found is not None else place.frame.path,
        "line": place.line or place.frame.line or None,
        "at_hand": found is not None,
        "stale": place.stale or None,
    }
