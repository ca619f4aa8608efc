"""Invocation: a command line that ends in another program's command line, as Python's own does."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperOption

if TYPE_CHECKING:
    from devfix.running.request import Request

MODULE = "-m"


class ProgramCommand(TyperCommand):
    """A command whose options stop at the program: what follows a script or ``-m MODULE`` is not its own."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put ``--`` in front of the program, so that its options are left alone."""
        number = self.program_at(ctx, args)
        if number < len(args) and args[number] != "--":
            args = [*args[:number], "--", *args[number:]]
        return super().parse_args(ctx, args)

    def program_at(self, ctx: Any, args: list[str]) -> int:
        """Where in the words the program begins; behind them all where there is none."""
        valued = {
            name
            for parameter in self.get_params(ctx)
            if isinstance(parameter, TyperOption) and not parameter.is_flag
            for name in parameter.opts
        }
        number = 0
        while number < len(args) and args[number].startswith("-") and args[number] not in ("-", "--", MODULE):
            number += 2 if args[number] in valued else 1
        return min(number, len(args))


def misplaced(own: Iterable[str], request: Request) -> list[str]:
    """Options of a command that stand behind the program, which does not say such a word anywhere in its file."""
    program = Path(request.program)
    text = program.read_text(encoding="utf-8", errors="replace") if program.is_file() else ""
    given = dict.fromkeys(word.partition("=")[0] for word in request.arguments)
    return [name for name in given if name in set(own) and not re.search(_word(name), text)]


def _word(option: str) -> str:
    return rf"\b{option.lstrip('-').replace('-', '[-_]')}\b"


def split(words: list[str]) -> tuple[bool, str, tuple[str, ...]]:
    """Whether a module is meant, what it or the script is called, and its arguments; raises ValueError."""
    is_module = words[:1] == [MODULE]
    rest = words[1:] if is_module else words
    if not rest or not rest[0]:
        raise ValueError("name a script, or a module with -m")
    return is_module, rest[0], tuple(rest[1:])
