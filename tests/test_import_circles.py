"""No module imports itself by way of others, so that each can be read after those it builds upon.

That what is needed seldom is imported within a function saves time at the start; it makes no circle good.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = (ROOT / "devfix", ROOT / "codemods" / "devfix_codemods")


def executed(node: ast.AST) -> Iterator[ast.AST]:
    """What a module does, at once or when it is called, and not what is there for types alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            yield from (inner for branch in child.orelse for inner in (branch, *executed(branch)))
            continue
        yield child
        yield from executed(child)


def meant(node: ast.ImportFrom, importer: str, modules: set[str]) -> str:
    """The module that ``from ... import`` names; with dots before it, counted from the package that the importer is in."""
    if not node.level:
        return node.module or ""
    is_package = any(name.startswith(f"{importer}.") for name in modules)
    parts = importer.split(".")
    around = parts[: len(parts) + is_package - node.level]
    return ".".join([*around, *([node.module] if node.module else [])])


def imported(text: str, importer: str, modules: set[str]) -> Iterator[str]:
    """Which ``modules`` a file imports by name; the packages around them, which Python imports before, are no matter."""
    for node in executed(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            base = meant(node, importer, modules)
            inner = (f"{base}.{alias.name}" for alias in node.names)
            yield from (name for name in (n if n in modules else base for n in inner) if name in modules)


def graph_of(texts: dict[str, str]) -> dict[str, set[str]]:
    """Which modules each one imports."""
    return {name: set(imported(text, name, set(texts))) for name, text in texts.items()}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Modules of which each imports the next, the last of which is the first; none where there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found[::-1]
    return []


def name_of(path: Path, folder: Path) -> str:
    return ".".join(path.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__")


@pytest.fixture(scope="module", name="graph")
def graph_of_all() -> dict[str, set[str]]:
    """Which modules of devfix, and of its rules, each one imports."""
    paths = ((path, folder) for folder in FOLDERS for path in folder.rglob("*.py"))
    return graph_of({name_of(path, folder): path.read_text(encoding="utf-8") for path, folder in paths})


def test_no_module_imports_itself_by_way_of_others(graph: dict[str, set[str]]) -> None:
    assert len(graph) > 500
    assert circle(graph) == []


def below(name: str, graph: dict[str, set[str]]) -> set[str]:
    """All modules that one imports, be it by way of others."""
    found: set[str] = set()
    ahead = [name]
    while ahead:
        new = graph[ahead.pop()] - found
        found |= new
        ahead += new
    return found


def test_the_analysis_is_listed_from_the_bottom_up(graph: dict[str, set[str]]) -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = (
        page.partition("## The analysis from the bottom up")[2].partition("\n1. ")[2].partition("\n## ")[0]
    )
    listed = [f"devfix.analysis.{path}".replace("/", ".") for path in re.findall(r"`([\w/]+)\.py`", section)]
    assert len(listed) > 30
    later = [(name, below(name, graph) & set(listed[at:])) for at, name in enumerate(listed)]
    assert [pair for pair in later if pair[1]] == []


@pytest.mark.parametrize(
    "closing",
    [
        "import p.a",
        "from p import a",
        "from p.a import X",
        "from . import a",
        "from .a import X",
        "try:\n    import p.a\nexcept ImportError:\n    pass",
        "class C:\n    from p import a",
        "def f():\n    from p import a",
        "if TYPE_CHECKING:\n    pass\nelse:\n    from p import a",
    ],
)
def test_a_circle_is_told_in_the_order_in_which_its_modules_import_each_other(closing: str) -> None:
    texts = {
        "p": "",
        "p.a": "from p import b",
        "p.b": "from p.c import X",
        "p.c": closing,
        "p.d": "from p import a",
    }
    found = circle(graph_of(texts))
    at = found.index("p.a")
    assert found[0] == found[-1]
    assert [*found[at:-1], *found[:at]] == ["p.a", "p.b", "p.c"]


@pytest.mark.parametrize(
    "harmless", ["if TYPE_CHECKING:\n    from p import a", "import q", "import p", "from .q import a", ""]
)
def test_what_is_there_for_types_alone_closes_no_circle(harmless: str) -> None:
    assert circle(graph_of({"p": "", "p.a": "from p import b", "p.b": harmless})) == []
