"""Old words: spellings of options that are still understood and no longer shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from typer.core import TyperCommand


def renewed(words: Iterable[str], old: Mapping[str, str]) -> list[str]:
    """The words with options as they are called now, also where a value is written behind an equals sign."""
    parts = (word.partition("=") for word in words)
    return ["".join([old.get(name, name), sign, value]) for name, sign, value in parts]


class OutputCommand(TyperCommand):
    """A command whose options for its output were called otherwise once."""

    OLD: ClassVar[Mapping[str, str]] = {"--output": "--output-file", "--format": "--output-format"}

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take the old words for the new ones."""
        return super().parse_args(ctx, renewed(args, self.OLD))
