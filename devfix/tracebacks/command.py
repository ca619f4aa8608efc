"""Command: ``devfix explain --error``, from bytes to an exit code."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from devfix.engine import with_built_in
from devfix.registry import load_rules
from devfix.report.paint import paint_for
from devfix.tracebacks.account import account
from devfix.tracebacks.choice import bare, choose
from devfix.tracebacks.paste import decode, read_lines
from devfix.tracebacks.raised import Raised
from devfix.tracebacks.reader import read
from devfix.tracebacks.rendering import render_json, render_text, render_unrecognised
from devfix.tracebacks.scene import Files
from devfix.tracebacks.texts import FAMILIES

EXPLAINED, NOT_RECOGNISED, UNREADABLE = 0, 1, 2
#: More bytes are not read, from the end of a file.
_MAX_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Options:
    """The options of ``devfix explain --error``: a file or ``-``, and where the sources are."""

    error: str
    source: Path | None = None
    output_format: str = "text"
    color: str = "auto"


def explain_error(options: Options) -> int:
    """Explain the error in a file or on standard input; the exit code says whether it was understood."""
    name = "standard input" if options.error == "-" else options.error
    if options.source is not None and not options.source.is_dir():
        return _unreadable(f"{options.source} is no folder")
    try:
        data = _read(options.error)
    except OSError as error:
        return _unreadable(f"{name} cannot be read: {error.strerror or error}")
    text = decode(data)
    if text is None or not text.strip():
        return _unreadable(f"{name} holds no text" if text is not None else f"{name} is no text")
    return _explain(text, name, options)


def _explain(text: str, name: str, options: Options) -> int:
    lines = read_lines(text)
    found = read(lines)
    choice = choose(found, FAMILIES) or bare(lines, FAMILIES)
    if choice is None:
        return _unknown(found, name, options)
    rules = load_rules()
    told = account(choice, Files(options.source), rules)
    codes = {rule.name: rule.code for rule in with_built_in(rules)}
    if options.output_format == "json":
        sys.stdout.write(render_json(told, codes))
    else:
        sys.stdout.write(render_text(told, codes, paint_for(options.color, sys.stdout)))
    return EXPLAINED


def _unknown(found: list[Raised], name: str, options: Options) -> int:
    if not found:
        return _unreadable(f"there is no error in {name}")
    if options.output_format == "json":
        sys.stdout.write(render_unrecognised(found))
    shown = "".join(f"  line {raised.number}: {raised.headline[:200]}\n" for raised in found[:10])
    sys.stderr.write(
        f"not recognised: none of these is a mismatch of devices or dtypes that devfix knows\n{shown}"
    )
    return NOT_RECOGNISED


def _unreadable(reason: str) -> int:
    sys.stderr.write(f"error: {reason}\n")
    return UNREADABLE


def _read(error: str) -> bytes:
    if error == "-":
        return sys.stdin.buffer.read(_MAX_BYTES)
    with Path(error).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > _MAX_BYTES:
            file.seek(size - _MAX_BYTES)
        return file.read(_MAX_BYTES)
