"""Spots: nodes of the program, each with the file it stands in."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from devfix.analysis.text.outline import Outline
from devfix.findings import Origin, Span

#: Longer texts are cut in messages.
_MAX_TEXT = 60


@dataclass(frozen=True, slots=True)
class Spot:
    """A node of a file of the program."""

    path: str
    outline: Outline
    node: ast.AST

    def at(self, node: ast.AST) -> Spot:
        """Another node of the same file."""
        return Spot(self.path, self.outline, node)

    @property
    def span(self) -> Span:
        """Where the node stands."""
        return self.outline.source.span(self.node)

    @property
    def text(self) -> str:
        """The node's source on one line, shortened."""
        words = " ".join(self.outline.source.segment(self.span).split())
        return words if len(words) <= _MAX_TEXT else words[: _MAX_TEXT - 1] + "…"

    @property
    def scope(self) -> str:
        """The qualified name of the function around the node, as the analysis spells it."""
        return self.outline.scopes(self.node)[0]

    def origin(self, kind: str, text: str | None = None) -> Origin:
        """The spot as a place in the life of a value."""
        return Origin(kind, self.path, self.span, self.text if text is None else text, self.scope)
