"""Steadiness: whether a test that is asked again comes out as it did, since nothing gave what it asks for another value.

A test of options does (``args.large``), and so does a call that only looks: ``len(names) > 3``,
``path.startswith("s3:")``, or ``os.path.exists(path)``, as long as nothing in between writes files.
"""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from devfix.analysis.reuse import reads
from devfix.analysis.text.parts_within import calls_in
from devfix.analysis.text.scope_names import parameters_of
from devfix.analysis.text.syntax import (
    FLAG_PARTS,
    SCOPES,
    asks_for_file,
    blocks_of,
    called,
    is_flag,
    remembered,
    spelt,
    statements_in,
    walk,
)
from devfix.analysis.text.targets import targets

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.analysis.language.frames import Loop


def is_steady(interp: Interpreter, test: ast.expr) -> bool:
    """Whether nothing in the function or script around gives what a test asks for another value."""
    looks, scope = _looked(test), reads.scope(interp)
    if not looks.at or not _changing(scope).isdisjoint(looks.at):
        return False
    return not _is_refilled(scope, looks) and _declared(interp, scope).isdisjoint(looks.at)


def loop_of(interp: Interpreter, test: ast.expr) -> Loop | None:
    """The loop in each of whose rounds a test comes out the same wherever it is asked, since it asks for what the round brings."""
    frame, looks = interp.frame, _looked(test)
    loop = frame.loops[-1] if frame.loops else None
    if not looks.at or loop is None or loop.node is None:
        return None
    scope = reads.scope(interp)
    brought = {name for name, last in _brought(loop.node).items() if last < (test.lineno, test.col_offset)}
    if not _changing(scope) & looks.at <= brought or _is_refilled(scope, looks):
        return None
    return loop if _declared(interp, scope).isdisjoint(looks.at) else None


@remembered
def _brought(loop: ast.For | ast.AsyncFor) -> dict[str, tuple[int, int]]:
    """The names that each round of a loop gives one value, with where it has done so."""
    given: list[tuple[ast.expr, ast.stmt]] = [(target, loop) for target in targets(loop)]
    given += [(target, statement) for statement in loop.body for target in targets(statement)]
    inner = [target for part in statements_in(loop) if part is not loop for target in targets(part)]
    several = Counter(map(spelt, [*targets(loop), *inner]))
    return {
        target.id: (target.end_lineno or target.lineno, target.end_col_offset or target.col_offset)
        if statement is loop
        else (statement.end_lineno or statement.lineno, statement.end_col_offset or 0)
        for target, statement in given
        if isinstance(target, ast.Name) and several[target.id] == 1
    }


def holds_still(interp: Interpreter, before: ast.expr, test: ast.expr) -> bool:
    """Whether a test comes out as the same test ``before`` it did: of files that is so until some are written."""
    if not any(isinstance(part, ast.expr) and asks_for_file(part) for part in walk(test)):
        return True
    first, last = ((each.lineno, each.col_offset) for each in (before, test))
    written = _written(reads.scope(interp))
    return first <= last and not any(first < place < last for place in written)


@remembered
def options_in(test: ast.expr) -> frozenset[str]:
    """The names, attributes and entries that a test of options is about; none for any other test."""
    parts = list(walk(test)) if is_flag(test) else []
    return frozenset() if any(isinstance(part, ast.Call) for part in parts) else _spelt(parts)


def _spelt(parts: list[ast.AST]) -> frozenset[str]:
    return frozenset(
        spelt(part) for part in parts if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript))
    )


class _Looks(NamedTuple):
    """What a test looks ``at``, and which of that it looks ``into``, so that it matters what was put there."""

    at: frozenset[str] = frozenset()
    into: frozenset[str] = frozenset()


@remembered
def _looked(test: ast.expr) -> _Looks:
    """What a test looks at that does nothing else; nothing for any other test."""
    parts = list(walk(test))
    into: set[str] = set()
    for part in parts:
        if isinstance(part, ast.Call):
            if part.keywords or not _only_looks(part):
                return _Looks()
            into.update(map(spelt, _looks_into(part)))
        elif isinstance(part, ast.Subscript):
            if not isinstance(part.slice, ast.Constant):
                return _Looks()
        elif not isinstance(part, (*FLAG_PARTS, ast.BinOp, ast.operator)):
            return _Looks()
    return _Looks(_spelt(parts), frozenset(into))


