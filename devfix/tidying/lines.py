"""Moves of several names stand on one line, in the order in which the statement before them has the names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from devfix.tidying.written import Written

_MOVE = r"[A-Za-z_]\w*"
_LINE = re.compile(rf"(?P<indent>[ \t]*)(?P<names>{_MOVE}(?:, {_MOVE})*) = (?P<values>.*\S)(?P<end>\s*)")

_EACH = re.compile(
    r"\((?P<part>\w+)(?P<suffix>\.to\([^,]+\)|\.cuda\(\)) for (?P=part) in \((?P<names>[^()]+)\)\)"
)


def joined(written: Written) -> str:
    """The text with new lines that move one name each joined, where they stand together and that fits."""
    return "".join(_joined(written))


def _joined(written: Written) -> Iterator[str]:
    before = ""
    run: list[str] = []
    for number, line in enumerate(written.after.lines, 1):
        moves = moves_of(line) if written.is_new_line(number) else None
        if moves is not None and _stood_there(moves, written.instead_of(number)):
            moves = None
        if moves is not None and (not run or _fit(run[0], line)):
            run.append(line)
            continue
        yield from _as_one(before, run, written.width)
        run = [line] if moves is not None else []
        before = before if run else line
        if not run:
            yield line
    yield from _as_one(before, run, written.width)


def moves_of(line: str) -> tuple[str, list[str]] | None:
    """The suffix that a line calls on each of the names that it binds again, and the names; None for any other."""
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    names = found["names"].split(", ")
    each = _EACH.fullmatch(found["values"])
    if each is not None:
        alike = each["names"] == found["names"] and each["part"] not in re.findall(r"\w+", each["suffix"])
        return (each["suffix"], names) if alike else None
    head = re.match(rf"{names[0]}(\.to\([^,]+\)|\.cuda\(\))(?:, |$)", found["values"])
    if head is None or found["values"] != ", ".join(f"{name}{head[1]}" for name in names):
        return None
    return head[1], names


def _stood_there(moves: tuple[str, list[str]], before: str) -> bool:
    """Whether somebody wrote a move of one of the names on a line of its own, wrong as it was."""
    return any(re.search(rf"\b{name}\.(?:to|cuda)\(", before) for name in moves[1])


def _fit(first: str, line: str) -> bool:
    """Whether two lines call the same on their names, and stand at the same depth."""
    one, other = moves_of(first), moves_of(line)
    same = one is not None and other is not None and one[0] == other[0]
    return same and indent_of(first) == indent_of(line)


def _as_one(before: str, run: list[str], width: int) -> Iterator[str]:
    """One line for a run of them, where it is not too long."""
    found = [moves for moves in map(moves_of, run) if moves is not None]
    names = list(dict.fromkeys(name for _, each in found for name in each))
    suffix = found[0][0] if found else ""
    asks = any(re.search(rf"\b{name}\b", suffix) for name in names)
    if len(run) < 2 or asks:
        yield from run
        return
    order = re.findall(r"\w+", before)
    names.sort(key=lambda name: order.index(name) if name in order else len(order))
    indent, end = indent_of(run[0]), run[0][len(run[0].rstrip()) :]
    line = indent + _one_by_one(names, suffix)
    part = name_for_each({*names, *re.findall(r"\w+", suffix)})
    each = f"{indent}{', '.join(names)} = ({part}{suffix} for {part} in ({', '.join(names)}))"
    if len(line) <= width:
        yield line + end
    elif len(each) <= width:
        yield each + end
    else:
        yield from (f"{indent}{name} = {name}{suffix}{end}" for name in names)


def _one_by_one(names: list[str], suffix: str) -> str:
    return f"{', '.join(names)} = {', '.join(f'{name}{suffix}' for name in names)}"


def name_for_each(taken: Collection[str]) -> str:
    """What each of several tensors is called within a comprehension."""
    return next(name for name in ("t", "tensor", "each", "_") if name not in taken)


def indent_of(line: str) -> str:
    """The blanks at the beginning of a line."""
    return line[: len(line) - len(line.lstrip())]
