"""File: a baseline on disk, sorted so that a change of one finding is a change of few lines."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from devfix.atomic_write import write_atomically
from devfix.baseline.known import Known
from devfix.baseline.trace import Trace
from devfix.config import ConfigError
from devfix.regular_files import read_small

#: Where a baseline is written when nothing says where.
USUAL_NAME = "devfix-baseline.json"
_VERSION = 1
_KEYS = {"path": str, "rule": str, "scope": str, "text": str, "count": int}


def read_baseline(path: str) -> Known:
    """The baseline in a file; raises ConfigError."""
    try:
        document = json.loads(read_small(path))
    except FileNotFoundError:
        raise ConfigError(
            f"the baseline {path} does not exist; `devfix check --write-baseline` makes one"
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"the baseline {path} cannot be read: {error}") from error
    if not isinstance(document, dict) or document.get("version") != _VERSION:
        raise ConfigError(f"{path} is no baseline that this devfix can read")
    listed = document.get("findings")
    counts: Counter[Trace] = Counter()
    for number, entry in enumerate(listed if isinstance(listed, list) else [None], 1):
        if not _is_entry(entry):
            raise ConfigError(f"the baseline {path} makes no sense: entry {number} is no finding")
        counts[Trace(entry["path"], entry["rule"], entry["scope"], entry["text"])] += entry["count"]
    return Known(tuple(sorted(counts.items())), _folder(path), path)


def _is_entry(entry: object) -> bool:
    if not isinstance(entry, Mapping) or set(entry) != set(_KEYS):
        return False
    return all(type(entry[key]) is kind for key, kind in _KEYS.items()) and entry["count"] > 0


def write_baseline(path: str, counts: Iterable[tuple[Trace, int]]) -> None:
    """Write a baseline: the whole file or, where that raises OSError, nothing of it."""
    entries = [
        {"path": trace.path, "rule": trace.code, "scope": trace.scope, "text": trace.text, "count": count}
        for trace, count in sorted(counts)
        if count
    ]
    document = {"version": _VERSION, "findings": entries}
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    os.makedirs(_folder(path), exist_ok=True)
    if not os.path.exists(path):
        # An empty baseline, for a moment: what replaces it takes over the rights that a new file has.
        Path(path).write_text(json.dumps({"version": _VERSION, "findings": []}), encoding="utf-8")
    write_atomically(path, text.encode("utf-8"))


def _folder(path: str) -> str:
    return os.path.dirname(os.path.abspath(path))
