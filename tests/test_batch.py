"""Fixes that fit together are applied together; the others wait."""

from __future__ import annotations

import pytest
from fakes import SAFE, toy_edits, toy_program

from devfix.batch import choose, texts_after
from devfix.findings import (
    AddImport,
    DeleteStatement,
    Edit,
    FileEdit,
    Finding,
    Fix,
    InsertBefore,
    MoveStatement,
    ReplaceComment,
    ReplaceExpression,
    SetKeyword,
    Span,
    WrapExpression,
)

STATEMENT = Span(1, 0, 1, 20)
LEFT, RIGHT, INNER = Span(1, 0, 1, 5), Span(1, 8, 1, 12), Span(1, 2, 1, 3)


def finding(name: str, *edits: Edit | ReplaceComment, path: str = "a.py") -> Finding:
    fix = Fix(name, tuple(FileEdit(path, edit) for edit in edits), SAFE)
    return Finding(path, Span(1, 0, 1, 1), "T1", "toy", name, fix=fix)


def chosen(*findings: Finding) -> list[str]:
    return [each.message for each in choose(findings)]


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        (WrapExpression(LEFT, suffix=".x"), WrapExpression(RIGHT, suffix=".x"), True),
        (WrapExpression(LEFT, suffix=".x"), WrapExpression(INNER, suffix=".x"), False),
        (WrapExpression(LEFT, suffix=".x"), WrapExpression(LEFT, suffix=".x"), True),
        (WrapExpression(LEFT, suffix=".x"), WrapExpression(LEFT, suffix=".y"), False),
        (SetKeyword(LEFT, "device", "d"), SetKeyword(LEFT, "dtype", "t"), False),
        (InsertBefore(STATEMENT, "a"), InsertBefore(STATEMENT, "b"), True),
        (InsertBefore(STATEMENT, "a"), WrapExpression(LEFT, suffix=".x"), True),
        (InsertBefore(STATEMENT, "a"), DeleteStatement(STATEMENT), False),
        (DeleteStatement(STATEMENT), InsertBefore(STATEMENT, "a"), False),
        (MoveStatement(Span(2, 0, 2, 5), after=STATEMENT), DeleteStatement(STATEMENT), False),
        (MoveStatement(Span(2, 0, 2, 5), after=STATEMENT), WrapExpression(LEFT, suffix=".x"), True),
        (AddImport("torch"), AddImport("numpy"), True),
        (AddImport("torch"), DeleteStatement(STATEMENT), True),
    ],
)
def test_which_edits_go_together(one: Edit, other: Edit, together: bool) -> None:
    assert chosen(finding("one", one), finding("other", other)) == (["one", "other"] if together else ["one"])


def test_a_fix_is_taken_whole_or_not_at_all() -> None:
    first = finding("first", ReplaceExpression(LEFT, "a"))
    second = finding("second", ReplaceExpression(RIGHT, "b"), ReplaceExpression(LEFT, "c"))
    third = finding("third", ReplaceExpression(RIGHT, "d"))
    assert chosen(first, second, third) == ["first", "third"]


def test_edits_of_one_fix_may_overlap_and_files_are_apart() -> None:
    both = finding("both", WrapExpression(LEFT, suffix=".x"), WrapExpression(INNER, suffix=".y"))
    other = finding("other", ReplaceExpression(LEFT, "c"), path="b.py")
    assert chosen(both, other) == ["both", "other"]


def test_comments_wait_for_everything_else() -> None:
    comment, code = finding("comment", ReplaceComment(RIGHT)), finding("code", ReplaceExpression(LEFT, "a"))
    assert chosen(comment, code) == ["code"]
    assert chosen(comment) == ["comment"]


def test_shared_edits_are_applied_once() -> None:
    program = toy_program("abc = 1\n")
    insert, replace = InsertBefore(Span(1, 0, 1, 7), "d = 0"), ReplaceExpression(Span(1, 6, 1, 7), "2")
    batch = [finding("one", insert), finding("two", insert, replace)]
    assert texts_after(program, batch, toy_edits) == {"a.py": "d = 0\nabc = 2\n"}
