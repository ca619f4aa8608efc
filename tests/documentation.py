"""The pages that tell people how to use devfix, and the blocks of code in them."""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
#: Pages that lie outside of ``docs/``; all of them are on the site, or lead to it.
ELSEWHERE = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "codemods/README.md", "editors/vscode/README.md")

_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[\w+-]*)\n(?P<text>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE
)
#: The first line of a block that is the content of a file.
_FILE = re.compile(r"# (?P<path>[\w./-]+\.(?:py|toml|txt|ipynb))\n(?P<text>.*)", re.DOTALL)


class Block(NamedTuple):
    """A block of code: its page (a path in the repository), the line of its fence, its language and text."""

    page: str
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"{self.page}:{self.line}"

    def file(self) -> tuple[str, str] | None:
        """The file that it is, as its first line names it, and its content.

        The line is a comment of a program in the current folder; with a folder, or where there are no such comments, it
        is a caption.
        """
        found = _FILE.fullmatch(self.text)
        if found is None:
            return None
        is_comment = self.language == "python" and "/" not in found["path"]
        return found["path"], self.text if is_comment else found["text"]


def pages() -> list[str]:
    """Every page, by its path in the repository."""
    return [*ELSEWHERE, *sorted(path.relative_to(ROOT).as_posix() for path in DOCS.rglob("*.md"))]


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(*pages: str) -> Iterator[Block]:
    """The blocks of some pages, in order."""
    for page in pages:
        text = text_of(page)
        for found in _FENCE.finditer(text):
            lines = found["text"].splitlines(keepends=True)
            inside = "".join(line.removeprefix(found["indent"]) for line in lines)
            yield Block(page, text.count("\n", 0, found.start()) + 1, found["language"], inside)


def in_order(text: str, sample: str) -> bool:
    """Whether a text is what a sample shows, with anything where the sample has dots."""
    pattern = re.escape(sample.rstrip("\n")).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, text.rstrip("\n"), re.DOTALL) is not None


@functools.cache
def hook(name: str) -> ModuleType:
    """A hook of the site, loaded as mkdocs does."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "hooks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
