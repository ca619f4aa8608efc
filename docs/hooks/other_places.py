"""Pages that lie elsewhere in the repository, and links from the pages to files of the repository.

In the repository links between files are paths, which every viewer follows. On the site a link to a file that is a
page there leads to that page; of one to any other file only the words remain, as the site does not have it.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
#: Files of the repository that are pages of the site.
PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "editors/vscode/README.md": "vscode.md",
    "README.md": "index.md",
    "codemods/README.md": "adding-a-rule.md",
}
#: Of these the text itself is the page; of the others the site has a page of its own.
COPIED = ("CHANGELOG.md", "CONTRIBUTING.md", "editors/vscode/README.md")
#: Where the pages lie that are written for the site.
DOCS = "docs"

_LINK = re.compile(r"(?<!\\)(?P<image>!?)\[(?P<words>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
_FENCE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that lie elsewhere, and the pictures they show."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - the tests read links without it

    for source in COPIED:
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, PAGES[source], content=text))
        for found in _LINK.finditer(text):
            picture = ROOT / posixpath.dirname(source) / found["target"]
            if found["image"] and picture.is_file():
                files.append(File.generated(config, found["target"], content=picture.read_bytes()))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Make the links of a page those of the site."""
    path = page.file.src_uri
    source = next((source for source in COPIED if PAGES[source] == path), f"{DOCS}/{path}")
    parts, position = [], 0
    for fence in _FENCE.finditer(markdown):
        parts += [_linked(markdown[position : fence.start()], source, path), _nested(fence[0])]
        position = fence.end()
    return "".join([*parts, _linked(markdown[position:], source, path)])


def _nested(fence: str) -> str:
    """A block of code in a list, indented as the site's Markdown asks for: by four."""
    indent = len(fence) - len(fence.lstrip(" "))
    missing = " " * (4 - indent) if 0 < indent < 4 else ""
    return "".join(missing + line if line.strip() else line for line in fence.splitlines(keepends=True))


def _linked(text: str, source: str, path: str) -> str:
    return _LINK.sub(lambda found: _link(found, source, path), text)


def _link(found: re.Match[str], source: str, path: str) -> str:
    target, hash_sign, anchor = found["target"].partition("#")
    if not target or "://" in target or target.startswith("mailto:") or found["image"]:
        return found[0]
    meant = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    on_site = PAGES.get(meant) or (meant.removeprefix(f"{DOCS}/") if meant.startswith(f"{DOCS}/") else None)
    if on_site is None:
        return found["words"]
    relative = posixpath.relpath(on_site, posixpath.dirname(path) or ".")
    return f"[{found['words']}]({relative}{hash_sign}{anchor})"
