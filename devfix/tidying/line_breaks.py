"""Line breaks: new lines that are longer than those of their file may be are broken as formatters break them.

One in place of a line that people had left whole, however long it was, is left whole as well.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from devfix.source import Source
from devfix.tidying.lines import indent_of
from devfix.tidying.written import Written

_OPENING, _CLOSING = "([{", ")]}"
#: What may stand between the parts of an expression, the loosest first.
_BETWEEN = (
    ("if", "else"), ("or",), ("and",), ("==", "!=", "<", ">", "<=", ">="),
    ("|",), ("^",), ("&",), ("+", "-"), ("*", "/", "//", "@", "%"),
)  # fmt: skip
#: Behind these a plus, a minus or a star has nothing on its left.
_BEFORE_SIGNS = frozenset(
    {*"([{=,:~", "**", "return", "not", "in", "is", "lambda", *(each for row in _BETWEEN for each in row)}
)
#: Comments that speak of the line they stand on.
_PRAGMAS = ("noqa", "type:", "fmt:", "pragma", "pylint:", "devfix:", "pyright:", "mypy:", "isort:", "nosec")
#: How deep brackets within brackets are broken.
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Token:
    """A token of one line, or a formatted string as a whole."""

    start: int
    end: int
    text: str


def broken(written: Written) -> str:
    """The text whose new lines are as long as lines of its file may be, where they can be broken."""
    after = written.after
    long = [
        number
        for number, line in enumerate(after.lines, 1)
        if len(line.rstrip()) > written.longest
        and written.is_new_line(number)
        and not written.was_left_whole(number)
    ]
    if not long:
        return after.text
    rows = _Rows(after)
    lines = list(after.lines)
    for number in long:
        row = rows.row(number, written.limit)
        if row is None or "\t" in indent_of(row.text):
            continue
        parts = _Breaking(written.limit, rows.unit).lines(row)
        if parts is not None:
            end = lines[number - 1][len(lines[number - 1].rstrip("\r\n")) :]
            lines[number - 1] = after.newline.join(parts) + end
    text = "".join(lines)
    return text if text != after.text and _means_the_same(after.tree, text) else after.text


def _means_the_same(tree: ast.Module, text: str) -> bool:
    try:
        again = ast.parse(text)
    except SyntaxError:
        return False
    return ast.dump(tree) == ast.dump(again)


@dataclass(frozen=True)
class Row:
    """A line of code: its tokens, in how many brackets it begins, and how far the next line is indented."""

    text: str
    tokens: tuple[Token, ...]
    depth: int = 0
    below: str = ""

    @property
    def indent(self) -> str:
        """The blanks at its beginning."""
        return indent_of(self.text)

    @cached_property
    def levels(self) -> list[int]:
        """In how many of the brackets that open on this line each token stands; a bracket stands outside of itself."""
        level, found = 0, []
        for token in self.tokens:
            level -= token.text in _CLOSING
            found.append(level)
            level += token.text in _OPENING
        return found

    @property
    def is_closed(self) -> bool:
        """Whether all brackets close that open on the line, and no others."""
        level = sum(token.text in _OPENING for token in self.tokens)
        return level == sum(token.text in _CLOSING for token in self.tokens) and min(self.levels) >= 0

    def pairs(self) -> Iterator[tuple[int, int]]:
        """The outermost brackets with something in them, by the numbers of their tokens; the largest first."""
        found = []
        lowest = min(self.levels)
        for number, token in enumerate(self.tokens):
            if token.text in _OPENING and self.levels[number] == lowest:
                behind = range(number + 1, len(self.tokens))
                end = next((each for each in behind if self.levels[each] == lowest), None)
                if end is not None and end > number + 1 and self.tokens[end].text in _CLOSING:
                    found.append((number, end))
                    if self._is_only_list(number + 1, end - 1):
                        found.append((number + 1, end - 1))
        yield from sorted(found, key=lambda pair: self.tokens[pair[0]].start - self.tokens[pair[1]].end)

    def _is_only_list(self, first: int, last: int) -> bool:
        """Whether some of the tokens are a list, a set or a dict, and nothing else."""
        level = self.levels[first]
        ends = (number for number in range(first + 1, last + 1) if self.levels[number] == level)
        return self.tokens[first].text in "[{" and next(ends, None) == last

    def part(self, first: int, last: int, indent: str) -> Row:
        """Some of the tokens as a line of their own."""
        start, end = self.tokens[first].start, self.tokens[last].end
        shift = len(indent) - start
        tokens = (
            Token(each.start + shift, each.end + shift, each.text) for each in self.tokens[first : last + 1]
        )
        return Row(indent + self.text[start:end], tuple(tokens), self.depth + 1)


class _Rows:
    """The lines of a text that can be broken: code that neither begins nor ends within a string."""

    def __init__(self, source: Source) -> None:
        self._lines = source.lines
        self._tokens: dict[int, list[tokenize.TokenInfo]] = {}
        self._depths: dict[int, int] = {}
        self._across: set[int] = set()
        self.unit = " " * 4
        self._read(source.text)

    def _read(self, text: str) -> None:
        depth, row, units = 0, 0, []
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            first, last = token.start[0], token.end[0]
            for each in range(row + 1, first + 1):
                self._depths[each] = depth
            row = max(row, first)
            if token.type == tokenize.INDENT:
                units.append(token.string)
            elif token.type == tokenize.OP and token.string in _OPENING:
                depth += 1
            elif token.type == tokenize.OP and token.string in _CLOSING:
                depth -= 1
            if last > first and token.string.strip():
                self._across.update(range(first, last + 1))
            elif token.string.strip() and token.type != tokenize.INDENT:
                self._tokens.setdefault(first, []).append(token)
        self.unit = min(units, key=len, default=self.unit)

    def row(self, number: int, limit: int) -> Row | None:
        """A line; None where it may not be broken, or has no more code than ``limit``."""
        text = self._lines[number - 1].rstrip()
        above = self._lines[number - 2].rstrip() if number > 1 else ""
        joined = text.endswith("\\") or above.endswith("\\")
        found = self._tokens.get(number, [])
        comment = found[-1].string if found and found[-1].type == tokenize.COMMENT else ""
        bound = any(each in comment.lower() for each in _PRAGMAS) or any(each.string == ";" for each in found)
        short = len(text.removesuffix(comment).rstrip()) <= limit
        if joined or number in self._across or bound or short or len(found) < 2:
            return None
        below = indent_of(self._lines[number]) if number < len(self._lines) else ""
        return Row(text, tuple(_with_whole_strings(found)), self._depths[number], below)


def _with_whole_strings(tokens: list[tokenize.TokenInfo]) -> Iterator[Token]:
    """The tokens, where what a formatted string is made of is one."""
    begin, depth = 0, 0
    for token in tokens:
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_START":
            begin = begin if depth else token.start[1]
            depth += 1
        elif kind == "FSTRING_END":
            depth -= 1
            if not depth:
                yield Token(begin, token.end[1], "''")
        elif not depth:
            yield Token(token.start[1], token.end[1], token.string)


@dataclass(frozen=True)
class _Breaking:
    """Breaks lines so that none has more columns than ``limit``."""

    limit: int
    unit: str

    def lines(self, row: Row, depth: int = 0) -> list[str] | None:
        """The lines that stand for a row; None where they would be too long as well."""
        if len(row.text) <= self.limit:
            return [row.text]
        if depth > _DEEPEST:
            return None
        if row.depth or not row.is_closed:
            found = self._at_comma(row)
            return found if found is not None else self._in_bracket(row, row.pairs(), depth)
        begin = _value(row)
        if begin is None:
            return self._in_bracket(row, row.pairs(), depth)
        if _between(row, begin) is not None:
            return self._in_parentheses(row, begin, depth)
        found = self._in_bracket(row, (each for each in row.pairs() if _is_most(row, begin, each)), depth)
        if found is None:
            found = self._in_parentheses(row, begin, _DEEPEST)
        return found if found is not None else self._in_bracket(row, row.pairs(), depth)

    def _in_bracket(self, row: Row, pairs: Iterable[tuple[int, int]], depth: int) -> list[str] | None:
        """The fewest lines that come of breaking one of the brackets."""
        tries = (self._opened(row, pair, depth) for pair in pairs)
        return min((each for each in tries if each is not None), key=len, default=None)

    def _at_comma(self, row: Row) -> list[str] | None:
        """What a line has of the parts of a bracket on several lines, where the bracket goes on below the first or began above."""
        opens = sum(each.text in _OPENING for each in row.tokens) > sum(
            each.text in _CLOSING for each in row.tokens
        )
        level, indent = (max(_open_levels(row)), row.below) if opens else (min(row.levels), row.indent)
        commas = [
            number
            for number, token in enumerate(row.tokens[:-1])
            if token.text == "," and row.levels[number] == level and token.end <= self.limit
        ]
        if not commas or row.tokens[commas[-1] + 1].text.startswith("#"):
            return None
        last = row.part(commas[-1] + 1, len(row.tokens) - 1, indent)
        fits = len(last.text) <= self.limit
        rest = [last.text] if fits else None if opens else self._at_comma(last)
        return [row.text[: row.tokens[commas[-1]].end], *rest] if rest is not None else None

    def _opened(self, row: Row, pair: tuple[int, int], depth: int) -> list[str] | None:
        """A bracket whose parts stand on lines of their own, one where that is enough."""
        opening, closing = pair
        head = row.text[: row.tokens[opening].end]
        tail = row.indent + row.text[row.tokens[closing].start :]
        inside = self._inside(row.part(opening + 1, closing - 1, row.indent + self.unit), depth)
        fit = max(len(head), len(tail)) <= self.limit
        return [head, *inside, tail] if fit and inside is not None else None

    def _in_parentheses(self, row: Row, begin: int, depth: int) -> list[str] | None:
        """A value that is no bracket, in new parentheses."""
        code = len(row.tokens) - (2 if row.tokens[-1].text.startswith("#") else 1)
        head = row.text[: row.tokens[begin].start] + "("
        tail = row.indent + ")" + row.text[row.tokens[code].end :]
        inside = self._inside(row.part(begin, code, row.indent + self.unit), depth)
        fit = max(len(head), len(tail)) <= self.limit
        return [head, *inside, tail] if fit and inside is not None else None

    def _inside(self, body: Row, depth: int) -> list[str] | None:
        """The lines of what stands in a bracket: one, or one for each part."""
        if len(body.text) <= self.limit:
            return [body.text]
        starts = _starts(body)
        if starts is None:
            return None
        if len(starts) == 1:
            return self.lines(body, depth + 1)
        ends = [*(start - 1 for start in starts[1:]), len(body.tokens) - 1]
        listed = body.tokens[ends[0]].text == ","
        found: list[str] = []
        for start, end in zip(starts, ends, strict=True):
            part = body.part(start, end, body.indent)
            added = "," if listed and body.tokens[end].text != "," else ""
            each = self.lines(part, depth + 1)
            if each is None or len(each[-1] + added) > self.limit:
                return None
            found += [*each[:-1], each[-1] + added]
        return found


def _open_levels(row: Row) -> list[int]:
    """The levels within the brackets of a line that close below it."""
    found: list[int] = []
    for token, level in zip(row.tokens, row.levels, strict=True):
        if token.text in _OPENING:
            found.append(level + 1)
        elif token.text in _CLOSING and found:
            found.pop()
    return found or [0]


def _value(row: Row) -> int | None:
    """The number of the token with which begins what a statement assigns or returns."""
    texts = [token.text for token in row.tokens]
    if "lambda" in texts:
        return None
    if texts[0] == "return" and len(texts) > 1:
        return 1
    assigned = [
        number
        for number, text in enumerate(texts[:-1])
        if row.levels[number] == 0 and text.endswith("=") and text not in ("==", "!=", "<=", ">=", ":=")
    ]
    return assigned[-1] + 1 if assigned else None


def _is_most(row: Row, begin: int, pair: tuple[int, int]) -> bool:
    """Whether a value is little else than a bracket, or ends with one that is not short."""
    opening, closing = (row.tokens[each] for each in pair)
    inside, value = closing.start - opening.end, len(row.text) - row.tokens[begin].start
    return inside * (4 if pair[1] == len(row.tokens) - 1 else 2) > value


def _between(row: Row, begin: int = 0) -> tuple[str, ...] | None:
    """What stands between the largest parts of an expression: a comma, ``or``, ``+``."""
    outside = {
        token.text
        for number, token in enumerate(row.tokens)
        if number > begin and row.levels[number] == 0 and _is_between(row, number)
    }
    return next((each for each in ((",",), *_BETWEEN) if outside & set(each)), None)


def _is_between(row: Row, number: int) -> bool:
    """Whether a token stands between two parts: no sign, no star of arguments, no comma at the end."""
    if number == len(row.tokens) - 1:
        return False
    before = row.tokens[number - 1].text if number else "("
    return row.tokens[number].text not in ("+", "-", "*") or before not in _BEFORE_SIGNS


def _starts(body: Row) -> list[int] | None:
    """The numbers of the tokens with which the parts of what is in a bracket begin; None where that is not told."""
    outside = [number for number, level in enumerate(body.levels) if level == 0]
    texts = {number: body.tokens[number].text for number in outside}
    if "lambda" in texts.values() or ":=" in texts.values():
        return None
    loops = [number for number in outside if texts[number] == "for"]
    if loops:
        further = (each for each in outside if each >= loops[0] and texts[each] in ("for", "if"))
        return [0, *(each - (texts.get(each - 1) == "async") for each in further)]
    between = _between(body)
    if between is None or (between != (",",) and {"=", ":"} & set(texts.values())):
        return [0]
    found = [each for each in outside if texts[each] in between and _is_between(body, each)]
    return [0, *(each + (between == (",",)) for each in found)]
