"""Positions, edits and buffers of the language server, against a client that does what clients may do."""

from __future__ import annotations

import ast
import tempfile
from pathlib import Path

import pytest
import sweeps
from hypothesis import given, settings
from hypothesis import strategies as st
from lsp_editor import after_edits, offset_of, position_of, split
from lsprotocol import types

from devfix import analysis
from devfix.analysis import depth
from devfix.analysis.record.facts import Facts
from devfix.file_report import Skipped
from devfix.findings import Applicability, Finding, Span
from devfix.lsp import buffers
from devfix.lsp.changes import text_edits
from devfix.lsp.documents import Documents, uri_of
from devfix.lsp.messages import (
    Check,
    Checked,
    Configure,
    Drop,
    Mend,
    Mended,
    Put,
    Refresh,
    See,
    Seen,
    known_by,
)
from devfix.lsp.positions import Lines
from devfix.lsp.workbench import Workbench
from devfix.project import Program
from devfix.silencing import silence
from devfix.source import Source, check_syntax

ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])
#: What lines are made of: their ends, what other tools take for one, characters of all widths, and Python.
PIECES = ["\n", "\r\n", "\r", "\x0b", "\x0c", "\u2028", "\x85", "é", "🚀", "👩‍🔬", "\ufeff", "\t", " ", "x", "(", ")", '"', "'''", "\\", "#", "="]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
PROGRAM = """import torch
from torch import nn

model = nn.Linear(4, 2).cuda()
weights = torch.ones(2)
print((model(torch.ones(3, 4).cuda()) * weights).sum())  # é 🚀
"""
TYPED = [
    *PIECES,
    "torch.ones(2)",
    ".cuda()",
    "def f(x):\n    return x\n",
    "weights",
    "    ",
    "\nprint(weights)\n",
]


@given(TEXTS, ENCODINGS, st.integers(0, 40), st.integers(0, 40))
def test_a_position_is_where_the_client_means_it(text: str, encoding: str, line: int, character: int) -> None:
    codec = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}[encoding]
    position = types.Position(line, character)
    found = Lines(text, encoding).offset(position)
    lines = split(text)
    if line >= len(lines):
        assert found == len(text)
        return
    width = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding]
    units = len(lines[line].rstrip("\r\n").encode(codec)) // width
    try:
        expected = offset_of(text, types.Position(line, min(character, units)), encoding)
    except UnicodeDecodeError:
        return  # the client cuts a character in two
    assert found == expected


