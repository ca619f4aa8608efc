"""What is fuzzed: each target takes any bytes, and raises when devfix does what it never may."""

from __future__ import annotations

import os
import tempfile
import tokenize
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from devfix.comments import replace_comments
from devfix.config.layer import merged
from devfix.config.reading import read_layers
from devfix.config.settings import ConfigError
from devfix.findings import ReplaceComment
from devfix.registry import Rule, load_rules
from devfix.report.paint import Paint
from devfix.source import Source, check_syntax, decode_source
from devfix.suppression import find_suppressions
from devfix.tracebacks.account import account
from devfix.tracebacks.choice import bare, choose
from devfix.tracebacks.paste import decode, read_lines
from devfix.tracebacks.reader import read
from devfix.tracebacks.rendering import render_json, render_text
from devfix.tracebacks.scene import Files
from devfix.tracebacks.texts import FAMILIES

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
FOUND = Path(__file__).parent / "found"


def source(data: bytes) -> None:
    """A file is refused with a reason, or can be written back to the byte, with all places inside of it."""
    found = decode_source("main.py", data)
    if not isinstance(found, Source):
        assert found.reason
        assert "\n" not in found.reason
        return
    assert found.encode() == data
    assert "".join(found.lines) == found.text
    for node in found.tree.body:
        span = found.span(node)
        assert 1 <= span.line <= span.end_line <= len(found.lines)
        assert found.segment(span).strip()


def suppressions(data: bytes) -> None:
    """Comments are found where they are, and those that suppress nothing can go without damage."""
    text = data.decode("utf-8", "replace")
    if not isinstance(check_syntax(Source("main.py", text)), Source):
        return
    try:
        found = find_suppressions(text)
    except (tokenize.TokenError, SyntaxError) as error:
        raise AssertionError(f"Python reads it, and the tokenizer does not: {error}") from error
    there = Source("main.py", text)
    for comment in found:
        assert there.segment(comment.span) == comment.text
    if found:
        after = replace_comments(text, [ReplaceComment(comment.span, "") for comment in found])
        assert isinstance(check_syntax(Source("main.py", after)), Source)


def configuration(data: bytes) -> None:
    """Settings are read, or one line says where they make no sense."""
    with tempfile.TemporaryDirectory(dir=_memory()) as folder:
        path = os.path.join(folder, "pyproject.toml")
        Path(path).write_bytes(data)
        try:
            merged(read_layers(path, within=folder), root=folder)
        except ConfigError:
            return


def traceback(data: bytes) -> None:
    """A pasted text is explained, not recognised or refused."""
    text = decode(data)
    if text is None:
        return
    lines = read_lines(text)
    found = read(lines)
    assert all(1 <= raised.number <= text.count("\n") + 1 for raised in found)
    choice = choose(found, FAMILIES) or bare(lines, FAMILIES)
    if choice is not None:
        told = account(choice, Files(Path(_nowhere())), _rules())
        assert render_text(told, {}, Paint())
        assert render_json(told, {})


def notebook(data: bytes) -> None:
    """A notebook is refused with a reason, or can be written back to the byte; what is new in it can be read."""
    found = decode_source("main.ipynb", data)
    if not isinstance(found, Source):
        assert found.reason
        return
    assert found.encode() == data
    after = found.with_text(found.text.rstrip() + "\nadded = 1\n")
    # Where there is no cell with code, nothing can be added to one.
    if found.text.strip() and isinstance(check_syntax(after), Source):
        again = decode_source("main.ipynb", after.encode())
        assert isinstance(again, Source), again
        assert "added = 1" in again.text


TARGETS: dict[str, Callable[[bytes], None]] = {
    each.__name__: each for each in (source, suppressions, configuration, traceback, notebook)
}


