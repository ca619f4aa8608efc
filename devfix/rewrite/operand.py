"""What happens to one expression: it is replaced, wrapped, put in parentheses where it must be."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import libcst as cst

from devfix.findings import WrapExpression
from devfix.rewrite.error import EditError
from devfix.rewrite.expression import Expression
from devfix.rewrite.lines import NEWLINE
from devfix.rewrite.patch import Patch, Side
from devfix.rewrite.precedence import Level, bare_level, level, required
from devfix.rewrite.tree import children

_PLACEHOLDER = "__operand__"
_UNSAFE_IN_FORMATTED = ("\\", "\n", "\r", "#")


@dataclass(frozen=True)
class Wrapping:
    """How the result of a wrap binds, and how tightly its operand has to."""

    result: Level
    operand: Level


def level_of(code: str) -> Level:
    """How tightly the expression ``code`` binds; an error when it is no expression."""
    return _parsed(code)[1]


def _parsed(code: str) -> tuple[cst.BaseExpression, Level]:
    """The syntax of ``code``, read between parentheses as it may have to stand, and its level."""
    try:
        inner = cst.parse_expression(f"({code})")
        if not inner.lpar:  # the parentheses added are not a pair: `a) + (b`
            raise EditError(f"`{code}` is no expression.")
        try:
            return inner, level(cst.parse_expression(code))
        except cst.ParserSyntaxError:
            return inner, bare_level(inner)
    except cst.ParserSyntaxError as error:
        raise EditError(f"`{code}` is no expression.") from error


@lru_cache(maxsize=256)
def wrapping(prefix: str, suffix: str) -> Wrapping:
    """The binding of ``prefix`` and ``suffix``, read off what they make around a name."""
    whole, result = _parsed(f"{prefix}{_PLACEHOLDER}{suffix}")
    pending: list[tuple[cst.CSTNode, cst.Call | None]] = [(whole, None)]
    while pending:
        node, call = pending.pop()
        for name, child in children(node):
            if isinstance(child, cst.Name) and child.value == _PLACEHOLDER:
                alone = call is not None and len(call.args) == 1
                return Wrapping(result, required(node, name, alone=alone))
            pending.append((child, node if isinstance(node, cst.Call) else None))
    return Wrapping(result, Level.BARE)


@dataclass
class Operand:
    """All edits of one expression; together they make patches at its borders and inside it."""

    expression: Expression
    replacement: str | None = None
    wraps: list[WrapExpression] = field(default_factory=list)
    alone: bool = True

    def replace(self, code: str) -> None:
        """Put ``code`` in the place of the expression; raises EditError where another edit puts other code there."""
        if self.replacement is not None:
            raise EditError(f"One expression is to become both `{self.replacement}` and `{code}`.")
        self.replacement = code

    def patches(self, text: str, newline: str) -> list[Patch]:
        """The changes to ``text``, with parentheses where the result would bind otherwise.

        Raises EditError for a starred element, which is no expression of its own.
        """
        if isinstance(self.expression.node, cst.StarredElement):
            raise EditError("A starred element is no expression of its own.")
        start, end, opening, closing = self._ends()
        middle = [] if self.replacement is None else [self._middle(newline)]
        code = "".join(patch.text for patch in middle)
        self._check_quotes(opening + code + closing)
        if opening + code and _grows(text[:start][-1:], (opening + code)[0]):
            opening = " " + opening
        if code + closing and _grows((code + closing)[-1], text[end : end + 1]):
            closing += " "
        found = [
            Patch(start, start, opening, Side.OPENING, -end),
            *middle,
            Patch(end, end, closing, Side.CLOSING, -start),
        ]
        return [patch for patch in found if patch.text]

    def _middle(self, newline: str) -> Patch:
        code = NEWLINE.sub(newline, self.replacement or "")
        return Patch(self.expression.start, self.expression.end, code)

    def _ends(self) -> tuple[int, int, str, str]:
        """Where text is put around the expression, and which."""
        node = self.expression
        start, end, parens = node.start, node.end, node.parens
        bound = node.level if self.replacement is None else level_of(self.replacement)
        opening = closing = ""
        for wrap in self.wraps:
            binding = wrapping(wrap.prefix, wrap.suffix)
            if bound < binding.operand and parens and not opening + closing:
                (start, end), parens = parens, None
            elif bound < binding.operand:
                opening, closing = "(" + opening, closing + ")"
            opening, closing = wrap.prefix + opening, closing + wrap.suffix
            bound = binding.result
        if not parens and bound < node.required(alone=self.alone):
            opening, closing = "(" + opening, closing + ")"
        return start, end, opening, closing

    def _check_quotes(self, code: str) -> None:
        """Refuse what a formatted string cannot hold before Python 3.12."""
        quotes = [quote[0] for quote in self.expression.quotes]
        if quotes and any(mark in code for mark in (*quotes, *_UNSAFE_IN_FORMATTED)):
            raise EditError(f"`{code}` cannot stand in a formatted string.")


def _grows(before: str, after: str) -> bool:
    """Whether two characters side by side would make one token, or a literal brace."""
    if before == after == "{":
        return True
    return _is_word(before) and (_is_word(after) or after in ("'", '"'))


def _is_word(mark: str) -> bool:
    return mark.isalnum() or mark == "_"
