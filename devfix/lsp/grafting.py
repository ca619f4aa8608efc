"""Grafting: edited statements take their places in the tree of the text before, whose other nodes stay what they are."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from devfix.analysis.text.fetches import copies
from devfix.analysis.text.noting import NOTES
from devfix.analysis.text.syntax import QUESTIONS, binds_host, first_line, names_accelerator, statements_in
from devfix.source import Source

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: What leaves a block in its middle.
_LEAVING = (ast.Return, ast.Break, ast.Continue)
#: What is asked of a method by those who look at its class.
_FROM_OUTSIDE = "devfix.analysis.receivers."
#: What this method returns tells what its class is good for.
_TELLING = "to"


@dataclass
class Graft:
    """What an edit did to a tree: where its effects begin, and the functions or other statements that it is in."""

    triggers: list[ast.stmt] = field(default_factory=list)
    functions: list[ast.AST] = field(default_factory=list)
    #: What is in the tree no more, and known by its identity.
    removed: list[ast.stmt] = field(default_factory=list)
    #: Puts the tree back as it was.
    undo: Callable[[], None] = lambda: None


@dataclass
class _Place:
    """Some statements of a block, and the nodes around them, outermost first."""

    block: list[ast.stmt]
    first: int
    last: int
    around: tuple[ast.AST, ...]


def graft(tree: ast.Module, old: Sequence[str], new: Sequence[str], first: int, last: int) -> Graft | None:
    """Bring the tree of the lines ``old`` up to date with ``new``, which differ from ``first`` to ``last``.

    Lines are counted from 1. None where that cannot be told in this way; the tree is then as it was.
    """
    for place in reversed(list(_places(tree, old, first, last, _column(new[first - 1 : last])))):
        gone = place.block[place.first : place.last]
        begin = min([first, *map(first_line, gone)])
        end = max([last, *map(_end, gone)])
        made = _parsed(new, begin, end)
        if made is not None and _fits(place, gone, made):
            return Graft() if _are_alike(gone, made) else _grafted(place, gone, made, old, new)
    return None


def innermost(tree: ast.Module, first: int, last: int) -> ast.stmt | None:
    """The simple statement that goes on from one line to another; None where one of them is in no such."""
    block = tree.body
    while True:
        outer = next((each for each in block if first_line(each) <= first and last <= _end(each)), None)
        if outer is None:
            return None
        blocks = _blocks(outer)
        if not blocks:
            return outer
        block = [each for block in blocks for each in block]


def _fits(place: _Place, gone: list[ast.stmt], made: list[ast.stmt]) -> bool:
    if len(place.block) == len(gone) and not made:
        return False
    return all(each.col_offset == place.block[0].col_offset for each in made)


def _places(
    tree: ast.Module, lines: Sequence[str], first: int, last: int, column: int | None
) -> Iterator[_Place]:
    """The statements that lie on some lines, or where they would: of the whole text, and of each block within."""
    around: tuple[ast.AST, ...] = (tree,)
    block: list[ast.stmt] | None = tree.body
    while block:
        touched = [n for n, each in enumerate(block) if first_line(each) <= last and _end(each) >= first]
        before = sum(_end(each) < first for each in block)
        yield _Place(block, *((touched[0], touched[-1] + 1) if touched else (before, before)), around)
        if len(touched) == 1:
            outer = block[touched[0]]
            block = _block_at(outer, lines, first, last)
        elif not touched and before and column is not None and column > block[0].col_offset:
            outer = block[before - 1]
            block = (_blocks(outer) or [[]])[-1]
        else:
            return
        around = (*around, outer)


def _block_at(node: ast.stmt, lines: Sequence[str], first: int, last: int) -> list[ast.stmt] | None:
    """The block of a statement that some lines are in."""
    blocks = _blocks(node)
    for number, block in enumerate(blocks):
        head = _code_before(lines, first_line(block[0]))
        following = (
            _code_before(lines, first_line(blocks[number + 1][0])) if block is not blocks[-1] else last + 1
        )
        if head < first and last < following and head >= node.lineno:
            return block
    return None


def _code_before(lines: Sequence[str], number: int) -> int:
    """The nearest line above one that is neither blank nor a comment."""
    number -= 1
    while number > 0 and not _is_code(lines[number - 1]):
        number -= 1
    return number


def _is_code(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#")


def _column(lines: Sequence[str]) -> int | None:
    line = next((each for each in lines if _is_code(each)), None)
    return None if line is None else len(line) - len(line.lstrip())


def _blocks(node: ast.AST) -> list[list[ast.stmt]]:
    """The blocks of a statement, in the order of the text."""
    parts = [getattr(node, "body", None)]
    parts += [each.body for each in (*getattr(node, "handlers", ()), *getattr(node, "cases", ()))]
    parts += [getattr(node, "orelse", None), getattr(node, "finalbody", None)]
    return [part for part in parts if isinstance(part, list) and part]


def _end(node: ast.stmt) -> int:
    return node.end_lineno or node.lineno


def _parsed(lines: Sequence[str], begin: int, end: int) -> list[ast.stmt] | None:
    """The statements on some lines, where they stand."""
    text = lines[begin - 1 : end]
    column = _column(text)
    if column is None:
        return []
    within = column > 0 and begin > 1
    code = "".join(["\n" * (begin - 2), "if 1:\n", *text] if within else ["\n" * (begin - 1), *text])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if not within:
        return body
    [outer, *others] = body
    return outer.body if isinstance(outer, ast.If) and not outer.orelse and not others else None


def _are_alike(some: Sequence[ast.stmt], others: Sequence[ast.stmt]) -> bool:
    """Whether statements are the same and stand at the same places: only comments and blank lines differ."""
    return len(some) == len(others) and all(
        ast.dump(one, include_attributes=True) == ast.dump(other, include_attributes=True)
        for one, other in zip(some, others, strict=True)
    )


def _grafted(
    place: _Place, gone: list[ast.stmt], made: list[ast.stmt], old: Sequence[str], new: Sequence[str]
) -> Graft | None:
    if len(gone) == len(made) == 1 and _has_another_head(gone[0], made[0]):
        found = _replaced(place, _NewHead(gone[0], made[0]), old, new)
        if found is not None:
            return found
    return _replaced(place, _NewStatements(place, gone, made), old, new)


def _has_another_head(old: ast.stmt, new: ast.stmt) -> bool:
    """Whether two functions of one name differ in what stands before their bodies alone."""
    if not isinstance(old, _FUNCTIONS) or not isinstance(new, type(old)):
        return False
    return old.name == new.name != _TELLING and _are_alike(old.body, new.body)


class _NewStatements:
    """Statements take the place of others."""

    def __init__(self, place: _Place, gone: list[ast.stmt], made: list[ast.stmt]) -> None:
        self._block, self._first = place.block, place.first
        self.gone, self.made = gone, made
        self.edited: list[ast.AST] = []

    def make(self) -> None:
        """Put the new statements in the place of those that are gone."""
        self._block[self._first : self._first + len(self.gone)] = self.made

    def undo(self) -> None:
        """Put the statements that were there back."""
        self._block[self._first : self._first + len(self.made)] = self.gone


class _NewHead:
    """A function gets another head; it stays the function that it is, and its body what that was."""

    def __init__(self, function: ast.stmt, other: ast.stmt) -> None:
        names = [name for name in (*function._fields, *function._attributes) if name != "body"]
        self._function = function
        self._now = {name: getattr(other, name, None) for name in names}
        self._before = {name: getattr(function, name, None) for name in names}
        self.gone, self.made = [other], [function]
        self.edited: list[ast.AST] = [function]
        #: What was known by its identity must not be taken for others'.
        other.__dict__["replaced"] = self._before

    def make(self) -> None:
        """Give it the new head."""
        self._function.__dict__.update(self._now)

    def undo(self) -> None:
        """Give it the old head back."""
        self._function.__dict__.update(self._before)


def _replaced(
    place: _Place, change: _NewStatements | _NewHead, old: Sequence[str], new: Sequence[str]
) -> Graft | None:
    functions = [node for node in place.around if isinstance(node, _FUNCTIONS)]
    if any(node.name == _TELLING for node in functions):
        return None
    innermost = place.around.index(functions[-1]) if functions else 0
    before, after = _text(old), _text(new)
    traits = [_Traits(node, before, place.around) for node in place.around]
    own = [_Traits(node, before, place.around) for node in change.edited]

    def undo() -> None:
        change.undo()
        for each in (*traits, *own):
            each.restore()
        _set_ends(place.around)

    change.make()
    for each in (*traits, *own):
        each.forget()
    _set_ends(place.around)
    others = traits[: innermost + 1] if functions else [each for each in traits if _is_class(each.node)]
    same = all(each.hold_for_others(as_method=each.node in functions[-1:]) for each in others)
    if not same or not all(each.hold_for_others(as_method=True) for each in own):
        undo()
        return None
    changed = [each.node for each in traits[innermost:] if not each.hold(after)]
    # Outside of functions the statements around are what is carried out.
    reached = [node for node in (functions or place.around) if isinstance(node, ast.stmt)]
    return Graft(_triggers(place, change.made, changed), [*reached, *change.edited], change.gone, undo)


def _set_ends(around: Sequence[ast.AST]) -> None:
    """Let nodes end where the last statement in them does."""
    for node in reversed(around):
        for each in (*getattr(node, "handlers", ()), node):
            if not isinstance(each, ast.Module):
                last = _blocks(each)[-1][-1]
                each.end_lineno, each.end_col_offset = last.end_lineno, last.end_col_offset


def _is_class(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef)


def _text(lines: Sequence[str]) -> Source:
    """A source that knows nothing but its lines."""
    source = Source("", "")
    source.__dict__["lines"] = lines
    return source


def _triggers(place: _Place, made: list[ast.stmt], changed: list[ast.AST]) -> list[ast.stmt]:
    """The statements before which nothing differs."""
    if changed:
        outermost = changed[0]
        if isinstance(outermost, ast.stmt) and not isinstance(outermost, (*_FUNCTIONS, ast.ClassDef)):
            return [outermost]
        return _blocks(outermost)[0][:1]
    if made:
        return made
    following = place.block[place.first : place.first + 1]
    return following or place.block[-1:]


def _end_of(node: ast.AST) -> object:
    return getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)


class _Traits:
    """What is asked of a node before its blocks are gone through, as it was before an edit in one of them."""

    def __init__(self, node: ast.AST, lines: Source, around: Sequence[ast.AST]) -> None:
        self.node = node
        self._answers = {key: node.__dict__[key] for key in QUESTIONS if key in node.__dict__}
        self._around = around
        self._looks = self._looked_at(lines)

    def forget(self) -> None:
        """The node is another one now: its answers are no longer right, nor are notes about it."""
        for key in (*QUESTIONS, *NOTES):
            self.node.__dict__.pop(key, None)

    def restore(self) -> None:
        """Give the node its old answers back: it is what it was."""
        self.forget()
        self.node.__dict__.update(self._answers)

    def hold(self, lines: Source) -> bool:
        """Whether the code around its blocks sees what it saw."""
        inner = {key: known for key, known in self._answers.items() if not key.startswith(_FROM_OUTSIDE)}
        return self._still(inner) and self._looked_at(lines) == self._looks

    def hold_for_others(self, *, as_method: bool) -> bool:
        """Whether those who look at the node from elsewhere see what they saw."""
        if isinstance(self.node, ast.ClassDef) and _end_of(self.node) != self._looks:
            return False
        if not as_method:
            return self._still(self._answers)
        return self._still(
            {key: known for key, known in self._answers.items() if key.startswith(_FROM_OUTSIDE)}
        )

    def _still(self, answers: dict[str, object]) -> bool:
        return all(QUESTIONS[key](self.node) == known for key, known in answers.items())

    def _looked_at(self, lines: Source) -> object:
        """What conditions and managers of contexts look for in blocks, and where a statement ends."""
        node = self.node
        if isinstance(node, (ast.If, ast.With, ast.AsyncWith)):
            return [_end_of(node), *(self._look_of(block, lines) for block in _blocks(node))]
        return None if isinstance(node, (*_FUNCTIONS, ast.Module)) else _end_of(node)

    def _look_of(self, block: list[ast.stmt], lines: Source) -> object:
        naming = [part for part in block if names_accelerator(part, lines)]
        last = ast.dump(block[-1]) if isinstance(block[-1], (ast.Expr, ast.Continue)) else ""
        left = any(isinstance(part, _LEAVING) for each in block for part in statements_in(each))
        return (
            list(map(id, naming)), any(part in self._around for part in naming), any(map(binds_host, block)),
            list(map(copies, block)), last, left, len(block) == 1,
        )  # fmt: skip
