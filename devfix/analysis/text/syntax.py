"""Questions about pieces of syntax: asked often, answered once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeGuard

from devfix.analysis.text.nodes_below import below
from devfix.kept_answers import Answer, Node, kept_by_nodes

if TYPE_CHECKING:
    from devfix.source import Source

#: The questions whose answers nodes keep, by the names under which they keep them.
QUESTIONS: dict[str, Callable[[Any], object]] = {}


def remembered(question: Callable[[Node], Answer]) -> Callable[[Node], Answer]:
    """The function ``question``, which remembers its answers: a node seldom changes (see ``grafting``).

    A node keeps the answers itself, so they go when its tree goes.
    """
    key = f"{question.__module__}.{question.__qualname__}"
    QUESTIONS[key] = question
    return kept_by_nodes(question, key)


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it but contexts and operators, in no order that matters."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        kind = type(current)
        if kind is not ast.Name and kind is not ast.Constant:  # as most are: nothing is below them
            pending += below(current)


def in_rows(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it as ``ast.walk`` has them, but contexts and operators: what stands around a piece comes first."""
    row = [node]
    while row:
        yield from row
        under: list[ast.AST] = []
        for each in row:
            kind = type(each)
            if kind is not ast.Name and kind is not ast.Constant:
                under += below(each)
        row = under


SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
#: Which of them each class of nodes has.
_BLOCKS_OF: dict[type[ast.AST], tuple[str, ...]] = {}


def spelt(node: ast.expr) -> str:
    """What ``ast.unparse`` says of an expression: of names and attributes of names, as most are, far sooner."""
    parts: list[str] = []
    inner = node
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    return ".".join([inner.id, *reversed(parts)]) if isinstance(inner, ast.Name) else ast.unparse(node)


def is_main_guard(node: ast.AST) -> TypeGuard[ast.If]:
    """Whether a statement is ``if __name__ == "__main__":``."""
    test = node.test if isinstance(node, ast.If) else None
    asked = test.left if isinstance(test, ast.Compare) else None
    return isinstance(asked, ast.Name) and asked.id == "__name__"