#: Functions and methods that tell what something is, or what is in it.
_OF_WHAT = frozenset({"isinstance", "issubclass", "callable"})
_OF_CONTENTS = frozenset({"len"})
#: Methods of texts and tensors that change nothing, and give what no program changes.
_METHODS = frozenset(
    "startswith endswith lower upper strip isdigit isnumeric dim size numel ndimension is_floating_point".split()
)


def _only_looks(call: ast.Call) -> bool:
    if asks_for_file(call):
        return True
    if isinstance(call.func, ast.Name):
        return call.func.id in _OF_WHAT | _OF_CONTENTS
    return called(call) in _METHODS or _is_look_up(call)


def _is_look_up(call: ast.Call) -> bool:
    """Whether a call is ``options.get("key")``."""
    return called(call) == "get" and bool(call.args) and isinstance(call.args[0], ast.Constant)


def _looks_into(call: ast.Call) -> list[ast.expr]:
    if _is_look_up(call) and isinstance(call.func, ast.Attribute):
        return [call.func.value]
    return call.args if called(call) in _OF_CONTENTS else []


#: Methods by which a container comes to hold something else.
_REFILLING = frozenset(
    "append appendleft extend insert pop popleft popitem remove clear add discard update setdefault".split()
)


def _is_refilled(scope: ast.AST, looks: _Looks) -> bool:
    """Whether a scope changes the contents of what a test looks into; few tests do, and then all of the scope is looked at."""
    return bool(looks.into) and not looks.into.isdisjoint(_refilled(scope))


@remembered
def _refilled(scope: ast.AST) -> frozenset[str]:
    """The containers of a function or a script whose contents are changed somewhere in it, as they are spelt."""
    refilled = set()
    for part in walk(scope):
        if (
            isinstance(part, ast.Call)
            and isinstance(part.func, ast.Attribute)
            and part.func.attr in _REFILLING
        ):
            refilled.add(spelt(part.func.value))
        elif isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load):
            refilled.add(spelt(part.value))
    return frozenset(refilled)


#: How functions and methods begin to be called that make files, or take them away.
_WRITING = (
    "save", "dump", "write", "mkdir", "makedirs", "touch", "copy", "move", "rename", "replace", "unlink", "remove", "rmtree",
    "rmdir", "symlink", "download", "urlretrieve", "extract", "unpack", "to_csv", "to_parquet", "to_pickle",
)  # fmt: skip


@remembered
def _written(scope: ast.AST) -> tuple[tuple[int, int], ...]:
    """Where in a function or script files may be written: by methods that do, and by functions that are called so."""
    calls = calls_in(scope)
    return tuple([(call.lineno, call.col_offset) for call in calls if called(call).startswith(_WRITING)])


@remembered
def _changing(scope: ast.AST) -> frozenset[str]:
    """What a function or a script gives a value more than once: in a loop, in two places, or as an attribute."""
    changing: set[str] = set()
    bound = {parameter.arg for parameter in parameters_of(scope)}
    pending = [(part, False) for part in blocks_of(scope)]
    while pending:
        part, in_loop = pending.pop()
        in_loop = in_loop or isinstance(part, (ast.For, ast.AsyncFor, ast.While))
        for target in targets(part):
            text = spelt(target)
            if in_loop or text in bound or not isinstance(target, ast.Name):
                changing.add(text)
            bound.add(text)
        if in_loop or not isinstance(part, SCOPES):
            pending += [(inner, in_loop) for inner in blocks_of(part)]
    return frozenset(changing)


#: What stands where a name is bound by no statement of its own, or to be that of a scope further out.
_DECLARING = (":=", "global", "nonlocal")


def _declared(interp: Interpreter, scope: ast.AST) -> frozenset[str]:
    """The names that a function or a script shares with others, or gives values in an expression."""
    first, last = getattr(scope, "lineno", 1), getattr(scope, "end_lineno", None) or len(interp.source.lines)
    if not interp.source.has_one_between(_DECLARING, first, last):
        return frozenset()
    return _declared_in(scope)


@remembered
def _declared_in(scope: ast.AST) -> frozenset[str]:
    names: set[str] = set()
    for node in walk(scope):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            names.update(node.names)
        elif isinstance(node, ast.NamedExpr) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return frozenset(names)
