"""Repairs beside those that maintainers of public projects made of the same kinds of mistakes.

Each file of ``data/maintainers_fixes`` is a small program of our own with the mistake of one public change or
report, whole and as a diff to what devfix makes of it; its head says where the mistake was and what was accepted there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from text_program import fix_texts
from zygote import Zygote

from devfix.findings import Applicability

FIXES = sorted((Path(__file__).parent / "data" / "maintainers_fixes").glob("*.diff"))


def sides(path: Path) -> tuple[str, str]:
    """The program before and after."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    before, after = ([line[1:] for line in lines if line[:1] in f" {sign}"] for sign in "-+")
    return "\n".join(before) + "\n", "\n".join(after) + "\n"


@pytest.mark.parametrize("path", FIXES, ids=lambda path: path.stem)
def test_the_repair_is_like_the_accepted_one(path: Path) -> None:
    before, after = sides(path)
    assert fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"] == after


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    found = Zygote()
    yield found
    found.close()


@pytest.mark.parametrize("path", FIXES, ids=lambda path: path.stem)
def test_the_program_dies_without_the_repair_and_runs_with_it(
    path: Path, tmp_path: Path, zygote: Zygote
) -> None:
    ends = []
    for text in sides(path):
        (tmp_path / "main.py").write_text(text, encoding="utf-8")
        ends.append(
            "Traceback" in zygote.run(tmp_path, ["main.py"], tmp_path / "report.json", "strict", "cuda")
        )
    assert ends == [True, False]