def first_name(node: ast.AST) -> str:
    """The name that a path of attributes begins with, as ``x`` in ``x.y.z``; "" where anything else stands there."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def first_line(node: ast.stmt | ast.expr) -> int:
    """The line in which a piece of code begins, its decorators included."""
    line = node.lineno
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.decorator_list:
        return min(line, *(each.lineno for each in node.decorator_list))
    return line


def statements_in(node: ast.AST) -> Iterator[ast.AST]:
    """A statement and all below it, in no order that matters; expressions hold none and are not entered."""
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending += blocks_of(current)


def statements_of(scope: ast.AST) -> Iterator[ast.AST]:
    """The statements of a function or script but those of the functions and classes in it."""
    pending = blocks_of(scope)
    while pending:
        current = pending.pop()
        yield current
        if not isinstance(current, SCOPES):
            pending += blocks_of(current)


def blocks_of(node: ast.AST) -> list[ast.AST]:
    """The statements right below a statement, and its handlers and cases."""
    kind = node.__class__
    names = _BLOCKS_OF.get(kind)
    if names is None:
        has = not issubclass(kind, ast.expr)
        names = _BLOCKS_OF[kind] = tuple(name for name in _BLOCKS if has and name in kind._fields)
    return [part for name in names for part in getattr(node, name)] if names else []


def speaks(
    source: Source, word: str, first: ast.stmt | ast.expr, last: ast.stmt | ast.expr | None = None
) -> bool:
    """Whether a word is in the lines of a piece of code, which may go on to a ``last`` one: what these do not hold, it does not."""
    return speaks_of(source, (word,), first, first if last is None else last)


def speaks_of(
    source: Source, words: tuple[str, ...], first: ast.stmt | ast.expr, last: ast.stmt | ast.expr
) -> bool:
    """The same for one of some words."""
    return source.has_one_between(words, first.lineno, last.end_lineno or last.lineno)


def makes_functions(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, source: Source) -> bool:
    """Whether a body makes functions or classes, which may outlive it."""
    first, last = node.lineno, node.end_lineno or node.lineno
    if source.has_between("lambda", first, last) and _makes_lambdas(node):
        return True
    within = source.has_between("class", first, last) or source.has_between("def", first + 1, last)
    return within and _makes_definitions(node)


@remembered
def _makes_lambdas(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Lambda) for part in walk(node) if part is not node)


@remembered
def _makes_definitions(node: ast.AST) -> bool:
    return any(isinstance(part, SCOPES) for part in statements_in(node) if part is not node)


@remembered
def names_kept(function: ast.AST) -> frozenset[str]:
    """The names that functions and classes use which a function makes: they may outlive its call."""
    made = [part for part in walk(function) if isinstance(part, SCOPES) and part is not function]
    names = (part for each in made for part in walk(each) if isinstance(part, ast.Name))
    return frozenset(part.id for part in names if isinstance(part.ctx, ast.Load))


#: One of these is in the text of any code that names an accelerator.
ACCELERATORS = ("cuda", "current_accelerator", "'mps", '"mps', "'xpu", '"xpu', "'npu", '"npu')


def names_accelerator(node: ast.stmt | ast.expr, source: Source) -> bool:
    """Whether a piece of code names an accelerator: ``.cuda()``, ``"cuda:0"``, ``torch.cuda.…``."""
    last = node.end_lineno or node.lineno
    return source.has_one_between(ACCELERATORS, node.lineno, last) and holds_accelerator(node)


def has_accelerator(node: ast.stmt | ast.expr, source: Source) -> bool:
    """Whether a piece of code, its decorators included, may hold one that names an accelerator."""
    return source.has_one_between(ACCELERATORS, first_line(node), node.end_lineno or node.lineno)


@remembered
def holds_accelerator(node: ast.AST) -> bool:
    """The same for code of which it is known that its file names one."""
    return any(map(_is_accelerator, walk(node)))


def _is_accelerator(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in ("cuda", "current_accelerator")
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.split(":")[0] in ("cuda", "mps", "xpu", "npu") or (
            node.value.startswith("torch.cuda.") and node.value.endswith("Tensor")
        )
    return (
        isinstance(node, ast.Attribute)
        and node.attr.endswith("Tensor")
        and (isinstance(node.value, ast.Attribute) and node.value.attr == "cuda")
    )


@remembered
def binds_host(node: ast.stmt) -> bool:
    """Whether a piece of code lets a name stand for the CPU: ``device = "cpu"``."""
    return any(isinstance(part, ast.Assign) and _is_host(part.value) for part in statements_in(node))


def _is_host(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and len(node.args) == 1:
        name = called(node)
        return name == "device" and _is_host(node.args[0])
    return isinstance(node, ast.Constant) and node.value == "cpu"


#: What a plain option consists of.
FLAG_PARTS = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BoolOp, ast.UnaryOp, ast.Compare,
    ast.boolop, ast.unaryop, ast.cmpop, ast.expr_context, ast.Tuple, ast.List,
)  # fmt: skip


@remembered
def is_flag(test: ast.expr) -> bool:
    """Whether a test is a plain option: names, attributes, constants and their combinations."""
    for node in walk(test):
        if isinstance(node, ast.Call):
            if not isinstance(node.func, ast.Name) or node.func.id != "len":
                return False
        elif isinstance(node, ast.Subscript):
            if not isinstance(node.slice, ast.Constant) or not isinstance(node.slice.value, str):
                return False  # an entry of a configuration is an option, a tensor's size is not
        elif not isinstance(node, FLAG_PARTS):
            return False
    return True


#: Calls whose results are numbers of the data at hand.
_COUNTING = frozenset(
    "len size numel dim item random randint randrange uniform gauss normal rand randn bernoulli sum mean norm any all "
    "max min abs int float round sqrt exp log time perf_counter isnan isinf isfinite isclose allclose".split()
)

#: Calls that look whether a file is there.
_FILE_TESTS = frozenset({"exists", "lexists", "isfile", "is_file", "isdir", "is_dir"})


def called(node: ast.Call) -> str:
    """The name of the function or method that is called; "" where it has none."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def asks_for_file(test: ast.expr) -> bool:
    """Whether a test is ``os.path.exists(path)`` or the like: a first run and a resumed one differ."""
    asked = test.operand if isinstance(test, ast.UnaryOp) else test
    return isinstance(asked, ast.Call) and called(asked) in _FILE_TESTS


def concerns_file(test: ast.expr) -> bool:
    """Whether a test asks for a file, perhaps beside an option: ``args.resume and os.path.exists(args.resume)``."""
    return any(map(concerns_file, test.values)) if isinstance(test, ast.BoolOp) else asks_for_file(test)


