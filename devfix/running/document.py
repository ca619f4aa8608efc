"""Document: a run as JSON, for other programs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from devfix.running.account import Account
from devfix.running.costs import costliest_first, seconds

#: Raised when a key changes its meaning or goes; new keys do not raise it.
SCHEMA_VERSION = 1


def render_document(account: Account) -> str:
    """One object: the program, how it ended, its mismatches, its transfers, and the counts."""
    return json.dumps(document(account), indent=2) + "\n"


def document(account: Account) -> dict[str, Any]:
    """The run as plain data."""
    record, request = account.record, account.request
    held = asdict(record)
    for name in ("mismatches", "transfers", "parameters", "modules", "mode"):
        held.pop(name)
    return {
        "version": SCHEMA_VERSION,
        "program": list(request.words),
        **held,
        "devices": request.devices,
        "mismatches": [_mismatch(asdict(mismatch)) for mismatch in record.mismatches],
        "transfers": [
            {**asdict(transfer), "estimated_seconds": seconds(transfer)}
            for transfer in costliest_first(record.transfers)
        ],
        "summary": {
            "mismatches": len(record.mismatches) + record.mismatches_left_out,
            "lines": len({_line(mismatch.sink) for mismatch in record.mismatches}),
            "exit_code": account.exit_code,
        },
    }


def _mismatch(held: dict[str, Any]) -> dict[str, Any]:
    """A mismatch without what only serves to repair it."""
    held.pop("names", None)
    for operand in held["operands"]:
        for name in ("owners", "held"):
            operand.pop(name, None)
    return held


def _line(place: Any) -> tuple[str, int, int | None] | None:
    return None if place is None else (place.file, place.line, place.cell)
