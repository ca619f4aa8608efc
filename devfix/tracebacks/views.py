"""Views: the code of a frame as a syntax tree, and the operation in it that failed."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

from devfix.findings import Span
from devfix.source import Source
from devfix.tracebacks.scene import Placed, Tail
from devfix.tracebacks.signatures import CALLS, operator_key

_OPERATIONS = (ast.Call, ast.BinOp, ast.Compare, ast.AugAssign, ast.Subscript, ast.UnaryOp)
_MAX_CODE = 10_000


@dataclass(frozen=True, slots=True)
class View:
    """The code around a place: its source, the line that failed and the part that is underlined."""

    source: Source
    line: int
    mark: Span | None = None
    from_file: bool = False

    def text(self, node: ast.AST) -> str:
        """The source of a node, on one line."""
        return " ".join(self.source.segment(self.source.span(node)).split())


def view_of(placed: Placed, *, marked: bool = False) -> View | None:
    """The view of a frame: from its file when that still holds the code, else from the paste alone.

    ``marked`` says that the traceback underlines: a frame without a mark then means all of its line.
    """
    source = placed.source
    if marked and placed.frame.mark is None and placed.frame.code and "\n" not in placed.frame.code:
        whole = Span(1, 0, 1, len(placed.frame.code.rstrip()))
        placed = replace(placed, frame=replace(placed.frame, mark=whole))
    if source is not None and placed.line:
        return View(source, placed.line, placed.marked, from_file=True)
    code = placed.frame.code
    if not code or len(code) > _MAX_CODE:
        return None
    for text in _completed(code):
        parsed = Source("<traceback>", text)
        if _parses(parsed):
            return View(parsed, 1, placed.frame.mark)
    return None


def _parses(source: Source) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(source.tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


_CLOSING = {"(": ")", "[": "]", "{": "}"}


def _completed(code: str) -> Iterator[str]:
    """The code of a frame, and how it may go on where the paste shows one line of several."""
    yield code
    head = code.rstrip().rstrip("\\").rstrip()
    if head.endswith(":"):
        yield f"{head} pass"
        word = head.partition(" ")[0].rstrip(":")
        yield {"elif": f"if{head[4:]} pass", "except": "pass", "else": "pass"}.get(word, "pass")
    opened = _unclosed(head)
    if opened:
        yield head.rstrip(",") + "".join(_CLOSING[bracket] for bracket in reversed(opened))
        yield head + " None" + "".join(_CLOSING[bracket] for bracket in reversed(opened))
    stripped = head.rstrip(",")
    yield stripped
    # One line out of the middle of a call: `x=features,` or `images, labels)`.
    yield f"({stripped})"
    yield f"_({stripped})"
    yield stripped.rstrip(")]}").rstrip(",")


def _unclosed(code: str) -> list[str]:
    opened: list[str] = []
    for character in code:
        if character in _CLOSING:
            opened.append(character)
        elif character in ")]}" and opened and _CLOSING[opened[-1]] == character:
            opened.pop()
    return opened


def operation(view: View, tail: Tail, operator: str = "") -> ast.AST | None:
    """The expression (or statement) that handed its operands to the library; None when it is unclear."""
    every: list[ast.AST] = [
        node for node in ast.walk(view.source.tree) if isinstance(node, (*_OPERATIONS, ast.For))
    ]
    if view.mark is not None:
        marked = _marked(view, view.mark, every)
        if marked is not None:
            return _with_value(view, marked)
    nodes = [node for node in every if _is_on(view, node)]
    if tail.entry == "loop":
        return next((node for node in nodes if isinstance(node, ast.For)), None)
    ranked = [(_rank(node, tail, operator), node) for node in nodes]
    best = max((rank for rank, _ in ranked), default=0)
    fitting = [node for rank, node in ranked if rank == best and rank]
    if len(fitting) > 1:
        fitting = _by_sound(fitting, tail) or _not_called(fitting)
    return _with_value(view, fitting[0]) if len(fitting) == 1 else None


def _is_on(view: View, node: ast.AST) -> bool:
    span = view.source.span(node)
    if isinstance(node, ast.For):
        return span.line == view.line
    return span.line <= view.line <= span.end_line


def _marked(view: View, mark: Span, nodes: list[ast.AST]) -> ast.AST | None:
    """The node that is underlined, or else the smallest one around it."""
    # What stands in the body of a loop is no part of the loop's own operation.
    inside = [node for node in nodes if not isinstance(node, ast.For) or _is_on(view, node)]
    around = [node for node in inside if view.source.span(node).contains(mark)]
    exact = [node for node in around if view.source.span(node) == mark]
    if exact:
        return exact[-1]
    return min(around, key=lambda node: _size(view.source.span(node)), default=None)


def _size(span: Span) -> tuple[int, int]:
    return (span.end_line - span.line, span.end_column - span.column)


def _with_value(view: View, node: ast.AST) -> ast.AST:
    """``x[i]`` that is assigned to is the assignment, which has an operand more."""
    if not (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)):
        return node
    statements = (
        each for each in ast.walk(view.source.tree) if isinstance(each, (ast.Assign, ast.AugAssign))
    )
    return next(
        (
            each
            for each in statements
            if node in (getattr(each, "target", None), *getattr(each, "targets", ()))
        ),
        node,
    )


#: Functions of Python and plain methods that hand no operands to an operator.
_PLAIN_CALLS = frozenset(
    "print len range enumerate zip int float str list tuple dict set isinstance getattr item tolist size dim numel to cpu cuda detach double half long bool"
    " append items keys values format join super view reshape unsqueeze squeeze permute transpose contiguous zero_grad clone requires_grad_ parameters"
    " tensor as_tensor from_numpy zeros ones full empty rand randn randint arange linspace eye zeros_like ones_like rand_like randn_like full_like manual_seed device".split()
)
#: Calls that end in another operator than the one they are named after.
_ENDS_IN = {
    "stack": "cat",
    "hstack": "cat",
    "vstack": "cat",
    "concat": "cat",
    "concatenate": "cat",
    "einsum": "bmm",
    "solve": "linalg",
}
_ARITHMETIC = (ast.BinOp, ast.Compare, ast.AugAssign)


def _rank(node: ast.AST, tail: Tail, operator: str) -> int:
    """How well the library, entered as it was, fits to a node; 0 when it does not."""
    if isinstance(node, ast.Call):
        return _rank_of_call(node, tail, operator)
    if tail.entry or isinstance(node, ast.For):
        return 0
    if isinstance(node, ast.Subscript):
        whole = isinstance(node.slice, (ast.Constant, ast.Slice, ast.Tuple))
        return 3 if operator.startswith("index") and not whole else 0
    product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
    if operator in ("mm", "bmm", "addmm", "addmv", "dot", "mv"):
        return 3 if product else 0
    return 2 if isinstance(node, _ARITHMETIC) and not product and not operator else 0


def _rank_of_call(node: ast.Call, tail: Tail, operator: str) -> int:
    name = name_of_call(node)
    if tail.entry == "module":
        constructor = name[:1].isupper() or name in _PLAIN_CALLS
        return 0 if constructor else 1 if name in CALLS else 2
    if tail.entry and name == tail.entry:
        return 3
    if name in _PLAIN_CALLS:
        return 0
    if tail.entry:
        return 1  # a decorator gave the function another name
    bare = name.rstrip("_")
    if operator and (
        operator_key(operator, (bare, _ENDS_IN.get(bare, bare)))
        or operator.rpartition(".")[2].startswith(bare)
    ):
        return 3
    return 2 if name in CALLS else 1


def _not_called(nodes: list[ast.AST]) -> list[ast.AST]:
    """Without those that others call, such as ``Net()`` in ``Net()(x)``."""
    called = {id(inner) for node in nodes if isinstance(node, ast.Call) for inner in ast.walk(node.func)}
    return [node for node in nodes if id(node) not in called]


def _by_sound(nodes: list[ast.AST], tail: Tail) -> list[ast.AST]:
    """Of several calls of modules, those that a loss (or a layer) would be called by."""
    if tail.entry != "module":
        return []
    losses: list[ast.AST] = [node for node in nodes if isinstance(node, ast.Call) and _sounds_like_loss(node)]
    return losses if tail.file == "loss" else [node for node in nodes if node not in losses]


def _sounds_like_loss(call: ast.Call) -> bool:
    name = name_of_call(call).lower()
    return any(word in name for word in ("loss", "crit", "entropy", "objective"))


def name_of_call(call: ast.Call) -> str:
    """The last part of the name of what is called."""
    func = call.func
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""
