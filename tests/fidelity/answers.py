"""What a device answered to a probe, and how well two answers agree."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

RECORDED = Path(__file__).resolve().parent / "recorded"

#: From the best to the worst. "same words": the message differs in no more than names of operands, methods
#: or types; "same error": another message of the same class.
LEVELS = ("exact", "same words", "same error", "other error", "other result", "wrong")
AGREEING = frozenset(LEVELS[:2])
_MOST_TEXT = 2000

#: What may differ in a message that says the same: one device for another is another message.
_DETAILS = (
    (r"got \w+ is on", "got X is on"),
    (r"in method wrapper_\w+", "in method M"),
    (r"torch\.(cuda\.)?\w+Tensor", "T"),
    (r"(CPU|CUDA)\w+Type", "T"),
    (r"expected (m1|mat1) and (m2|mat2) to have", "expected both to have"),
    (r" 0x[0-9a-f]+", ""),
    (r"This could be because the operator doesn't exist.*", ""),
    (r"\"\w+\" not implemented", "K not implemented"),
)


class Answer(NamedTuple):
    """``outcome`` is "ok" or the name of an exception's class, ``text`` what came back or its message."""

    outcome: str
    text: str


def of_result(result: Any) -> Answer:
    """The answer of a call that worked."""
    return Answer("ok", str(result)[:_MOST_TEXT])


def of_error(error: BaseException) -> Answer:
    """The answer of a call that raised; a worker's traceback is left out."""
    lines = [line for line in str(error).splitlines() if line.strip()] or [""]
    text = f"{lines[0]}\n{lines[-1]}" if "Original Traceback" in str(error) else str(error)
    return Answer(type(error).__name__, text[:_MOST_TEXT])


def words(text: str) -> str:
    """The first line of a message without the details that may differ."""
    first = text.split("\n", 1)[0]
    for pattern, rest in _DETAILS:
        first = re.sub(pattern, rest, first)
    return first


def level(answer: Answer, recorded: Answer) -> str:
    """How well an answer agrees with the recorded one."""
    if answer == recorded:
        return "exact"
    if "ok" in (answer.outcome, recorded.outcome):
        return "other result" if answer.outcome == recorded.outcome else "wrong"
    if answer.outcome != recorded.outcome:
        return "other error"
    return "same words" if words(answer.text) == words(recorded.text) else "same error"


def read(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """A recorded file: what it says of the machine, and its rows."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    return rows[0], rows[1:]


def write(path: Path, machine: dict[str, Any], rows: Iterable[dict[str, Any]]) -> None:
    """Write a recorded file; the same rows give the same bytes."""
    text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in (machine, *rows))
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
