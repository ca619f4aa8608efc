"""Rule pages: what a diagnostic's code links to, as files of Markdown that every editor can open.

They are written for this very version of the rules, those of other packs among them; no place on the
network could have them all.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
from pathlib import Path

from devfix.registry import Rule
from devfix.report.catalogue import rule_markdown


def page_file(rule: Rule, folder: Path) -> str:
    """The file with a rule's page, written if it is not there yet; the rule's own where it cannot be written."""
    path = folder / f"{rule.code}-{rule.name}.md"
    text = rule_markdown(rule)
    with contextlib.suppress(OSError):
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return str(path)
    return inspect.getsourcefile(type(rule)) or ""


def cache_folder() -> Path:
    """Where files go that can be made again."""
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "devfix" / "rules"
