"""The figures that the README shows stand on the page of all figures, which is where new ones are written first."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: ``14 of 16``, ``58,000``.
_FIGURE = re.compile(r"[\d,]*\d of [\d,]*\d|\d{1,3}(?:,\d{3})+")


def _figures(text: str) -> list[str]:
    return _FIGURE.findall(text)


def test_the_figures_of_the_readme_are_those_of_the_page() -> None:
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Measured\n")[2]
    table = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    told = [figure for line in table for figure in _figures(line)]
    assert len(told) > 15
    page = _figures((ROOT / "docs" / "measured.md").read_text(encoding="utf-8"))
    assert [figure for figure in told if figure not in page] == []
