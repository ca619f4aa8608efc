"""View: what a renderer is told besides the results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from devfix.findings import Edit, ReplaceComment
from devfix.registry import Rule
from devfix.report.paint import Paint


@dataclass(frozen=True)
class View:
    """How results are shown.

    ``rules`` are those that ran. ``edited`` turns a text and edits of it into the new text, or None where the
    edits have no place; without it no format shows what fixes would write.
    """

    paint: Paint = field(default_factory=Paint)
    rules: Sequence[Rule] = ()
    edited: Callable[[str, Sequence[Edit | ReplaceComment]], str | None] | None = None
    show_fixes: bool = False
    #: Whether findings stand alone, without a summary.
    quiet: bool = False
