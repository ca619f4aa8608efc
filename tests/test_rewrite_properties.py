"""What holds for every edit of every text: programs made up, and files that people wrote."""

from __future__ import annotations

import ast
import io
import random
import sysconfig
import tokenize
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
import sweeps
from edit_oracle import dump, expected, spans
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from program_texts import expression_edits, module_edits, parameter_edits, programs, statement_edits

from devfix.findings import (
    AddImport,
    DeleteStatement,
    DropCall,
    Edit,
    InsertAfter,
    InsertAfterImports,
    InsertAtBodyStart,
    InsertBefore,
    MoveStatement,
    RemoveKeyword,
    ReplaceExpression,
    Span,
    WrapExpression,
)
from devfix.rewrite import EditError, apply_edits

ROOT = Path(__file__).parent.parent
OUR_FILES = sorted((ROOT / "devfix").rglob("*.py"))
STANDARD_FILES = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))

#: What people leave at the ends of lines and between them.
SPACE = "\r\n \t\f"

# Derandomised, so that a run fails for what was changed and for nothing else.
steady = settings(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
quick = settings(steady, max_examples=sweeps.number(15, all_of=40))
few = settings(steady, max_examples=sweeps.number(3, all_of=6))


def small_files(files: Sequence[Path], most: int) -> list[Path]:
    """A sample that is the same in each run."""
    small = [path for path in files if 200 < path.stat().st_size < 5_000]
    return small[:: max(1, len(small) // most)][:most]


def read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def tree(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def result_of(text: str, edits: Sequence[Edit]) -> str | None:
    try:
        return apply_edits(text, edits)
    except EditError:
        return None


def comments(text: str) -> Counter[str]:
    readline = io.StringIO(text, newline="").readline
    return Counter(
        token.string for token in tokenize.generate_tokens(readline) if token.type == tokenize.COMMENT
    )


def keeps_comments(edit: Edit) -> bool:
    return not isinstance(edit, (DeleteStatement, DropCall, RemoveKeyword, ReplaceExpression))


def check(text: str, edits: Sequence[Edit]) -> None:
    """The new text says what the edits say, keeps its comments, and what the edits are not about."""
    result = result_of(text, edits)
    assume(result is not None)
    assert result is not None
    assert dump(tree(result)) == expected(text, edits)
    if all(map(keeps_comments, edits)):
        assert not comments(text) - comments(result)
    check_surroundings(text, edits, result)


def check_surroundings(text: str, edits: Sequence[Edit], result: str) -> None:
    """What stands outside the lines that the edits are about is as it was, to the byte."""
    kept = _untouched(text, edits)
    newline = "\r\n" if "\r\n" in text else "\n"
    # A text whose last line has no newline still has none when that line goes.
    assert (result + newline).startswith(kept[0])
    assert result.rstrip(SPACE).endswith(kept[-1].rstrip(SPACE))
    at = 0
    for piece in (piece.strip(SPACE) for piece in kept):
        at = result.find(piece, at)
        assert at >= 0, f"{piece!r} is not in {result!r}"
        at += len(piece)


def _untouched(text: str, edits: Sequence[Edit]) -> list[str]:
    lines = io.StringIO(text, newline="").readlines()
    touched: set[int] = set()
    for edit in edits:
        for span in _spans(edit):
            touched |= set(_lines_about(text, lines, span))
    pieces = [""]
    for number, line in enumerate(lines, 1):
        if number in touched:
            pieces.append("")
        else:
            pieces[-1] += line
    return [pieces[0], *[piece for piece in pieces[1:-1] if piece], pieces[-1]]


def _spans(edit: Edit) -> list[Span]:
    assert not isinstance(edit, (AddImport, InsertAfterImports))
    if isinstance(edit, MoveStatement):
        return [span for span in (edit.span, edit.after, edit.before) if span]
    return [edit.span]


def _lines_about(text: str, lines: list[str], span: Span) -> range:
    """The lines of the innermost statement around a span, with blank lines and comments beside it."""
    around = [
        (place, node)
        for place, nodes in spans(text).items()
        for node in nodes
        if isinstance(node, ast.stmt)
        if place.contains(span) or _first_line(node) <= span.line < node.lineno
    ]
    place, node = max(around, key=lambda found: found[0].start)
    first, last = _first_line(node), place.end_line
    while first > 1 and _is_quiet(lines[first - 2]):
        first -= 1
    while last < len(lines) and _is_quiet(lines[last]):
        last += 1
    return range(first, last + 1)


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _is_quiet(line: str) -> bool:
    return not line.strip() or line.lstrip(" \t\f").startswith("#")


@quick
@given(st.data(), programs())
def test_an_edit_that_changes_nothing_gives_the_text_back(data: st.DataObject, text: str) -> None:
    assert apply_edits(text, []) == text
    edit = data.draw(expression_edits(text))
    if isinstance(edit, WrapExpression):
        assert apply_edits(text, [WrapExpression(edit.span)]) == text


@quick
@given(st.data(), programs())
def test_one_edit(data: st.DataObject, text: str) -> None:
    check(text, [data.draw(st.one_of(expression_edits(text), statement_edits(text)))])


@quick
@given(st.data(), programs())
def test_parameters_are_added(data: st.DataObject, text: str) -> None:
    edits = parameter_edits(text)
    assume(not edits.is_empty)
    check(text, data.draw(st.lists(edits, min_size=1, max_size=2)))


@quick
@given(st.data(), programs())
def test_edits_together(data: st.DataObject, text: str) -> None:
    one = st.one_of(expression_edits(text), statement_edits(text))
    check(text, data.draw(st.lists(one, min_size=2, max_size=4)))


@quick
@given(st.data(), programs(), st.randoms(use_true_random=False))
def test_the_order_of_edits_does_not_count(data: st.DataObject, text: str, chance: random.Random) -> None:
    one = st.one_of(expression_edits(text), statement_edits(text), module_edits())
    edits = data.draw(st.lists(one, min_size=2, max_size=5, unique_by=_anchor))
    shuffled = list(edits)
    chance.shuffle(shuffled)
    assert result_of(text, shuffled) == result_of(text, edits)


@quick
@given(st.data(), programs())
def test_edits_of_imports_are_made_once(data: st.DataObject, text: str) -> None:
    edits = data.draw(st.lists(module_edits(), min_size=1, max_size=4))
    once = apply_edits(text, edits)
    assert apply_edits(once, edits) == once
    lines = iter(once.splitlines())
    if not any(isinstance(edit, AddImport) and edit.name for edit in edits):
        assert all(line in lines for line in text.splitlines())


def _anchor(edit: Edit) -> object:
    """What the order of edits depends on: things put at one place keep the order they are given in."""
    match edit:
        case WrapExpression(span):
            return ("wrap", span)
        case InsertBefore(span) | MoveStatement(before=Span() as span):
            return ("before", span.start)
        case InsertAfter(span) | MoveStatement(after=Span() as span):
            return ("after", span.start)
        case InsertAtBodyStart(span):
            return ("top", span.start)
        case InsertAfterImports():
            return "code"
    return edit


@pytest.mark.parametrize(
    "path", [*small_files(STANDARD_FILES, 14), *small_files(OUR_FILES, 8)], ids=lambda path: path.name
)
def test_edits_of_real_files(path: Path) -> None:
    text = read(path)

    @settings(few)
    @given(st.one_of(expression_edits(text), statement_edits(text)))
    def one_edit(edit: Edit) -> None:
        check(text, [edit])

    one_edit()
