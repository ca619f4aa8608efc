"""Formats: the one table of how results can be written."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import cast

from devfix.report.results import Results
from devfix.report.view import View

#: Makes the text of a report.
Render = Callable[[Results, View], str]

#: The module beside this one that renders a format, and its function there; only the one that is asked for is loaded.
FORMATS: Mapping[str, tuple[str, str]] = {
    "text": ("text", "render_text"),
    "concise": ("concise", "render_concise"),
    "json": ("json", "render_json"),
    "json-lines": ("json_lines", "render_json_lines"),
    "sarif": ("sarif", "render_sarif"),
    "github": ("github", "render_github"),
    "gitlab": ("gitlab", "render_gitlab"),
    "junit": ("junit", "render_junit"),
    "rdjson": ("rdjson", "render_rdjson"),
    "html": ("html", "render_html"),
}
#: Those for people at a terminal.
FOR_PEOPLE = frozenset({"text", "concise"})


def renderer(name: str) -> Render:
    """What writes a format; raises KeyError for one that there is not."""
    module, function = FORMATS[name]
    return cast("Render", getattr(importlib.import_module(f"devfix.report.{module}"), function))
