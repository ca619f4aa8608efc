"""Late bodies: trees of texts that were parsed before, in which a function's body is parsed when somebody looks at it.

What a run needs of most files that have not changed is what their modules define. Where the bodies of functions stand is known
from the first time; they are blank in what is parsed, but for a number where each ends, so that all places are what they were. A
function without its body is of a class of its own, until the body is asked for.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from devfix.timing import READING, spent_on

Function = ast.FunctionDef | ast.AsyncFunctionDef

#: Where a body stands: its first line, its last one, and the column at which it ends, in bytes.
Place = tuple[int, int, int]


def parsed(text: str, path: str) -> ast.Module:
    """The syntax tree of a text; raises what ``ast.parse`` raises."""
    with warnings.catch_warnings(), _without_collector(), spent_on(READING):
        # A warning on, say, an invalid escape is the user's business and not ours to print.
        warnings.simplefilter("ignore")
        return ast.parse(text, path)


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    # A tree is made of many objects and no cycle: looking for cycles meanwhile doubles the time.
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def places_of(tree: ast.Module, lines: Sequence[str]) -> str:
    """Where the bodies of functions stand that may be left blank, as numbers in a text: most runs only hand it on.

    Lines that are indented by anything but blanks need not have the indent that their columns tell.
    """
    found: list[int] = []
    for function in _functions(tree):
        first, last = function.body[0], function.body[-1]
        begin, end, column = first.lineno, last.end_lineno or 0, last.end_col_offset or 0
        if begin < end and column > function.col_offset + 1 and _is_indented(lines[begin - 1], first):
            found += (begin, end, column)
    return " ".join(map(str, found))


def _functions(tree: ast.Module) -> Iterator[Function]:
    """The functions and methods of a module, in order."""
    pending: list[ast.stmt] = tree.body[::-1]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.ClassDef):
            pending += node.body[::-1]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def _is_indented(line: str, statement: ast.stmt) -> bool:
    """Whether a statement begins in its line, behind blanks."""
    return not getattr(statement, "decorator_list", None) and line.startswith(" " * statement.col_offset)


def tree_of(lines: Sequence[str], places: str, path: str) -> ast.Module:
    """The tree of a text of these lines, in which the bodies at the places are parsed when they are asked for."""
    text = _Text(lines, path)
    numbers = list(map(int, places.split()))
    late: list[Place] = list(zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True))
    tree = parsed(_blanked(lines, late), path)
    bodies = iter(late)
    body = next(bodies, None)
    for function in _functions(tree):
        if body is not None and function.body[0].lineno == body[1]:
            del function.body
            function.__dict__["late"] = (text, body)
            object.__setattr__(function, "__class__", _LATE[function.__class__])
            body = next(bodies, None)
    return tree


def _blanked(lines: Sequence[str], late: Sequence[Place]) -> str:
    """The text with a number in the place of each of the bodies."""
    pieces: list[str] = []
    done = 0
    for begin, end, column in late:
        pieces += lines[done : begin - 1]
        pieces.append("\n" * (end - begin))
        pieces.append(f"{'0':>{column}}{lines[end - 1].encode()[column:].decode()}")
        done = end
    return "".join([*pieces, *lines[done:]])


@dataclass(frozen=True, slots=True)
class _Text:
    """The lines of a file, of which pieces are parsed."""

    lines: Sequence[str]
    path: str

    def body(self, place: Place) -> list[ast.stmt]:
        """The statements of a body; each has the place that it has in the file."""
        begin, end, _ = place
        around = "\n" * (begin - 2) + "if 1:\n"
        tree = parsed("".join([around, *self.lines[begin - 1 : end]]), self.path)
        return cast("ast.If", tree.body[0]).body


class _Late:
    """A function whose body has not been asked for."""

    __slots__ = ()

    def __getattr__(self, name: str) -> list[ast.stmt]:
        """Its body, with which it becomes what it would have been; raises AttributeError for what no function has."""
        if name != "body":
            raise AttributeError(name)
        text, place = self.__dict__.pop("late")
        object.__setattr__(self, "__class__", type(self).__base__)
        body: list[ast.stmt] = text.body(place)
        self.__dict__["body"] = body
        return body


# Their names are those by which visitors and fingerprints know functions.
_LATE: dict[type[ast.AST], type[ast.stmt]] = {
    kind: type(kind.__name__, (kind, _Late), {"__slots__": ()})
    for kind in (ast.FunctionDef, ast.AsyncFunctionDef)
}
#: The classes of functions without bodies.
LATE = tuple(_LATE.values())
