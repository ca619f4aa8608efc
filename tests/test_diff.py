"""Patches apply, whatever the file looks like."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from devfix.file_report import FileReport
from devfix.report.diff import render_diff
from devfix.report.paint import Paint
from devfix.report.results import Results
from devfix.source import Source, decode_source


def patch(files: dict[str, tuple[bytes, bytes]], *, color: bool = False, terminal: bool = False) -> bytes:
    sources, reports = {}, []
    for name, (before, after) in files.items():
        source, changed = decode_source(name, before), decode_source(name, after)
        assert isinstance(source, Source)
        assert isinstance(changed, Source)
        sources[name] = source
        reports.append(FileReport(name, new_text=changed.text))
    return render_diff(Results(tuple(reports), sources), Paint(color, terminal))


def test_golden() -> None:
    before, after = b"a = 1\nb = 2\nc = 3\n", b"a = 1\nb = 20\nc = 3"
    assert patch({"src/x.py": (before, after)}).decode() == (
        "--- a/src/x.py\n"
        "+++ b/src/x.py\n"
        "@@ -1,3 +1,3 @@\n"
        " a = 1\n"
        "-b = 2\n"
        "-c = 3\n"
        "+b = 20\n"
        "+c = 3\n"
        "\\ No newline at end of file\n"
    )


def test_colours() -> None:
    lines = patch({"x.py": (b"a = 1\n", b"a = 2\n")}, color=True).decode().splitlines()
    assert lines == [
        "\x1b[1m--- a/x.py\x1b[0m",
        "\x1b[1m+++ b/x.py\x1b[0m",
        "\x1b[36m@@ -1 +1 @@\x1b[0m",
        "\x1b[1;31m-a = 1\x1b[0m",
        "\x1b[32m+a = 2\x1b[0m",
    ]


CASES = {
    "plain.py": (b"a = 1\nb = 2\n", b"a = 1\nb = 3\n"),
    "crlf.py": (b"a = 1\r\nb = 2\r\n", b"a = 1\r\nb = 3\r\n"),
    "cr.py": (b"a = 1\rb = 2\r", b"a = 1\rb = 3\r"),
    "no_end.py": (b"a = 1\nb = 2", b"a = 1\nb = 3"),
    "end_lost.py": (b"a = 1\nb = 2\n", b"a = 1\nb = 2"),
    "bom.py": (b"\xef\xbb\xbfa = 1\n", b"\xef\xbb\xbfa = 2\n"),
    "latin.py": (b"# coding: latin-1\na = '\xe9'\nb = 1\n", b"# coding: latin-1\na = '\xe9'\nb = 2\n"),
    "emptied.py": (b"a = 1\n", b""),
    "two words.py": (b"a = 1\n", b"a = 2\n"),
    "é.py": (b"# coding: latin-1\na = '\xe9'\n", b"# coding: latin-1\nb = '\xe9'\n"),
    "form\x0cfeed.py": ("a = 'x\x0cy\u2028z'\n".encode(), "b = 'x\x0cy\u2028z'\n".encode()),
    "two\nlines.py": (b"a = 1\n", b"a = 2\n"),
    'a\ttab, a "quote" and a back\\slash.py': (b"a = 1\n", b"a = 2\n"),
    "\x1b[31mred.py": (b"a = 1\n", b"a = 2\n"),
    "\u2028 \udcff.py": (b"a = 1\n", b"a = 2\n"),
    "many.py": (b"x = 1\n" * 100, b"y = 0\n" + b"x = 1\n" * 60 + b"z = 0\n" + b"x = 1\n" * 40),
}


def test_git_applies_the_patch(tmp_path: Path) -> None:
    for name, (before, _) in CASES.items():
        (tmp_path / name).write_bytes(before)
    subprocess.run(["git", "apply", "-"], input=patch(CASES), cwd=tmp_path, check=True)
    for name, (_, after) in CASES.items():
        path = tmp_path / name
        assert (path.read_bytes() if path.exists() else b"") == after, name


@pytest.mark.parametrize("name", sorted(CASES))
def test_each_patch_applies_alone(tmp_path: Path, name: str) -> None:
    before, after = CASES[name]
    (tmp_path / name).write_bytes(before)
    subprocess.run(["git", "apply", "-"], input=patch({name: CASES[name]}), cwd=tmp_path, check=True)
    path = tmp_path / name
    assert (path.read_bytes() if path.exists() else b"") == after


def test_a_terminal_is_shown_what_it_would_obey() -> None:
    before = "if a:\r\n\tb = '\x1b]0;title\x07'  # \u202e\x9b\r\n"
    files = {"x.py": (before.encode(), f"{before}d = 4\r\n".encode())}
    told = patch(files, terminal=True).decode()
    assert " \tb = '\\x1b]0;title\\x07'  # \\u202e\\x9b\r\n" in told
    assert "\x1b" not in told
    assert "\x1b]0;title" in patch(files).decode()


def test_an_encoding_brings_no_codes_to_a_terminal() -> None:
    before = "# coding: iso-2022-jp\n# \u3042\na = 1\n".encode("iso-2022-jp")
    files = {"x.py": (before, before + b"b = 2\n")}
    assert b"\x1b" in patch(files)
    assert "# \u3042\n" in patch(files, terminal=True).decode()
