"""Printed: the numbers in what a program prints, without those that differ from run to run anyway."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

_NUMBER = r"[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?"
_COUNTED = re.compile(rf"(?<![\w.]){_NUMBER}(?!\w)|(?<!\w)[-+]?(?:nan|inf)(?!\w)")
_RESULT = re.compile(r"RESULT\b[:=\s]*(.*)")
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
#: A line of a progress bar: tqdm's and rich's bars, or a rate.
_PROGRESS = re.compile(r"\d+%\s*\||[█▏▎▍▌▋▊▉━╸]|\b(?:it/s|s/it)\b")
_TIME_WORDS = (
    "time|elapsed|took|taken|duration|eta|runtime|latency|throughput|speed|fps|pid|port|memory|mem|rss"
)
#: A longer line is data; matching patterns in it takes too long.
_LONGEST = 5_000
#: What means another thing in each run: replaced before numbers are looked for.
_PASSING = (
    r"\b(?:cuda|cpu|mps|xpu)(?::\d+)?\b",
    r"\b\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?",
    r"\b\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d+)?\b",
    r"\b0x[0-9a-fA-F]+\b",
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",
    rf"(?i)\b(?:{_TIME_WORDS})\b[^\d\n]{{0,12}}{_NUMBER}",
    rf"(?i)/\s?(?:s|sec|second)\b\W{{0,4}}{_NUMBER}",
    rf"(?i)(?<![\w.]){_NUMBER}\s*(?:[mun\u00b5]s|s|secs?|seconds?|mins|minutes?|hrs?|hours?)\b",
    rf"(?i)(?<![\w.]){_NUMBER}\s*(?:[kmgt]i?b|bytes|\w+/s(?:ec)?)\b",
    # A path has a letter in it, a fraction has none.
    r"(?<![\w/\\])(?=[^\s,;()]*[A-Za-z_])(?:[A-Za-z]:)?[\w.~+-]*(?:[/\\][\w.~+=-]*)+",
    r"\b[\w-]+\.(?:pt|pth|ckpt|safetensors|py|json|ya?ml|txt|csv|npz|npy|log|png)\b",
)
#: How a tensor says where it is; on the CPU it says nothing.
_WHEREABOUTS = re.compile(r",\s*device='[^']*'")
_CHANGING = [re.compile(pattern) for pattern in _PASSING]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far two numbers may be apart; nothing at all when both are zero."""

    relative: float = 0.0
    absolute: float = 0.0

    @property
    def exact(self) -> bool:
        """Whether numbers have to be the same."""
        return not self.relative and not self.absolute

    def accepts(self, first: float, second: float) -> bool:
        """Whether two numbers count as the same; what is not finite has to be alike."""
        if math.isnan(first) or math.isnan(second):
            return math.isnan(first) and math.isnan(second)
        return first == second or math.isclose(first, second, rel_tol=self.relative, abs_tol=self.absolute)


def declared(output: str) -> list[str]:
    """What the program declares as its result: the rest of each line that begins with ``RESULT``."""
    found = (_RESULT.match(line.strip()) for line in output.splitlines())
    return [match[1].strip() for match in found if match]


def numbers_in(text: str) -> list[float]:
    """The numbers of a text, in order."""
    return [float(word) for word in _COUNTED.findall(text)]


@dataclass(frozen=True, slots=True)
class Difference:
    """One number, or one line, that two outputs do not share."""

    line: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.first} against {self.second} in `{self.line}`"


def compared(first: str, second: str, tolerance: Tolerance) -> tuple[int, list[Difference]]:
    """How many numbers two outputs have in common places, and where they differ.

    Lines are matched by their words: the n-th line of a wording with the n-th of the same wording.
    Lines that only one of them has matter when numbers have to be the same.
    """
    ours, theirs = _by_wording(first), _by_wording(second)
    count, differences = 0, []
    for wording in dict.fromkeys([*ours, *theirs]):
        one, other = ours.get(wording, []), theirs.get(wording, [])
        if len(one) != len(other) and (tolerance.exact or (one and other)):
            line = (one or other)[0].strip()
            differences.append(Difference(line, f"{len(one)} lines", f"{len(other)} lines"))
        for line, counterpart in zip(one, other, strict=False):
            pairs = list(
                zip(_COUNTED.findall(_lasting(line)), _COUNTED.findall(_lasting(counterpart)), strict=True)
            )
            count += len(pairs)
            differences += [Difference(line.strip(), *pair) for pair in pairs if not _alike(*pair, tolerance)]
    return count, differences


def _alike(first: str, second: str, tolerance: Tolerance) -> bool:
    if first == second:
        return True
    if tolerance.exact:
        return tolerance.accepts(float(first), float(second))
    # One step of the last printed digit is no difference where numbers may be apart at all.
    step = 10.0 ** -min(_decimals(first), _decimals(second)) if "." in first + second else 0.0
    loose = Tolerance(tolerance.relative, max(tolerance.absolute, step * 1.001))
    return loose.accepts(float(first), float(second))


def _decimals(number: str) -> int:
    mantissa, _, exponent = number.lower().partition("e")
    return len(mantissa.partition(".")[2]) - int(exponent or 0)


def _by_wording(output: str) -> dict[str, list[str]]:
    """The lines that hold numbers, by what they say besides them."""
    found: dict[str, list[str]] = defaultdict(list)
    for line in _lines(output):
        lasting = _lasting(line)
        wording, count = _COUNTED.subn("#", lasting)
        if count:
            found[" ".join(wording.split())].append(line)
    return found


def _lines(output: str) -> Iterator[str]:
    for whole in output.split("\n"):
        # A terminal shows what was written last over a line.
        line = _COLOURS.sub("", whole.rstrip("\r").rpartition("\r")[2])
        if not _PROGRESS.search(line):
            yield line[:_LONGEST]


def _lasting(line: str) -> str:
    line = _WHEREABOUTS.sub("", line)
    for pattern in _CHANGING:
        line = pattern.sub(" ~ ", line)
    return line
