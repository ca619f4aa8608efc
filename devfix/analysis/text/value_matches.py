"""Value matches: ``match`` statements that do no more than compare what they ask about, written as the tests they are."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import reduce

from devfix.analysis.text.syntax import remembered

#: Of more cases than this it does not matter much what each of them tells of the others.
_MOST_CASES = 16


@remembered
def as_tests(node: ast.Match) -> ast.If | None:
    """The ``if`` that comes to the same; None where a case looks into the value, or asking for it may do something."""
    if len(node.cases) > _MOST_CASES or not _only_asks(node.subject):
        return None
    *cases, last = node.cases
    orelse = _otherwise(node.subject, last)
    if orelse is None:
        cases, orelse = node.cases, []
    tests = [_test(node.subject, case) for case in cases]
    if not tests or None in tests:
        return None
    pairs = [(test, case) for test, case in zip(tests, cases, strict=True) if test is not None]
    chain = reduce(_before, reversed(pairs), orelse)
    return chain[0] if isinstance(chain[0], ast.If) else None


def _before(rest: list[ast.stmt], pair: tuple[ast.expr, ast.match_case]) -> list[ast.stmt]:
    test, case = pair
    return [ast.copy_location(ast.If(test, case.body, rest), case.pattern)]


def _only_asks(subject: ast.expr) -> bool:
    """Whether a value is read anew without doing anything."""
    while isinstance(subject, (ast.Attribute, ast.Subscript)):
        if isinstance(subject, ast.Subscript) and not isinstance(subject.slice, ast.Constant):
            return False
        subject = subject.value
    return isinstance(subject, ast.Name)


def _otherwise(subject: ast.expr, case: ast.match_case) -> list[ast.stmt] | None:
    """What is done with any other value: the body of ``case _``, or of ``case name``."""
    pattern = case.pattern
    if not isinstance(pattern, ast.MatchAs) or pattern.pattern is not None or case.guard is not None:
        return None
    if pattern.name is None:
        return case.body
    target = ast.copy_location(ast.Name(pattern.name, ast.Store()), pattern)
    return [ast.copy_location(ast.Assign([target], subject), pattern), *case.body]


def _test(subject: ast.expr, case: ast.match_case) -> ast.expr | None:
    pattern = case.pattern
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None and pattern.name is None:
        return case.guard
    each = pattern.patterns if isinstance(pattern, ast.MatchOr) else [pattern]
    asked = [_comparison(subject, part) for part in each]
    compared = [part for part in asked if part is not None]
    if len(compared) < len(asked):
        return None
    test = _joined(ast.Or(), compared, pattern)
    return test if case.guard is None else _joined(ast.And(), [test, case.guard], pattern)


def _joined(op: ast.boolop, parts: Sequence[ast.expr], place: ast.pattern) -> ast.expr:
    return parts[0] if len(parts) == 1 else ast.copy_location(ast.BoolOp(op, list(parts)), place)


def _comparison(subject: ast.expr, pattern: ast.pattern) -> ast.expr | None:
    """``subject == value``, or ``subject is None`` for one of the few constants of which there is one."""
    if isinstance(pattern, ast.MatchValue):
        return ast.copy_location(ast.Compare(subject, [ast.Eq()], [pattern.value]), pattern)
    if isinstance(pattern, ast.MatchSingleton):
        value = ast.copy_location(ast.Constant(pattern.value), pattern)
        return ast.copy_location(ast.Compare(subject, [ast.Is()], [value]), pattern)
    return None
