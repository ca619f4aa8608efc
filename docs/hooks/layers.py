"""The list of layers on the page of the architecture, from the contract that CI checks."""

from __future__ import annotations

import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
MARK = "<!-- layers -->"


def on_page_markdown(markdown: str, **_: object) -> str:
    """Put the layers where a page asks for them."""
    return markdown.replace(MARK, picture()) if MARK in markdown else markdown


def picture() -> str:
    """The layers from top to bottom."""
    return "\n".join(["```text", *layers(), "```"])


def layers() -> list[str]:
    """A line for each layer."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (lines,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    return [re.sub(r" [|:] ", ", ", line) for line in lines]
