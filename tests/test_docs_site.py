"""The documentation site: built without a warning, whole, and without anything from elsewhere."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from browser import CHROMIUM, browser
from documentation import ROOT, hook, pages, text_of

from devfix.findings import Applicability
from devfix.report.catalogue import rule_markdown

NEEDED = ("mkdocs", "material", "mkdocstrings")
needs_mkdocs = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, NEEDED)),
    reason="mkdocs and its theme are not installed (extra docs)",
)
#: What a browser fetches without being asked to.
FETCHING = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "link": "href",
}


@dataclass
class Seen(HTMLParser):
    """What is in a page: anchors, links, what is fetched, and its words outside of code."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    _inside: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        self.anchors |= {known[name] for name in ("id", "name") if name in known}
        if tag == "a" and "href" in known:
            self.links.append(known["href"])
        if tag in FETCHING and known.get("rel") not in ("canonical", "prev", "next", "edit"):
            self.fetched.append(known.get(FETCHING[tag], ""))
        if tag in ("code", "pre", "script", "style"):
            self._inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data: str) -> None:
        if not self._inside:
            self.words.append(data)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, as it is built from this checkout."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    paths = os.pathsep.join([str(ROOT), str(ROOT / "codemods")])
    environment = {**os.environ, "PYTHONPATH": paths, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return folder


@pytest.fixture(scope="module")
def seen(site: Path) -> dict[str, Seen]:
    """Every page by its path in the site."""
    found = {}
    for file in sorted(site.rglob("*.html")):
        parser = found[file.relative_to(site).as_posix()] = Seen()
        parser.feed(file.read_text(encoding="utf-8"))
    return found


def _local(links: list[str]) -> Iterator[tuple[str, str]]:
    """Links within the site: path ("" for the page itself) and anchor."""
    for link in links:
        parts = urlsplit(link)
        if not parts.scheme and not parts.netloc:
            yield unquote(parts.path), unquote(parts.fragment)


@needs_mkdocs
def test_every_link_and_anchor_leads_somewhere(site: Path, seen: dict[str, Seen]) -> None:
    dead = []
    for page, parser in seen.items():
        if page == "404.html":  # its links begin at the root of a server
            continue
        for path, anchor in _local(parser.links):
            target = ((site / page).parent / path).resolve() if path else site / page
            name = target.relative_to(site).as_posix() if target.is_relative_to(site) else ""
            fine = target.is_file() and (not anchor or anchor == "__top" or anchor in seen[name].anchors)
            if not fine and not (target.is_dir() and (target / "index.html").is_file()):
                dead.append(f"{page}: {path}#{anchor}")
    assert not dead


@needs_mkdocs
def test_a_reader_fetches_nothing_from_elsewhere(site: Path, seen: dict[str, Seen]) -> None:
    foreign = [
        (page, each) for page, parser in seen.items() for each in parser.fetched if urlsplit(each).netloc
    ]
    assert not foreign
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert "@import" not in text
        assert "url(http" not in text.replace('"', "").replace("'", "")
    # The theme's script loads this from a server for pages that have such pictures.
    assert not [
        page for page in site.rglob("*.html") if 'class="mermaid"' in page.read_text(encoding="utf-8")
    ]


@needs_mkdocs
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
@pytest.mark.parametrize("name", ["index.html", "rules/operand-not-moved.html"])
def test_the_search_needs_no_server(site: Path, name: str) -> None:
    links = "[...document.querySelectorAll('.md-search-result__link')].map((link) => link.href)"
    with browser() as page:
        page.resize(1400, 900)
        page.open(site / name)
        page.ask("document.querySelector('[data-md-component=search-query]').focus()")
        page.press(*"autocast")
        while not (found := page.ask(links)):
            assert page.complaints == []
    assert found[0].startswith((site / "gpu" / "autocast.html").as_uri())


@needs_mkdocs
def test_no_markup_is_left_in_the_text(site: Path, seen: dict[str, Seen]) -> None:
    for page, parser in seen.items():
        text = "".join(parser.words)
        for mark in ("```", "](", "<!-- facts", "<!-- layers", "<!-- packages", ":::", "``"):
            assert mark not in text, (page, mark)
        # A session of Python outside of an example is taken for quotations within quotations.
        assert "<blockquote>\n<blockquote>" not in (site / page).read_text(encoding="utf-8"), page


@needs_mkdocs
def test_each_rule_has_its_page(site: Path) -> None:
    for rule in hook("rule_pages").rules():
        assert (site / "rules" / f"{rule.name}.html").is_file()


def test_a_rules_page_is_what_explain_shows_and_the_record_of_its_proof() -> None:
    made = hook("rule_pages")
    texts, proof, cases = made.pages(), made._proof(), made._cases()
    for rule in made.rules():
        text = texts[f"rules/{rule.name}.md"]
        assert rule_markdown(rule).partition("\n")[2].strip() in text
        own = [name for name in cases if name.startswith(f"{rule.name}/")]
        assert all(f"| `{name.partition('/')[2]}` |" in text for name in own)
        ran = [proof["runs"][proof["cases"][name]["run"]] for name in own if name in proof["cases"]]
        assert all(f"an {run['gpu']} with torch {run['torch']}" in text for run in ran)
        assert ("of them ran on an" in text) == bool(ran)
        assert text.count("not run on a GPU yet") == len([name for name in own if name not in proof["cases"]])
        assert (
            "`--unsafe`" in text or "--unsafe` writes it" in text
        ) or rule.applicability is not Applicability.UNSAFE


def test_every_fact_that_a_gpu_was_asked_is_told_once() -> None:
    made = hook("gpu_answers")
    page = text_of(f"docs/{made.INDEX}")
    told = [name for found in made.MARKED.findall(page) for name in found.splitlines()]
    assert sorted(told) == sorted(made.facts())
    shown = made.on_page_markdown(page)
    assert "<!-- facts" not in shown
    assert shown.count("\n| ") >= len(told)


def test_the_packages_are_told_with_what_is_in_them() -> None:
    made = hook("packages")
    rows = list(made.table())
    assert any(row.startswith("| `devfix/analysis/domain` | The domain: ") for row in rows)
    assert any(row.startswith("| `devfix/placement/devices` | ") for row in rows)
    assert not any("|  |" in row or row.endswith(" 0 |") for row in rows)
    assert all(row in made.on_page_markdown(made.MARK) for row in rows)


def test_the_layers_are_those_of_the_contract() -> None:
    made = hook("layers")
    assert made.MARK in text_of("docs/architecture.md")
    assert made.layers()[0].startswith("__main__")
    assert all(layer in made.on_page_markdown(made.MARK) for layer in made.layers())


def test_every_command_is_on_the_page_of_commands() -> None:
    text = hook("command_pages").page()
    for name in ("check", "apply", "run", "prove", "explain", "migrate plan", "lsp"):
        assert f"\n## devfix {name}\n" in text
    assert "--output-format" in text


@needs_mkdocs
def test_a_numbered_list_goes_on_behind_a_block_of_code(site: Path) -> None:
    text = (site / "vscode.html").read_text(encoding="utf-8")
    assert text.count("<ol>") == 1


@cache
def _on_site_alone() -> frozenset[str]:
    """The pages that the hooks make."""
    made = (*hook("rule_pages").pages(), *hook("gpu_answers").pages(), *hook("other_places").PAGES.values())
    return frozenset(["docs/commands.md", *(f"docs/{path}" for path in made)])


@pytest.mark.parametrize("page", pages())
def test_links_between_files_of_the_repository_lead_to_files(page: str) -> None:
    """As they are followed on a page that shows the repository, the site apart."""
    made = hook("other_places")
    dead = []
    for found in made._LINK.finditer(made._FENCE.sub("", text_of(page))):
        target = urlsplit(found["target"])
        if target.scheme or not target.path:
            continue
        meant = (ROOT / page).parent.joinpath(unquote(target.path)).resolve()
        assert meant.is_relative_to(ROOT), found[0]
        name = meant.relative_to(ROOT).as_posix()
        if not meant.exists() and name not in _on_site_alone():
            dead.append(found[0])
    assert not dead
