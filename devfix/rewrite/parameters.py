"""Parameters put into the definition of a function, in the layout that it has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from devfix.rewrite.error import EditError
from devfix.rewrite.listing import Entry, Listing
from devfix.rewrite.patch import Patch
from devfix.rewrite.tree import Tree


@dataclass
class Parameters:
    """The parameters that one function is given beside its own."""

    tree: Tree
    function: cst.FunctionDef
    newline: str
    values: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, value: str) -> None:
        """Give the function ``name=value``; raises EditError where it has such a parameter, or is to get another one."""
        known = {each.name.value for each in self._all() if isinstance(each, cst.Param)}
        if name in known or self.values.setdefault(name, value) != value:
            raise EditError(f"The parameter `{name}` of one function is to become two things.")
        if not name.isidentifier():
            raise EditError(f"`{name}` is no name of a parameter.")

    def patches(self) -> Iterator[Patch]:
        """The changes of the text that give the function its new parameters."""
        entries = [self._entry(each) for each in self._all()]
        end = self._closing(
            entries[-1].stop if entries else self.tree.end(self.function.whitespace_before_params)
        )
        start = entries[0].start if entries else end
        codes = [f"{name}={value}" for name, value in self.values.items()]
        yield from Listing(self.tree, start, end, entries, self.newline).insert(codes)

    def _all(self) -> list[cst.CSTNode]:
        own = self.function.params
        star = own.star_arg if isinstance(own.star_arg, (cst.Param, cst.ParamStar)) else None
        slash = own.posonly_ind if isinstance(own.posonly_ind, cst.ParamSlash) else None
        found = [*own.posonly_params, slash, *own.params, star, *own.kwonly_params, own.star_kwarg]
        return [each for each in found if each is not None]

    def _entry(self, node: cst.CSTNode) -> Entry:
        comma = getattr(node, "comma", None)
        stop = self.tree.end(comma.whitespace_before) + 1 if isinstance(comma, cst.Comma) else None
        start, end = self.tree.start(node), max(map(self._end, _parts(node)))
        return Entry(start, end, stop, node is self.function.params.star_kwarg)

    def _end(self, part: cst.CSTNode) -> int:
        """Where a part ends, with its parentheses."""
        closing = getattr(part, "rpar", ())
        return self.tree.end(closing[-1] if closing else part)

    def _closing(self, at: int) -> int:
        """Where the bracket closes behind the last parameter and comments."""
        text = self.tree.text
        while text[at] != ")":
            at = text.index("\n", at) if text[at] == "#" else at + 1
        return at


def _parts(parameter: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The parameter, which ends with its name for LibCST, its annotation and its default."""
    yield parameter
    if isinstance(parameter, cst.Param):
        if parameter.annotation is not None:
            yield parameter.annotation.annotation
        if parameter.default is not None:
            yield parameter.default
