"""Patterns of texts: whether ``re.search`` and ``fnmatch`` find a known text, as names of layers are chosen by."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.values import NONE, UNKNOWN, Const, External, Value
from devfix.analysis.language.frames import Arg, CallSite

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

_MATCHES: dict[str, Callable[[str, str], re.Match[str] | None]] = {
    "re.search": re.search,
    "re.match": re.match,
    "re.fullmatch": re.fullmatch,
}
#: What takes long on purpose is not tried: repetitions of groups, more than a few repetitions, long texts.
_REPEATED_GROUP, _REPETITION = re.compile(r"\)[*+?{]"), re.compile(r"[*+{]")
_MOST_REPETITIONS, _LONGEST = 4, 200


def match(_: Interpreter, name: str, site: CallSite) -> Value:
    """``re.search(pattern, text)``: what counts as true where it is found, else None."""
    pattern, text = _text(site.get(0, "pattern")), _text(site.get(1, "string"))
    if pattern is None or text is None or len(site.args) + len(site.keywords) > 2 or not _is_quick(pattern):
        return UNKNOWN
    try:
        found = _MATCHES[name](pattern, text)
    except re.error:
        return UNKNOWN
    return External("re.Match") if found is not None else NONE


def file_match(_: Interpreter, _name: str, site: CallSite) -> Value:
    """``fnmatch.fnmatch(name, pattern)``, as it is where capitals are told from other letters."""
    text, pattern = _text(site.get(0, "name")), _text(site.get(1, "pat"))
    if text is None or pattern is None or pattern.count("*") > _MOST_REPETITIONS:
        return UNKNOWN
    return Const(fnmatch.fnmatchcase(text, pattern))


def _text(arg: Arg | None) -> str | None:
    value = arg.value if arg is not None else None
    text = value.value if isinstance(value, Const) else None
    return text if isinstance(text, str) and len(text) <= _LONGEST else None


def _is_quick(pattern: str) -> bool:
    return not _REPEATED_GROUP.search(pattern) and len(_REPETITION.findall(pattern)) <= _MOST_REPETITIONS


HANDLERS: dict[str, Callable[[Interpreter, str, CallSite], Value]] = {
    **dict.fromkeys(_MATCHES, match),
    **dict.fromkeys(("fnmatch.fnmatch", "fnmatch.fnmatchcase"), file_match),
}
