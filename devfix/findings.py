"""The plain data that crosses every border: positions, mismatches, edits, fixes, findings.

Everything here is frozen, hashable and picklable, holds no syntax node, and imports nothing of
devfix but how records are made, and the spans, which are offered here as well.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from devfix.records import frozen
from devfix.span import Span as Span  # noqa: PLC0414 - it is imported from here, like all that crosses borders


class Applicability(enum.IntEnum):
    """How far a fix can be trusted; the order is the order of trust.

    DISPLAY
        Advice: shown, never applied.
    UNSAFE
        Changes numbers, order, what is serialised, or where code runs; applied on request.
    SAFE
        On a machine without an accelerator the program does exactly what it did; with one it
        stops failing.
    """

    DISPLAY = 0
    UNSAFE = 1
    SAFE = 2


@dataclass(frozen=True, slots=True)
class WrapExpression:
    """Put ``prefix`` and ``suffix`` around the expression at ``span``.

    An expression that binds looser than a call is parenthesised first when ``suffix`` begins
    with a dot, so ``a + b`` with suffix ``.to(device)`` becomes ``(a + b).to(device)``.
    """

    span: Span
    prefix: str = ""
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class ReplaceExpression:
    """Replace the expression at ``span`` by the expression ``code``."""

    span: Span
    code: str


@dataclass(frozen=True, slots=True)
class SetKeyword:
    """Give the call at ``span`` the keyword ``name=value``, replacing the one it has.

    A new keyword goes last, but before ``**kwargs``; a trailing comma and the one-per-line layout
    of the call are kept.
    """

    span: Span
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class RemoveKeyword:
    """Take the keyword ``name`` (and its comma) from the call at ``span``."""

    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class AddParameter:
    """Give the function at ``span`` the parameter ``name`` with the default ``value``.

    It goes last, but before ``**kwargs``; a trailing comma and the one-per-line layout are kept.
    """

    span: Span
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class DropCall:
    """Replace the method call at ``span`` by its receiver: ``x.to(device)`` becomes ``x``.

    ``span`` is that of the whole call. Where the call is a statement of its own the statement
    goes, and so does an assignment of which ``x = x`` is left; a body left empty gets ``pass``.
    """

    span: Span


@dataclass(frozen=True, slots=True)
class BindResult:
    """Turn the expression statement at ``span`` into an assignment to ``target``."""

    span: Span
    target: str


@dataclass(frozen=True, slots=True)
class AssignmentToCall:
    """Turn the assignment at ``span`` into a statement of ``prefix``, its value and ``suffix``.

    With the prefix ``self.register_buffer("a", `` and the suffix ``)``, ``self.a = b`` becomes
    ``self.register_buffer("a", b)``. The assignment has one target; a comment beside it stays.
    """

    span: Span
    prefix: str
    suffix: str


@dataclass(frozen=True, slots=True)
class InsertBefore:
    """Put the statements ``code`` (dedented source) before the statement at ``span``."""

    span: Span
    code: str


@dataclass(frozen=True, slots=True)
class InsertAfter:
    """Put the statements ``code`` (dedented source) after the statement at ``span``.

    What several edits put there stands in the order of their ``rank``.
    """

    span: Span
    code: str
    rank: int = 0


@dataclass(frozen=True, slots=True)
class InsertAtBodyStart:
    """Put ``code`` at the top of the body of the compound statement at ``span``.

    A docstring stays first. A one-line body (``for x in y: f(x)``) is laid out on lines of its own.
    What several edits put there stands in the order of their ``rank``.
    """

    span: Span
    code: str
    rank: int = 0


@dataclass(frozen=True, slots=True)
class DeleteStatement:
    """Take away the statement at ``span`` with the comments on its own line.

    A body left empty gets ``pass``. Comments on the lines above stay.
    """

    span: Span


@dataclass(frozen=True, slots=True)
class MoveStatement:
    """Move the statement at ``span`` to just ``after`` (or just ``before``) another statement.

    Exactly one of ``after`` and ``before`` is given. The statement takes its own leading comments
    along and is re-indented to its new block.
    """

    span: Span
    after: Span | None = None
    before: Span | None = None


@dataclass(frozen=True, slots=True)
class InsertAfterImports:
    """Put ``code`` (dedented source) after the module's last top-level import, once."""

    code: str