@given(TEXTS, ENCODINGS, st.data())
def test_an_offset_and_back(text: str, encoding: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    if text[offset - 1 : offset + 1] == "\r\n":
        return
    lines = Lines(text, encoding)
    position = lines.position(offset)
    assert position == position_of(text, offset, encoding)
    assert lines.offset(position) == offset
    line, column = lines.point(position)
    assert lines.range(Span(line, column, line, column)).start == position


@given(TEXTS, TEXTS, ENCODINGS)
def test_edits_make_one_text_of_another(before: str, after: str, encoding: str) -> None:
    edits = text_edits(Lines(before, encoding), after)
    assert after_edits(before, edits, encoding) == after
    assert edits == [] or before != after


def test_an_edit_is_no_larger_than_it_must_be() -> None:
    (edit,) = text_edits(Lines("a = b(c)\nd\n", "utf-16"), "a = b(c, e)\nd\n")
    assert (edit.range.start, edit.range.end, edit.new_text) == (
        types.Position(0, 7),
        types.Position(0, 7),
        ", e",
    )


def finding(text: str, words: str, code: str = "DF102") -> Finding:
    line = text[: text.index(words)].count("\n") + 1
    column = text.index(words) - (text.rfind("\n", 0, text.index(words)) + 1)
    return Finding("a.py", Span(line, column, line, column + len(words)), code, "operand-not-moved", "")


def silenced(text: str, words: str) -> str:
    insertion = silence(text, finding(text, words))
    assert insertion is not None
    lines = text.split("\n")
    line = lines[insertion.line - 1]
    lines[insertion.line - 1] = line[: insertion.column] + insertion.text + line[insertion.column :]
    return "\n".join(lines)


def test_a_comment_goes_where_it_works() -> None:
    assert silenced("f(x)\n", "x") == "f(x)  # devfix: ignore[DF102]\n"
    assert silenced("f(x)  # noqa\n", "x") == "f(x)  # noqa  # devfix: ignore[DF102]\n"
    assert silenced("f(x)  # devfix: ignore[DF201]\n", "x") == "f(x)  # devfix: ignore[DF201, DF102]\n"
    assert silenced("f(\n    x,\n    y,\n)\n", "x") == "f(\n    x,  # devfix: ignore[DF102]\n    y,\n)\n"
    assert silenced("a = x + \\\n    y\n", "x") == "a = x + \\\n    y  # devfix: ignore[DF102]\n"
    assert silenced("f(x, '''\n# text\n''')\n", "x") == "f(x, '''\n# text\n''')  # devfix: ignore[DF102]\n"


class Hostile:
    """A client that types anything anywhere, and the server's parts that have to bear it."""

    def __init__(self, folder: Path, encoding: str) -> None:
        self.path = folder / "train.py"
        self.uri = uri_of(str(self.path))
        self.encoding = encoding
        self.documents = Documents(encoding)
        self.workbench = Workbench()
        self.workbench.answer(Configure((str(folder),)))
        self.text = PROGRAM
        self.documents.open(types.TextDocumentItem(self.uri, "python", 1, self.text))
        self.put()

    @property
    def revision(self) -> int:
        document = self.documents.of(self.uri)
        assert document is not None
        assert document.text == self.text
        return document.revision

    def put(self) -> None:
        self.workbench.answer(Put(str(self.path), self.text, self.revision))

    def type(self, start: int, end: int, text: str, version: int) -> None:
        """Replace a region, or all when it lies outside of the text."""
        change: types.TextDocumentContentChangeEvent
        if max(start, end) > len(self.text):
            change = types.TextDocumentContentChangeWholeDocument(text)
            self.text = text
        else:
            start, end = (self._whole(offset) for offset in sorted((start, end)))
            place = types.Range(
                position_of(self.text, start, self.encoding), position_of(self.text, end, self.encoding)
            )
            change = types.TextDocumentContentChangePartial(place, text)
            self.text = self.text[:start] + text + self.text[end:]
        identifier = types.VersionedTextDocumentIdentifier(version, self.uri)
        self.documents.change(types.DidChangeTextDocumentParams(identifier, [change]))
        self.put()

    def _whole(self, offset: int) -> int:
        """An offset that does not cut the end of a line."""
        return offset - 1 if self.text[offset - 1 : offset + 1] == "\r\n" and offset else offset

    def checked(self) -> list[Finding]:
        checked = self.workbench.answer(Check(str(self.path)))
        assert isinstance(checked, Checked)
        view = checked.views[str(self.path)]
        assert not view.trace
        assert view.revision == self.revision
        lines = Lines(self.text, self.encoding)
        for each in view.findings:
            lines.range(each.span)
            assert each.span.end_line <= len(split(self.text))
        return [] if view.stale else list(view.findings)

    def mended(self, found: list[Finding], revision: int) -> None:
        """No fix is made but of the text that is there, and what it makes can be read."""
        for each in found[:2]:
            request = Mend(str(self.path), revision, known_by(each), wanted=Applicability.UNSAFE)
            mended = self.workbench.answer(request)
            assert isinstance(mended, Mended)
            assert revision == self.revision or not mended.texts
            for new in mended.texts:
                assert new.before == self.text
                edits = text_edits(Lines(self.text, self.encoding), new.after)
                assert after_edits(self.text, edits, self.encoding) == new.after
                ast.parse(new.after.removeprefix("\ufeff"))


EDIT = st.tuples(
    st.integers(0, len(PROGRAM) + 20),
    st.integers(0, len(PROGRAM) + 20),
    st.sampled_from(TYPED),
    st.integers(0, 3),
)
STEP = st.one_of(EDIT, st.sampled_from(["check", "see", "vanish", "write", "close", "restore"]))


@settings(max_examples=sweeps.number(15, all_of=40), deadline=None)
@given(st.lists(STEP, min_size=1, max_size=12), ENCODINGS)
def test_nothing_that_is_typed_gets_the_server_out_of_step(steps: list[object], encoding: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        _take(Hostile(Path(place), encoding), steps)


def _take(client: Hostile, steps: list[object]) -> None:
    found, revision = client.checked(), client.revision
    for step in steps:
        match step:
            case (int(start), int(end), str(text), int(version)):
                client.type(start, end, text, version)
                client.mended(found, revision)
            case "see":
                assert isinstance(client.workbench.answer(See(str(client.path))), Seen)
            case "vanish":
                client.path.unlink(missing_ok=True)
                client.workbench.answer(Refresh())
            case "write":
                client.path.write_bytes(client.text.encode())
                client.workbench.answer(Refresh())
            case "close":
                client.workbench.answer(Drop(str(client.path)))
                client.put()
            case "restore":
                client.type(10_000, 10_000, PROGRAM, 0)
        found, revision = client.checked(), client.revision
        client.mended(found, revision)


def test_a_defect_is_told_of_the_file_it_is_met_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    analysed = analysis.analyse

    def analyse(program: Program) -> Facts:
        if any("first" in path for path in program.sources):
            raise ZeroDivisionError
        return analysed(program)

    monkeypatch.setattr(analysis, "analyse", analyse)
    bench = Workbench()
    bench.answer(Configure((str(tmp_path),)))
    for number, name in enumerate(("first", "second"), 1):
        bench.answer(Put(str(tmp_path / f"{name}.py"), PROGRAM, number))
    views = [bench.answer(Check(str(tmp_path / f"{name}.py"))).views for name in ("first", "second")]
    (first,), (second,) = (view.values() for view in views)
    assert "ZeroDivisionError" in first.fault
    assert first.trace
    assert [finding.code for finding in second.findings] == ["DF102"]


def test_a_file_that_is_nested_too_deeply_leaves_the_rest_of_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(depth, "RECURSION_LIMIT", 0)  # that of the tests is enough for all other files
    bench = Workbench()
    bench.answer(Configure((str(tmp_path),)))
    deep, near = str(tmp_path / "deep.py"), str(tmp_path / "near.py")
    bench.answer(Put(deep, f"import torch\nx = 1{' + 1' * 900}\n", 1))
    bench.answer(Put(near, f"import deep\n{PROGRAM}", 2))
    answer = bench.answer(Check(near))
    assert isinstance(answer, Checked)
    assert "is nested too deeply" in answer.views[deep].fault
    assert [finding.code for finding in answer.views[near].findings] == ["DF102"]


def test_a_file_that_is_opened_as_it_is_on_disk_is_not_parsed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "first.py", tmp_path / "second.py"
    for path in (first, second):
        path.write_text(PROGRAM)
    parsed: list[str] = []

    def noted(source: Source) -> Source | Skipped:
        parsed.append(source.path)
        return check_syntax(source)

    monkeypatch.setattr(buffers, "check_syntax", noted)
    bench = Workbench()
    bench.answer(Configure((str(tmp_path),)))
    bench.answer(Put(str(first), PROGRAM, 1))
    bench.answer(Check(str(first)))
    assert parsed == [str(first)]
    bench.answer(Put(str(second), PROGRAM, 2))
    (view,) = bench.answer(Check(str(second))).views.values()
    assert parsed == [str(first)]
    assert (view.revision, [finding.code for finding in view.findings]) == (2, ["DF102"])
    # What is typed is another text.
    bench.answer(Put(str(second), PROGRAM.replace("ones(2)", "ones(2).cuda()"), 3))
    (view,) = bench.answer(Check(str(second))).views.values()
    assert (view.revision, view.findings) == (3, ())
