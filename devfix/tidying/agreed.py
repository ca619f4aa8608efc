"""Moves next to one another name one device."""

from __future__ import annotations

import re

from devfix.tidying.lines import indent_of, moves_of
from devfix.tidying.written import Written


def in_one_way(written: Written, *, asks_again: bool = False) -> str:
    """The text whose new moves next to one another name one device: one with a name rather than that of a module.

    ``y = y.to(x.device)`` below ``x = x.to(device)`` becomes ``y = y.to(device)``; where the first asks a module
    only if that may be asked again, since the answer gets a name.
    """
    lines = list(written.after.lines)
    for number in range(1, len(lines)):
        if not written.is_new_line(number) or not written.is_new_line(number + 1):
            continue
        for one, other in ((number - 1, number), (number, number - 1)):
            told, asked = moves_of(lines[one]), moves_of(lines[other])
            if told is None or asked is None or indent_of(lines[one]) != indent_of(lines[other]):
                continue
            named = set(re.findall(r"\w+", told[0]))
            followed = one < other and asked[0] in {f".to({name}.device)" for name in told[1]}
            named_instead = _asks_module(asked[0]) and not _asks_module(told[0])
            followed = followed and (asks_again or not _asks_module(told[0]))
            if (followed or named_instead) and named.isdisjoint({*told[1], *asked[1]}):
                lines[other] = lines[other].replace(asked[0], told[0])
    return "".join(lines)


def _asks_module(suffix: str) -> bool:
    return ".parameters())" in suffix
