"""Replacements inside statements, by offset, and copies of the text with these applied."""

from __future__ import annotations

import enum
from bisect import bisect_left
from dataclasses import dataclass, field

from devfix.rewrite.error import EditError
from devfix.rewrite.lines import indent_of
from devfix.rewrite.tree import Tree


class Side(enum.IntEnum):
    """What an insertion belongs to; the order in which insertions at one offset are written."""

    CLOSING = 0
    """It ends an expression that ends here."""
    ARGUMENT = 1
    """It follows an argument that ends here."""
    BINDING = 2
    """It starts a statement that starts here."""
    OPENING = 3
    """It starts an expression that starts here."""
    REPLACING = 4
    """It takes the place of text."""


@dataclass(frozen=True, eq=False)
class Patch:
    """``text`` in place of what stands from ``start`` to ``end``; ``rank`` orders equals."""

    start: int
    end: int
    text: str
    side: Side = Side.REPLACING
    rank: int = 0

    @property
    def key(self) -> tuple[int, int, int, int]:
        """The order in which patches are written."""
        return (self.start, self.side, self.rank, self.end)


@dataclass(frozen=True)
class Shift:
    """A change of indentation: lines that start with ``old`` start with ``new`` instead."""

    old: str
    new: str

    def indent(self, indent: str) -> str:
        """``indent``, or what starts with it, after the change; a form feed stays in front."""
        space = indent_of(indent)
        at = indent.rfind("\f", 0, len(indent) - len(indent.lstrip(" \t\f"))) + 1
        moves = space.startswith(self.old)
        return indent[:at] + self.new + indent[at + len(self.old) :] if moves else indent


NO_SHIFT = Shift("", "")


@dataclass
class Copier:
    """Copies regions of a text with the patches in them, and knows which ones it has written."""

    tree: Tree
    patches: list[Patch]
    _written: set[Patch] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.patches = sorted(self.patches, key=lambda patch: patch.key)
        self._starts = [patch.start for patch in self.patches]

    def copy(self, start: int, end: int, shift: Shift = NO_SHIFT) -> str:
        """The text of a region as the patches leave it, re-indented; raises EditError where two of them overlap."""
        parts: list[str] = []
        at = start
        for patch in self._inside(start, end):
            if patch.start < at:
                raise EditError(f"Two edits change the same text in {self._place(patch)}.")
            parts += (self._original(at, patch.start, shift), patch.text)
            at = patch.end
            self._written.add(patch)
        parts.append(self._original(at, end, shift))
        return "".join(parts)

    def check(self) -> None:
        """Raise EditError when a patch lies in text that another edit took away."""
        for patch in self.patches:
            if patch not in self._written:
                raise EditError(f"An edit changes text that another takes away in {self._place(patch)}.")

    def _place(self, patch: Patch) -> str:
        return f"line {self.tree.lines.line_of(patch.start)}"

    def _inside(self, start: int, end: int) -> list[Patch]:
        first = bisect_left(self._starts, start)
        found: list[Patch] = []
        for patch in self.patches[first:]:
            if patch.start > end:
                break
            if patch.end <= end and _belongs(patch, start, end):
                found.append(patch)
        return found

    def _original(self, start: int, end: int, shift: Shift) -> str:
        text = self.tree.text
        if shift.old == shift.new:
            return text[start:end]
        lines = self.tree.lines
        parts: list[str] = []
        at = start
        while at < end:
            following = lines.start_of_next_line(at)
            piece = text[at : min(end, following)]
            parts.append(shift.indent(piece) if self._is_indented(at, following) else piece)
            at += len(piece)
        return "".join(parts)

    def _is_indented(self, start: int, end: int) -> bool:
        """Whether a line starts at ``start`` that has an indentation to change."""
        line = self.tree.lines.line_of(start)
        starts_here = self.tree.lines.starts[line - 1] == start
        return starts_here and line not in self.tree.string_lines and bool(self.tree.text[start:end].strip())


def _belongs(patch: Patch, start: int, end: int) -> bool:
    """Whether a patch in a region belongs to it; one at its border may belong to the neighbour."""
    if patch.start == patch.end == end:
        return patch.side <= Side.ARGUMENT
    if patch.start == patch.end == start:
        return patch.side > Side.ARGUMENT
    return True
