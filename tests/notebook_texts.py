"""Notebooks made of programs, for tests: cells split at top-level statements, and the program that they are again."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from devfix.notebooks import Notebook


def cells_of(text: str, statements: int = 2) -> list[str]:
    """A program cut into pieces of so many statements; comments stay with what follows."""
    lines = text.splitlines(keepends=True)
    ends = [node.end_lineno or 0 for node in ast.parse(text).body]
    cuts = [0, *(end for number, end in enumerate(ends[:-1], 1) if number % statements == 0), len(lines)]
    # Two statements on a line stay together.
    cuts = sorted(set(cuts))
    return ["".join(lines[start:end]).strip("\n") for start, end in pairwise(cuts)]


def document(cells: Sequence[str], **extra: Any) -> dict[str, Any]:
    """A notebook of the fourth format with these code cells, each with some output, between texts."""
    code = [
        {
            "cell_type": "code",
            "execution_count": number,
            "id": f"cell-{number}",
            "metadata": {"scrolled": True, "tags": ["ü"]},
            "outputs": [
                {"name": "stdout", "output_type": "stream", "text": ["x = torch.ones(2)\n", "→ 1.0\n"]},
                {"data": {"image/png": "iVBORw0KGgo=\n"}, "metadata": {}, "output_type": "display_data"},
            ],
            "source": text.splitlines(keepends=True),
        }
        for number, text in enumerate(cells, 1)
    ]
    title = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": ["# Training\n", "x + y"]}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python", "version": "3.12.1"}}
    return {"cells": [title, *code], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5, **extra}


def notebook_text(cells: Sequence[str]) -> str:
    """Such a notebook as Jupyter writes it."""
    return json.dumps(document(cells), indent=1, ensure_ascii=False) + "\n"


def program_of(raw: str) -> list[str]:
    """The lines of all cells of a notebook that are not blank: what it has in common with a script."""
    return bare("\n".join(Notebook.parse(raw).cells.texts))


def bare(text: str) -> list[str]:
    """The lines of a text that are not blank."""
    return [line for line in text.splitlines() if line.strip()]
