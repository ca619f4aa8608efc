"""Source that is put into a text: its lines, laid out at an indentation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from devfix.rewrite.error import EditError
from devfix.rewrite.lines import NEWLINE
from devfix.rewrite.tree import Tree


@dataclass(frozen=True)
class Style:
    """How the text at hand is laid out: its newline and one level of its indentation."""

    newline: str
    unit: str


class Snippet:
    """Dedented statements and comments that are to be inserted, set ``apart`` by a blank line from what is above or not."""

    def __init__(self, code: str, *, apart: bool = False) -> None:
        self.apart = apart
        lines = NEWLINE.split(code)
        while lines and not lines[0].strip():
            del lines[0]
        while lines and not lines[-1].strip():
            del lines[-1]
        self.lines = lines

    @cached_property
    def tree(self) -> Tree:
        """The syntax of the code; raises EditError when it has none."""
        try:
            return Tree("\n".join(self.lines) + "\n")
        except EditError as error:
            raise EditError(f"The code to insert is no list of statements. {error}") from error

    @property
    def has_statements(self) -> bool:
        """Whether there is more than comments."""
        return bool(self.tree.module.body)

    def layout(self, indent: str, style: Style) -> str:
        """The lines at ``indent``, inner levels in the unit of the text; strings are left alone."""
        own = self.tree.module.default_indent
        return (style.newline if self.apart else "") + "".join(
            line + style.newline if number in self.tree.string_lines else _indented(line, own, indent, style)
            for number, line in enumerate(self.lines, 1)
        )


def _indented(line: str, own: str, indent: str, style: Style) -> str:
    if not line.strip():
        return style.newline
    levels = 0
    while line.startswith(own):
        line = line[len(own) :]
        levels += 1
    return indent + style.unit * levels + line + style.newline
