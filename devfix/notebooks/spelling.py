"""Spelling: how a file writes characters in its strings, so that what is new in it looks like the rest."""

from __future__ import annotations

import json
from collections.abc import Iterable

from devfix.notebooks.json_text import units


class Spelling:
    """The characters that some literals escape, or leave as they are, and how."""

    def __init__(self, literals: Iterable[str]) -> None:
        self._known: dict[str, str] = {}
        self._is_ascii: bool | None = None
        for literal in literals:
            if "\\" in literal or not literal.isascii():
                self._learn(literal)

    def _learn(self, literal: str) -> None:
        for character, written in units(literal):
            if written != character or not character.isascii():
                self._known.setdefault(character, written)
            if not character.isascii() and self._is_ascii is None:
                self._is_ascii = written.isascii()

    def content(self, text: str) -> str:
        """A text as it is written between quotes."""
        return "".join(self._known.get(character) or self._plain(character) for character in text)

    def literal(self, text: str) -> str:
        """A text as a string of JSON."""
        return f'"{self.content(text)}"'

    def _plain(self, character: str) -> str:
        # Jupyter itself leaves characters beyond ASCII as they are.
        return json.dumps(character, ensure_ascii=bool(self._is_ascii))[1:-1]
