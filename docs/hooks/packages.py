"""The table of packages on the page of the architecture, from what their modules say of themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MARK = "<!-- packages -->"
#: The packages that are divided by what their modules are about.
_DIVIDED = ("devfix/analysis", "devfix/analysis/torch_model", "devfix/placement")


def on_page_markdown(markdown: str, **_: object) -> str:
    """Put the table where a page asks for it."""
    return markdown.replace(MARK, "\n".join(table())) if MARK in markdown else markdown


def table() -> Iterator[str]:
    """A row for each package: where it is, what it is about, and how many modules it has."""
    yield "| package | what is in it | modules |"
    yield "| --- | --- | --- |"
    for divided in _DIVIDED:
        for package in sorted(path.parent for path in (ROOT / divided).glob("*/__init__.py")):
            modules = sum(1 for _ in package.glob("*.py")) - 1
            yield f"| `{package.relative_to(ROOT)}` | {_told(package)} | {modules} |"


def _told(package: Path) -> str:
    """The first sentence of a package's docstring."""
    tree = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").partition("\n")[0].replace("``", "`")
