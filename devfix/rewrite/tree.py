"""The concrete syntax tree of a text, with every position as an offset into that text."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache, cached_property
from typing import cast

import libcst as cst
from libcst.metadata import CodeRange, PositionProvider
from libcst.metadata.position_provider import PositionProvidingCodegenState

from devfix.findings import Span
from devfix.rewrite.error import EditError
from devfix.rewrite.lines import Lines
from devfix.rewrite.skeleton import skeleton

_NEWLINE = re.compile(r"\r\n?|\n")
_FORM_FEED_INDENT = re.compile(r"(?:^|(?<=[\r\n]))[ \t\f]*\f")
_DEEPEST = 1000
_TOO_DEEP = "The text is nested too deeply for LibCST."
_STRINGS = (cst.SimpleString, cst.FormattedString)
_Ranges = dict[cst.CSTNode, CodeRange]


class Tree:
    """A parsed text and the offsets of its nodes.

    What is not on the lines of ``touched``, where that is given, may be left out: see ``skeleton``.
    """

    def __init__(self, text: str, touched: Sequence[Span] | None = None) -> None:
        self.text = text
        self.lines = Lines(text)
        self._form_feeds: dict[int, int] = {}
        self.module, self._ranges = self._parsed(touched)

    def start(self, node: cst.CSTNode) -> int:
        """Where ``node`` starts, without its parentheses."""
        at = self._range(node).start
        return self.lines.offset(at.line, at.column + self._form_feeds.get(at.line, 0))

    def end(self, node: cst.CSTNode) -> int:
        """Where ``node`` ends, without its parentheses."""
        at = self._range(node).end
        # A node that ends at column 0 ends with the newline before; what stands there is not its.
        shift = self._form_feeds.get(at.line, 0) if at.column else 0
        return self.lines.offset(at.line, at.column + shift)

    def source(self, node: cst.CSTNode) -> str:
        """The text of ``node``, without its parentheses."""
        return self.text[self.start(node) : self.end(node)]

    @cached_property
    def string_lines(self) -> frozenset[int]:
        """The lines that start inside a string: their indentation is the string's own."""
        return frozenset(
            line
            for node, place in self._ranges.items()
            if isinstance(node, _STRINGS)
            for line in range(place.start.line + 1, place.end.line + 1)
        )

    def _range(self, node: cst.CSTNode) -> CodeRange:
        return self._ranges[node]

    def _without_form_feeds(self) -> str:
        """The text without form feeds in indentation, which LibCST would drop in silence."""
        if "\f" not in self.text:
            return self.text
        for found in _FORM_FEED_INDENT.finditer(self.text):
            self._form_feeds[self.lines.line_of(found.start())] = len(found.group())
        return _FORM_FEED_INDENT.sub("", self.text)

    def _parsed(self, touched: Sequence[Span] | None) -> tuple[cst.Module, _Ranges]:
        python = parse_python(self.text)
        if touched is not None and "\f" not in self.text:
            try:
                less = skeleton(python, self.lines, touched)
                return _parsed(less, parse_python(less))
            except EditError:
                pass  # LibCST may still take to the whole
        return _parsed(self._without_form_feeds(), python)


def _parsed(text: str, python: ast.Module) -> tuple[cst.Module, _Ranges]:
    text = _without_blank_end(text)
    # Before LibCST, whose parser would exhaust the stack where the tree is deep.
    _check_depth(python)
    try:
        module = cst.parse_module(text)
        code, ranges = _Positions().of(module)
    except cst.ParserSyntaxError as error:
        raise EditError(f"LibCST cannot parse the text: {error.message}.") from error
    except RecursionError as error:
        raise EditError(_TOO_DEEP) from error
    if code != text:
        raise EditError("LibCST does not give the text back as it was.")
    return module, ranges


def _without_blank_end(text: str) -> str:
    """The text without blank lines at its end, which LibCST loses where some hold blanks and others do not."""
    last = _NEWLINE.search(text, len(text.rstrip(" \t\r\n")))
    return text[: last.end()] if last is not None else text


class _Positions(PositionProvider):
    """Where nodes are, without the walk over all of them that LibCST takes for providers of other kinds."""

    def of(self, module: cst.Module) -> tuple[str, _Ranges]:
        """The code of a module, and the ranges of its nodes in it."""
        state = PositionProvidingCodegenState(module.default_indent, module.default_newline, provider=self)
        module._codegen(state)
        return "".join(state.tokens), cast("_Ranges", self._computed)


def parse_python(text: str) -> ast.Module:
    """Python's own syntax tree of ``text``; what it would warn of is not our business.

    Raises EditError for a text that does not parse, or is nested too deeply for Python's parser.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (RecursionError, MemoryError) as error:
        raise EditError(_TOO_DEEP) from error
    except (SyntaxError, ValueError) as error:
        raise EditError(f"The text does not parse: {error}.") from error


def _check_depth(tree: ast.AST) -> None:
    pending = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        # LibCST nests the operands that `ast` lists.
        inner = depth + (len(node.values) if isinstance(node, ast.BoolOp) else 1)
        if inner > _DEEPEST:
            raise EditError(_TOO_DEEP)
        pending += [(child, inner) for child in ast.iter_child_nodes(node)]


@cache
def _field_names(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def children(node: cst.CSTNode) -> Iterator[tuple[str, cst.CSTNode]]:
    """The nodes directly under ``node``, each with the name of the field that holds it."""
    for name in _field_names(type(node)):
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            yield name, value
        elif isinstance(value, (list, tuple)):
            for item in value:
                if isinstance(item, cst.CSTNode):
                    yield name, item
