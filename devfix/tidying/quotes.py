"""Quotes: texts that fixes wrote stand in the quotes that the file has, where it has but one kind."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator

from devfix.tidying.written import Written

#: With fewer texts nobody can tell what a file's quotes are.
_FEWEST = 3
_TRIPLE = ("'''", '"""')


def as_in_file(written: Written) -> str:
    """The text with ``'cuda'`` for the ``"cuda"`` of fixes, in a file without a text in double quotes."""
    numbers = {n for n, line in enumerate(written.after.lines, 1) if '"' in line and written.is_new_line(n)}
    if not numbers or not _has_single_quotes(written.before.text):
        return written.after.text
    lines = list(written.after.lines)
    for token in reversed(list(_texts(written.after.text))):
        (number, begin), (last, end) = token.start, token.end
        inside = token.string[1:-1]
        plain = token.string.startswith('"') and number == last and not set("'\"\\") & set(inside)
        if plain and number in numbers and token.string not in written.instead_of(number):
            line = lines[number - 1]
            lines[number - 1] = f"{line[:begin]}'{inside}'{line[end:]}"
    return "".join(lines)


def _has_single_quotes(text: str) -> bool:
    """Whether the texts of a file, of which there are some, all stand in single quotes, but those over several lines."""
    quotes = [token.string[-1] for token in _texts(text)]
    return len(quotes) >= _FEWEST and set(quotes) == {"'"}


def _texts(text: str) -> Iterator[tokenize.TokenInfo]:
    """The texts on one line; what stands within a formatted string, which Python divides from 3.12 on, is bound by its quotes."""
    depth = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        kind = tokenize.tok_name[token.type]
        depth += kind.endswith("STRING_START") - kind.endswith("STRING_END")
        if kind == "STRING" and not depth and not token.string.endswith(_TRIPLE):
            yield token
