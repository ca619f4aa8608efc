"""Launch options: what the launcher is told, and what is left for the program. Imports nothing of torch."""

from __future__ import annotations

import argparse
from typing import NamedTuple, Optional

_VALUED = (
    "--mode",
    "--kind",
    "--devices",
    "--report",
    "--max-seconds",
    "--max-steps",
    "--max-mismatches",
    "--ear",
    "--own",
)


class LaunchOptions(NamedTuple):
    """One run: what is simulated, its limits, where the report goes, and the program with its arguments.

    ``ear`` is a descriptor to which each signal that Python gets is written as one byte. Below ``own`` lie all files of
    the user; those elsewhere are libraries'.
    """

    mode: str
    kind: str
    devices: int
    report: str
    max_seconds: Optional[float]
    max_steps: Optional[int]
    max_mismatches: Optional[int]
    ear: Optional[int]
    own: Optional[str]
    is_module: bool
    program: str
    arguments: tuple[str, ...]


def parse(words: list[str]) -> LaunchOptions:
    """Read the command line; what follows the program's name is the program's own."""
    parser = _parser()
    own, program = _split(words)
    found = parser.parse_args(own)
    is_module = program[:1] == ["-m"]
    rest = program[1:] if is_module else program
    if not rest:
        parser.error("a script or -m MODULE is needed")
    return LaunchOptions(
        found.mode,
        found.kind,
        found.devices,
        found.report,
        found.max_seconds,
        found.max_steps,
        found.max_mismatches,
        found.ear,
        found.own,
        is_module,
        rest[0],
        tuple(rest[1:]),
    )


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    number = 0
    while number < len(words) and words[number] not in ("-m", "--") and words[number].startswith("--"):
        number += 2 if words[number] in _VALUED else 1
    return words[:number], words[number + (words[number : number + 1] == ["--"]) :]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="launch.py", allow_abbrev=False)
    parser.add_argument("--mode", choices=("strict", "heal", "insist", "plain"), required=True)
    parser.add_argument("--kind", choices=("cuda", "mps", "xpu", "none"), default="cuda")
    parser.add_argument("--devices", type=int, default=1)
    parser.add_argument("--report", required=True)
    parser.add_argument("--max-seconds", type=float)
    parser.add_argument("--max-steps", type=int)
    parser.add_argument("--max-mismatches", type=int)
    parser.add_argument("--ear", type=int)
    parser.add_argument("--own")
    return parser
