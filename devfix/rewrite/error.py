"""The one exception of the rewrite."""

from __future__ import annotations


class EditError(ValueError):
    """An edit that cannot be placed in a text; the message is a sentence that says why."""