@dataclass(frozen=True, slots=True)
class AddImport:
    """Add ``import module`` or ``from module import name`` (``as alias``) unless it is there."""

    module: str
    name: str | None = None
    alias: str | None = None


Edit = (
    WrapExpression
    | ReplaceExpression
    | SetKeyword
    | RemoveKeyword
    | AddParameter
    | DropCall
    | BindResult
    | AssignmentToCall
    | InsertBefore
    | InsertAfter
    | InsertAtBodyStart
    | DeleteStatement
    | MoveStatement
    | InsertAfterImports
    | AddImport
)


@dataclass(frozen=True, slots=True)
class ReplaceComment:
    """Replace the comment at ``span`` by ``text``; an empty text takes it away.

    Comments are no part of the syntax, so this is an edit of the text and no member of ``Edit``.
    """

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class FileEdit:
    """One edit and the file it belongs to (a path as the project knows it)."""

    path: str
    edit: Edit | ReplaceComment


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that belong together: all of them are applied, or none.

    ``title`` completes the sentence "Fix: ..." in the imperative, e.g. "move `images` to `device`".
    A fix waits for its ``turn``, until none with a lower one is left: they may make it needless.
    """

    title: str
    edits: tuple[FileEdit, ...]
    applicability: Applicability
    turn: int = field(default=0, compare=False)


@frozen
class Origin:
    """One place in the life of a value: where it was made, bound, stored or handed on.

    ``kind`` is one of :data:`devfix.origin_kinds.ORIGIN_KINDS`; ``text`` is the source of what stands at ``span``,
    shortened for messages; ``scope`` is the qualified name of the function around it ("" for the
    module).
    """

    kind: str
    path: str
    span: Span
    text: str
    scope: str = ""

    def __hash__(self) -> int:
        # Trails are hashed by the hundred thousand: what tells origins apart is enough.
        return hash((self.kind, self.path, self.span.line, self.span.column, self.span.end_column))


@dataclass(frozen=True, slots=True)
class Operand:
    """One value that takes part in a mismatch.

    ``role`` names the operand as PyTorch's documentation does ("input", "weight", "target",
    "index"). ``device`` and ``dtype`` are printable names ("cpu", "cuda", "float64") or None when
    they are unknown or do not matter here. ``trail`` tells the life of this very value from where
    it was made to where it is used; ``roots`` holds the trails of the values it was computed from,
    as far as they share the device (or dtype) that does not fit.
    ``held``: the expression is no tensor but holds one, so it need not have a tensor's methods.
    """

    text: str
    role: str
    path: str
    span: Span
    device: str | None = None
    dtype: str | None = None
    trail: tuple[Origin, ...] = ()
    roots: tuple[tuple[Origin, ...], ...] = ()
    held: bool = False


#: Kinds of mismatch in which the dtypes of the operands do not fit: it matters where those come from.
OF_DTYPES = frozenset(
    "dtype index-dtype target-dtype target-width in-place-dtype mask-dtype float-dtype narrow-float array-dtype "
    "float64-on-mps value-range".split()
)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Operands that meet (the sink) and do not fit together; the one currency of every witness.

    ``kind`` says which requirement is broken (see ``devfix.analysis.record.facts`` for the closed list),
    ``operation`` the canonical name of what brings them together, e.g. ``torch.nn.Linear``.
    ``detail`` holds further facts a rule needs, as sorted ``(key, value)`` pairs of strings.
    """

    kind: str
    path: str
    sink: Span
    operation: str
    operands: tuple[Operand, ...] = ()
    detail: tuple[tuple[str, str], ...] = ()

    def get(self, key: str) -> str | None:
        """The value of ``key`` in ``detail``, or None."""
        return dict(self.detail).get(key)


@dataclass(frozen=True, slots=True)
class Note:
    """A place that explains a finding, such as where an operand came from."""

    path: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault in the user's code, as reported by one rule.

    ``marks`` are the operands to underline, ``notes`` tell where they came from. ``alternatives``
    are other fixes, in order of preference, for when ``fix`` turns out to do damage elsewhere.
    ``focus`` is the operand to blame, where it stands within ``span``.
    """

    path: str
    span: Span
    code: str
    rule: str
    message: str
    notes: tuple[Note, ...] = ()
    marks: tuple[Note, ...] = ()
    fix: Fix | None = None
    alternatives: tuple[Fix, ...] = ()
    focus: Span | None = None
