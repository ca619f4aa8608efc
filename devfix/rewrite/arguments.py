"""Keywords put into a call and taken from it, in the layout that the call has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from devfix.rewrite.error import EditError
from devfix.rewrite.lines import NEWLINE
from devfix.rewrite.listing import Entry, Listing
from devfix.rewrite.operand import level_of
from devfix.rewrite.patch import Patch
from devfix.rewrite.precedence import Level
from devfix.rewrite.tree import Tree


@dataclass
class Arguments:
    """The edits of the arguments of one call."""

    tree: Tree
    call: cst.Call
    newline: str
    values: dict[str, str] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)

    def set(self, name: str, value: str) -> None:
        """Give the call ``name=value``; raises EditError where another edit gives it another value."""
        value = NEWLINE.sub(self.newline, value)
        if level_of(value) < Level.EXPRESSION:
            value = f"({value})"
        if name in self.removed or self.values.setdefault(name, value) != value:
            raise EditError(f"The keyword `{name}` of one call is to become two things.")
        if not name.isidentifier():
            raise EditError(f"`{name}` is no name of a keyword.")

    def remove(self, name: str) -> None:
        """Take the keyword ``name`` away; raises EditError where the call has none, or another edit sets it."""
        if name in self.values:
            raise EditError(f"The keyword `{name}` of one call is to become two things.")
        if name not in self._present():
            raise EditError(f"The call has no keyword `{name}`.")
        self.removed.add(name)

    @property
    def grows(self) -> bool:
        """Whether the call gets an argument beside those it has."""
        return bool(self.values.keys() - self._present().keys())

    def patches(self) -> Iterator[Patch]:
        """The changes; a new keyword takes the place of a removed one where there is one."""
        present = self._present()
        new = [f"{name}={self.values[name]}" for name in sorted(self.values.keys() - present.keys())]
        gone = sorted(present[name] for name in self.removed)
        listing = self._listing()
        for name, number in present.items():
            if name in self.values:
                yield from self._changed(self.call.args[number], self.values[name])
        for number, code in zip(gone, new, strict=False):
            yield Patch(listing.entries[number].start, listing.entries[number].end, code)
        if len(gone) > len(new):
            yield from listing.remove(set(gone[len(new) :]))
        elif len(new) > len(gone):
            yield from listing.insert(new[len(gone) :])

    def _present(self) -> dict[str, int]:
        """The keywords of the call, with their places among the arguments."""
        return {
            argument.keyword.value: number
            for number, argument in enumerate(self.call.args)
            if argument.keyword
        }

    def _changed(self, argument: cst.Arg, value: str) -> Iterator[Patch]:
        node = argument.value
        start = self.tree.start(node.lpar[0] if node.lpar else node)
        end = self.tree.end(argument)
        if self.tree.text[start:end] != value:
            yield Patch(start, end, value)

    def _listing(self) -> Listing:
        tree, call = self.tree, self.call
        start = tree.start(call.whitespace_before_args)
        entries = [self._entry(argument) for argument in call.args]
        return Listing(tree, start, tree.end(call) - 1, entries, self.newline)

    def _entry(self, argument: cst.Arg) -> Entry:
        comma = argument.comma
        has_comma = isinstance(comma, cst.Comma)
        stop = self.tree.end(comma.whitespace_before) + 1 if isinstance(comma, cst.Comma) else None
        start, end = self.tree.start(argument), self.tree.end(argument)
        return Entry(start, end, stop if has_comma else None, argument.star == "**")