@remembered
def depends_on_data(test: ast.expr) -> bool:
    """Whether a test is of the kind that comes out both ways in one run: arithmetic on numbers.

    ``step % 10 == 0`` and ``x.shape[0] <= 64`` are; options, types, devices and whatever calls
    code that may know about them are not.
    """
    if is_flag(test):
        return False
    if asks_for_file(test):
        return True
    for node in walk(test):
        if isinstance(node, ast.Call) and called(node) not in _COUNTING:
            return False
        if isinstance(node, ast.Attribute) and node.attr in _OF_PLACES:
            return False
        if isinstance(node, ast.Constant) and not isinstance(node.value, (int, float)):
            return False
    return any(isinstance(node, (ast.BinOp, ast.Subscript, ast.Call)) for node in walk(test))


def varies(test: ast.expr, loop: ast.For | ast.AsyncFor) -> bool:
    """Whether a test asks for what a round of a loop brings, and not for types or devices: some rounds pass it, others do not."""
    names = _asked_of_data(test)
    return bool(names) and not names.isdisjoint(_brought(loop))


@remembered
def names_in(node: ast.AST) -> frozenset[str]:
    """The names of variables and attributes in a piece of code."""
    parts = walk(node)
    return frozenset(
        part.id if isinstance(part, ast.Name) else part.attr
        for part in parts
        if isinstance(part, (ast.Name, ast.Attribute))
    )


@remembered
def _asked_of_data(test: ast.expr) -> frozenset[str]:
    """The names in a test; none where it is about types, devices or options of devices."""
    names = set()
    for node in walk(test):
        if isinstance(node, ast.Call) and called(node) not in _COUNTING:
            return frozenset()
        if isinstance(node, ast.Attribute) and node.attr in _OF_PLACES:
            return frozenset()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return frozenset()
        if isinstance(node, ast.Name):
            names.add(node.id)
    return frozenset(names)


_OF_PLACES = frozenset({"device", "is_cuda", "training", "type"})


@remembered
def _brought(loop: ast.For | ast.AsyncFor) -> frozenset[str]:
    """The names that a loop, or what stands in it, binds."""
    parts = (part for statement in (loop.target, *loop.body) for part in walk(statement))
    return frozenset(
        part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    )


@remembered
def data_names(scope: ast.AST) -> frozenset[str]:
    """The names of a function or a script that stand for tests of data.

    Those are ``teacher = random.random() < ratio``, and what each round of a loop is told anew:
    ``state, reward, done = env.step(action)``.
    """
    found: dict[str, list[bool]] = {}
    for part in statements_of(scope):
        if isinstance(part, ast.Assign) and len(part.targets) == 1 and isinstance(part.targets[0], ast.Name):
            if not isinstance(part.value, ast.Constant):
                found.setdefault(part.targets[0].id, []).append(_is_test_of_data(part.value))
        elif isinstance(part, (ast.For, ast.While)):
            for name in _told_by_calls(part):
                found.setdefault(name, []).append(True)
    return frozenset(name for name, kinds in found.items() if all(kinds))


def _told_by_calls(loop: ast.For | ast.While) -> Iterator[str]:
    for part in statements_in(loop):
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.Call) and not holds_accelerator(part):
            for target in part.targets:
                if isinstance(target, (ast.Tuple, ast.List)):
                    yield from (item.id for item in target.elts if isinstance(item, ast.Name))


def _is_test_of_data(value: ast.expr) -> bool:
    test = value.test if isinstance(value, ast.IfExp) else value
    return isinstance(test, ast.Compare) and depends_on_data(test)


def entry_of_items(loop: ast.AST | None, name: str) -> tuple[ast.expr, ast.Name] | None:
    """The dict and the key of ``for key, name in mapping.items()``; None for any other loop."""
    if not isinstance(loop, (ast.For, ast.AsyncFor)) or not isinstance(loop.target, (ast.Tuple, ast.List)):
        return None
    call, parts = loop.iter, loop.target.elts
    if not (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "items"
    ):
        return None
    key, value = parts if len(parts) == 2 else (None, None)
    if not (isinstance(key, ast.Name) and isinstance(value, ast.Name) and value.id == name):
        return None
    return call.func.value, key


#: Errors by which a program learns that something has not been made yet.
_MISSING = frozenset({"KeyError", "AttributeError", "IndexError", "LookupError", "FileNotFoundError"})


def names_what_is_missing(handler: ast.ExceptHandler) -> bool:
    """Whether a handler is that of a look-up: it makes what was not found."""
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return all(isinstance(each, ast.Name) and each.id in _MISSING for each in types)
