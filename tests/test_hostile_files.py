"""Whatever lies in a folder has a clear outcome: a message, an exit code, and nothing damaged."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from devfix.cli import app
from devfix.file_report import Skipped
from devfix.source import MAX_BYTES, Source, decode_source

BAD = "import torch\nnet = torch.nn.Linear(3, 3).cuda()\nx = torch.rand(3, 3)\nprint(net(x))\n"
GOOD = BAD.replace("rand(3, 3)", "rand(3, 3).to(next(net.parameters()).device)")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path.parent / "cache"))


def devfix(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        app(list(words), prog_name="devfix")
    told = capfd.readouterr()
    code = ended.value.code
    assert isinstance(code, int)
    return code, told.out, told.err


#: How a file reads, and why it is not looked at ("" where it is).
TEXTS: dict[str, tuple[bytes, str]] = {
    "plain": (BAD.encode(), ""),
    "byte order mark": (b"\xef\xbb\xbf" + BAD.encode(), ""),
    "two byte order marks": (b"\xef\xbb\xbf" * 2 + BAD.encode(), "has a syntax error: "),
    "carriage returns and line feeds": (BAD.replace("\n", "\r\n").encode(), ""),
    "newlines of two kinds": (BAD.replace("\n", "\r\n", 2).encode(), ""),
    "form feeds": (b"\x0c" + BAD.replace("x =", "\x0cx =").encode(), ""),
    "other separators of lines": (BAD.encode() + "# \x0b\x1c\x85\u2028\u2029\n".encode(), ""),
    "tabs": (b"if 1:\n\ty = 1\n" + BAD.encode(), ""),
    "tabs and spaces": (b"if 1:\n        y = 1\n\tz = 1\n\t if z:\n\t        z = 2\n", "syntax error"),
    "no last newline": (BAD.rstrip().encode(), ""),
    "a backslash at the end": (BAD.encode() + b"\\", "syntax error"),
    "a zero byte": (BAD.encode() + b"\0", "NUL bytes"),
    "UTF-16": (BAD.encode("utf-16"), "NUL bytes"),
    "control-Z": (BAD.encode() + b"\x1a", "has a syntax error: "),
    "a surrogate as an escape": (b"s = '\\ud800'\n" + BAD.encode(), ""),
    "a surrogate in UTF-8": (b"s = '\xed\xa0\x80'\n" + BAD.encode(), "cannot be decoded"),
    "Latin-1 that says so": (b"# coding: latin-1\n# \xe9\n" + BAD.encode(), ""),
    "Latin-1 that does not": (b"# \xe9\n" + BAD.encode(), "cannot be decoded"),
    "Latin-1 with a byte order mark": (b"\xef\xbb\xbf# coding: latin-1\n", "cannot be decoded"),
    "UTF-7": (b"# coding: utf-7\n" + BAD.encode(), ""),
    "an encoding in the second line": (
        b"#!/bin/python\n# vim: set fileencoding=cp1252 :\n# \x80\n" + BAD.encode(),
        "",
    ),
    "an encoding that is none": (b"# coding: none\n", "unknown encoding"),
    "an encoding that is no text": (b"# coding: zlib\n", "cannot be decoded"),
    "an encoding that is undefined": (b"# coding: undefined\n", "cannot be decoded"),
    "an encoding that cannot write": (b"# coding: iso2022_kr\n# \x1b\x93\x0e\n", "cannot be written back"),
    "escapes for an encoding": (b"# coding: unicode_escape\nx = 1\\n\n", "cannot be written back"),
    "too much": (b"#" * (MAX_BYTES + 1), "is larger than"),
    "brackets": (
        b"x = " + b"(" * 9_000 + b")" * 9_000,
        "has a syntax error: too many nested parentheses",
    ),
    "signs": (b"x = " + b"-" * 90_000 + b"1", "is nested too deeply"),
    "terms": (b"x = 1" + b" + 1" * 90_000, "is nested too deeply"),
    "attributes": (b"x" + b".a" * 90_000, "is nested too deeply"),
    "calls": (b"x" + b"()" * 90_000, "is nested too deeply"),
    "lambdas": (b"x = " + b"lambda: " * 90_000 + b"1", "is nested too deeply"),
    "branches": (b"if x: y\n" + b"elif x: y\n" * 90_000, "is nested too deeply"),
    "blocks": (b"".join(b" " * k + b"if x:\n" for k in range(200)), "syntax error"),
    "digits": (b"x = " + b"9" * 9_000, "has a syntax error: "),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_mended_or_refused_with_a_reason(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    data, reason = TEXTS[name]
    # What does not speak of tensors is not looked at closely.
    data += b"" if b"torch" in data or b"\\n" in data else b"\nimport torch\n"
    Path("a.py").write_bytes(data)
    code, _, told = devfix(capfd, "apply", "a.py")
    after = Path("a.py").read_bytes()
    if reason:
        assert (code, after) == (2, data)
        sentence, *shown = told.splitlines()
        assert re.match(r"error: a\.py |a\.py:\d+(:\d+)?: error: ", sentence)
        assert reason in sentence
        assert len(shown) in (0, 4)  # the line between bars, and its caret
        assert all(line.isprintable() for line in shown)
        return
    assert code == 0, told
    found = decode_source("a.py", data), decode_source("a.py", after)
    assert all(isinstance(each, Source) for each in found)
    before, now = (each.text for each in found if isinstance(each, Source))
    assert now == before.replace(
        "x = torch.rand(3, 3)", "x = torch.rand(3, 3).to(next(net.parameters()).device)"
    )


def test_carriage_returns_alone_are_left_alone(capfd: pytest.CaptureFixture[str]) -> None:
    data = BAD.replace("\n", "\r").encode()
    Path("a.py").write_bytes(data)
    code, told, _ = devfix(capfd, "apply", "a.py")
    assert (code, Path("a.py").read_bytes()) == (1, data)
    assert "a.py:4:7: DF102" in told


NAMES = [
    "a\nb.py",
    "\x1b[31mred.py",
    "-dash.py",
    "sp ace.py",
    "'quote\".py",
    "\u202eyp.a.py",
    b"\xff\xfe.py".decode("utf-8", "surrogateescape"),
]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_odd_names_are_shown_without_harm(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    Path(name).write_text(BAD, encoding="utf-8")
    Path(f"broken {name}").write_text("import torch (", encoding="utf-8")
    code, told, faults = devfix(capfd, "check", "--output-format", "concise", ".")
    assert code == 2
    assert all(line.isprintable() for line in (told + faults).splitlines())
    assert "DF102" in told.splitlines()[0]
    assert len(faults.splitlines()) == 1
    devfix(capfd, "apply", "--", name)
    assert Path(name).read_text(encoding="utf-8") == GOOD


def fifo(path: str) -> None:
    os.mkfifo(path)


def listener(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path)


def endless(path: str) -> None:
    os.symlink("/dev/zero", path)


@pytest.mark.skipif(os.name != "posix", reason="such files are POSIX's")
@pytest.mark.parametrize("make", [fifo, listener, endless])
def test_what_is_no_file_is_not_opened(
    make: Callable[[str], None], capfd: pytest.CaptureFixture[str]
) -> None:
    make("a.py")
    Path("b.py").write_text("import torch, a\n" + BAD, encoding="utf-8")
    assert devfix(capfd, "check", "a.py")[::2] == (2, "error: a.py is not a regular file\n")
    assert devfix(capfd, "check", ".")[0] == 1
    assert devfix(capfd, "apply", ".")[0] == 0


@pytest.mark.skipif(os.name != "posix", reason="such files are POSIX's")
@pytest.mark.parametrize("name", ["pyproject.toml", "devfix.toml", ".devfix.toml"])
def test_settings_that_are_no_file_are_not_opened(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(name)
    Path("a.py").write_text(BAD, encoding="utf-8")
    assert devfix(capfd, "check", "a.py")[0] == 1


@pytest.mark.skipif(os.name != "posix", reason="such files are POSIX's")
@pytest.mark.parametrize("make", [fifo, listener, endless])
def test_patterns_that_are_no_file_are_not_read(
    make: Callable[[str], None], capfd: pytest.CaptureFixture[str]
) -> None:
    make(".gitignore")
    Path(".git/info").mkdir(parents=True)
    make(".git/info/exclude")
    Path("a.py").write_text(BAD, encoding="utf-8")
    assert devfix(capfd, "check", ".")[0] == 1


@pytest.mark.skipif(os.name != "posix", reason="such files are POSIX's")
@pytest.mark.parametrize("make", [fifo, listener, endless])
def test_a_baseline_that_is_no_file_is_an_error(
    make: Callable[[str], None], capfd: pytest.CaptureFixture[str]
) -> None:
    make("known")
    Path("devfix.toml").write_text('baseline = "known"\n', encoding="utf-8")
    Path("a.py").write_text(BAD, encoding="utf-8")
    code, _, told = devfix(capfd, "check", "a.py")
    assert code == 2
    assert "the baseline known cannot be read" in told


@pytest.mark.parametrize("key", ["select", "extend", "baseline", "required-version", "x\x1b[2J\ny"])
def test_settings_write_nothing_to_a_terminal_but_their_words(
    key: str, capfd: pytest.CaptureFixture[str]
) -> None:
    value = ["\x1b[2J\nerror: made up"] if key == "select" else "\x1b[2J\nerror: made up"
    Path("devfix.toml").write_text(f"{json.dumps(key)} = {json.dumps(value)}\n", encoding="utf-8")
    Path("a.py").write_text(BAD, encoding="utf-8")
    code, out, told = devfix(capfd, "check", "a.py")
    assert (code, out) == (2, "")
    assert len(told.splitlines()) == 1
    assert told.rstrip("\n").isprintable()


def test_messages_write_nothing_to_a_terminal_but_their_words(capfd: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text('import torch\nx = torch.ones(2).to("cuda\x1b[2J")\n', encoding="utf-8")
    code, told, _ = devfix(capfd, "check", "--output-format", "github", "a.py")
    assert code == 1
    assert "DF111" in told
    assert all(line.isprintable() for line in told.splitlines())


def test_settings_that_are_too_large_are_not_read(capfd: pytest.CaptureFixture[str]) -> None:
    with open("devfix.toml", "wb") as file:
        file.truncate(100 * 2**20)
    Path("a.py").write_text(BAD, encoding="utf-8")
    code, _, told = devfix(capfd, "check", "a.py")
    assert code == 2
    assert "is larger than 8 MiB" in told


def test_links_in_circles_and_out_of_the_project(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "project").mkdir()
    outside = tmp_path / "outside.py"
    outside.write_text(BAD, encoding="utf-8")
    os.chdir(tmp_path / "project")
    os.symlink("..", "circle")
    os.symlink(outside, "link.py")
    code, _, told = devfix(capfd, "apply", ".")
    assert code == 2
    assert "link.py is a link to" in told
    assert outside.read_text(encoding="utf-8") == BAD
    assert devfix(capfd, "apply", "link.py")[0] == 0
    assert outside.read_text(encoding="utf-8") == GOOD


@pytest.mark.parametrize("words", [("apply",), ("check", "--add-ignore")])
def test_settings_make_no_place_of_what_is_outside(
    words: tuple[str, ...], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "project").mkdir()
    outside = tmp_path / "outside.py"
    outside.write_text(BAD, encoding="utf-8")
    os.chdir(tmp_path / "project")
    os.symlink(outside, "link.py")
    Path("devfix.toml").write_text('src = [".."]\n', encoding="utf-8")
    code, _, told = devfix(capfd, *words, ".")
    assert code == 2
    assert "link.py is a link to" in told
    assert outside.read_text(encoding="utf-8") == BAD


def test_a_large_file_is_read_no_further_than_it_matters(capfd: pytest.CaptureFixture[str]) -> None:
    with open("a.py", "wb") as file:
        file.truncate(100 * 2**20)
    code, _, told = devfix(capfd, "check", "a.py")
    assert (code, told) == (2, "error: a.py is larger than 8 MiB; exclude it if that is right\n")


def test_what_is_not_decoded_is_one_line() -> None:
    found = decode_source("a.py", b"# coding: punycode\n\xff")
    assert isinstance(found, Skipped)
    assert "\n" not in found.reason
