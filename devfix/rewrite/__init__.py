"""Runs edits on a text: LibCST decides the structure, splices keep every other byte."""

from __future__ import annotations

from devfix.rewrite.application import apply_edits
from devfix.rewrite.error import EditError

__all__ = ["EditError", "apply_edits"]