def seeds(target: str) -> Iterator[bytes]:
    """What a fuzzer starts from."""
    files = {
        "source": [*_some("corpus/*/*/before.py", 30), DATA / "odd_layouts.json"],
        "suppressions": _some("tests/unchanged/**/*.py", 10),
        "configuration": [ROOT / "pyproject.toml"],
        "traceback": sorted((DATA / "tracebacks").rglob("*.txt"))[:40],
        "notebook": sorted((DATA / "notebooks").rglob("*.ipynb"))[:20],
    }[target]
    for path in (*files, *sorted((FOUND / target).glob("*"))):
        yield path.read_bytes()
    yield from _MORE[target]


def _some(pattern: str, step: int) -> list[Path]:
    return sorted(ROOT.glob(pattern))[::step]


@cache
def _rules() -> list[Rule]:
    return load_rules()


@cache
def _nowhere() -> str:
    return tempfile.mkdtemp()


def _memory() -> str | None:
    return "/dev/shm" if os.path.isdir("/dev/shm") else None


_SOURCE = "import torch\n# é\nx = [\n    1,\n]  # devfix: ignore[DF101]\n"
_MORE: dict[str, list[bytes]] = {
    "source": [
        b"\xef\xbb\xbf# coding: utf-8\r\nx = '\xc3\xa9'\r\n",
        b"#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\nx = '\xe9'\n",
        b"# -*- coding: utf-7 -*-\nx = '+AOk-'\n",
        b"# coding: shift_jis\n# \x93\xfa\x96{\n",
        b"# coding: iso2022_jp\n# \x1b$BF|\x1b(B\n",
        b"# coding: utf-16\n", b"# coding: unicode_escape\nx = 1\\n\n", b"x = 1\rif x:\r\ty = 2\r",
        b"\x0cdef f():\n\x0c    pass\n", _SOURCE.encode(), _SOURCE.replace("\n", "\r\n").encode(), b"x = 1\\\n", b"\x1a",
    ],
    "suppressions": [
        _SOURCE.encode(), b"x = 1  # devfix: ignore-file[a, b]  # devfix: ignore\n", b"# devfix:ignore[\n# devfix: ignored\n",
        "s = '''\n# devfix: ignore\n'''  # devfix: ignore[é]\r\n".encode(), b"if 1:\n\tx = (1, # devfix: ignore\n\t2)\n",
        b"x = 1 # devfix: ignore\ry = 2 # devfix: ignore[DF1]\r", b"f'{x}' # devfix: ignore", b"\x0c# devfix: ignore\n",
    ],
    "configuration": [
        b'[tool.devfix]\nselect = ["DF1", "operand-not-moved"]\nignore = []\nexclude = ["a/**", "{b,c}"]\nbaseline = "b.json"\n',
        b'[tool.devfix]\ndevice-policy = "mps-aware"\nextend = "pyproject.toml"\n[tool.devfix.per-file-ignores]\n"*.py" = ["DF"]\n',
        b'[tool.devfix]\nextend = "../x.toml"\nselect = 3\n', b"[tool]\ndevfix = 3\n", b"tool = 1\n",
        b'[tool.devfix]\nsrc = ["."]\nrequired-version = ">=0.1,<9"\nexclude = ["[", "**[!a]", "{a,{b}}", "\\\\"]\nunsafe = true\n',
    ],
    "traceback": [
        (b'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    y = net(x)\nRuntimeError: Expected all tensors '
        b"to be on the same device, but found at least two devices, cuda:0 and cpu!\n"),
        b"E       RuntimeError: mat1 and mat2 must have the same dtype, but got Double and Float\n",
        "│ ❱ 3 │ x.numpy()\nTypeError: can't convert cuda:0 device type tensor to numpy.\n".encode("utf-16"),
    ],
    "notebook": [
        (b'{"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": ["x = 1\\n", "%time y\\n"]}],'
        b' "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'),
        b'{"worksheets": [{"cells": [{"cell_type": "code", "input": "x = 1", "language": "python"}]}], "nbformat": 3, "metadata": {}}',
        b'{"cells": [{"cell_type": "code", "source": "!ls\\n%%bash\\nx?\\nif 1:\\n  pass"}], "nbformat": 4, "nbformat_minor": 2, "metadata": {}}',
    ],
}  # fmt: skip
