"""Places: on which line of a TOML file a key is set."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def line_of(text: str, path: Sequence[str]) -> int | None:
    """The line on which the key at ``path`` is first set, or its table begins; None where that cannot be told."""
    key = re.escape(path[-1])
    for found in re.finditer(rf"^[ \t]*[^\n#=]*?[\"']?{key}[\"']?[ \t]*[\].=]", text, re.MULTILINE):
        if _sets(text[: found.start()], found[0], path):
            return text.count("\n", 0, found.start()) + 1
    return None


def _sets(before: str, begin: str, path: Sequence[str]) -> bool:
    """Whether a line that begins like this is where a key is set: it may as well be within a string or a list."""
    in_header = begin.lstrip().startswith("[")
    ending = {"=": "0", "]": "", ".": "x]" if in_header else "x=0"}[begin[-1]]
    try:
        return not _holds(tomllib.loads(before), path) and _holds(
            tomllib.loads(before + begin + ending), path
        )
    except tomllib.TOMLDecodeError:
        return False


def _holds(document: object, path: Sequence[str]) -> bool:
    for name in path:
        if not isinstance(document, dict) or name not in document:
            return False
        document = document[name]
    return True
