"""Reports of runs, written by hand: places are given by the words that stand there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from devfix.observation.record import ObservedMismatch, parse_record

FOLDER = "/project"


def locate(file: str) -> str | None:
    """The path of a file of the report within the project."""
    return file.removeprefix(f"{FOLDER}/") if file.startswith(f"{FOLDER}/") else None


class Report:
    """Makes parts of a report on some files; without ``columns`` as Python before 3.11 does."""

    def __init__(self, texts: Mapping[str, str], *, columns: bool = True) -> None:
        self.texts = texts
        self.columns = columns

    def place(self, words: str, path: str = "main.py", *, number: int = 0) -> dict[str, Any]:
        """Where some words stand: the first time, or ``number`` times later."""
        text = self.texts[path]
        start = -1
        for _ in range(number + 1):
            start = text.index(words, start + 1)
        before, end = text[:start], start + len(words)
        line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1)
        end_line = text[:end].count("\n") + 1
        shown = self.columns
        return {
            "file": f"{FOLDER}/{path}",
            "line": line,
            "end_line": end_line,
            "column": column if shown else None,
            "end_column": end - (text.rfind("\n", 0, end) + 1) if shown else None,
            "function": "",
            "text": text.splitlines()[line - 1].strip(),
        }

    def made(
        self, kind: str, by: str, words: str, path: str = "main.py", *, number: int = 0
    ) -> dict[str, Any]:
        """How a tensor came to be, at some words."""
        return {"kind": kind, "by": by, "place": self.place(words, path, number=number)}

    def owner(
        self, frame: int, path: str, name: str, made: dict[str, Any] | None = None, **more: Any
    ) -> dict[str, Any]:
        """A module that holds a tensor."""
        return {
            "frame": frame,
            "path": path,
            "name": name,
            "class": "Net",
            "whole": True,
            "made": made,
            **more,
        }

    def mismatch(
        self,
        operation: str,
        stack: Sequence[dict[str, Any]],
        operands: Sequence[dict[str, Any]],
        names: Sequence[Mapping[str, str]] = (),
        **more: Any,
    ) -> ObservedMismatch:
        """A mismatch whose sink is the last place of the stack."""
        found = {
            "kind": "device",
            "operation": operation,
            "error": "RuntimeError",
            "message": "Expected all tensors to be on the same device",
            "count": 1,
            "sink": stack[-1],
            "stack": list(stack),
            "operands": list(operands),
            "names": [*({} for _ in range(len(stack) - len(names))), *names],
            **more,
        }
        return parse_record(record([found])).mismatches[0]


def operand(
    role: str, device: str, paths: Sequence[str] = (), made: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """A tensor of a mismatch; one on the CPU is to blame."""
    found = {"role": role, "device": device, "dtype": "float32", "shape": [4, 4], "blamed": device == "cpu"}
    return {**found, "paths": list(paths), "made": made, **more}


def record(mismatches: Sequence[Mapping[str, Any]] = (), **outcome: Any) -> dict[str, Any]:
    """A whole report."""
    return {
        "format": 1,
        "python": "3.11.2",
        "torch": "2.13.0",
        "mode": "heal",
        "kind": "cuda",
        "outcome": {"how": "finished", "status": 0, **outcome},
        "mismatches": list(mismatches),
    }
