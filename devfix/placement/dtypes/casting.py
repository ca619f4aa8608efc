"""Casting: the ways to give one operand the dtype that the operation wants, best first."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from devfix.analysis.domain.lattice import DTYPE_ALIASES, DTYPES, FLOATS, INTEGERS
from devfix.analysis.record.facts import Facts
from devfix.findings import (
    Applicability,
    FileEdit,
    Fix,
    InsertAfter,
    InsertAtBodyStart,
    InsertBefore,
    Mismatch,
    Operand,
    Origin,
    ReplaceExpression,
    SetKeyword,
    Span,
)
from devfix.placement.devices.device_expression import Place
from devfix.placement.dtypes import (
    all_uses,
    cast_apart,
    complex_parts,
    divided_anew,
    double_island,
    dtype_keyword,
    filled,
    held_parts,
    lookups,
    quotients,
    shared_move,
    widening,
    written_binding,
    written_truths,
)
from devfix.placement.dtypes.dtype_expression import dtype_expression, follows, is_of_target
from devfix.placement.moves import gradient_function, suffixes
from devfix.placement.to_host.shared_memory import is_written_later

_Change = Callable[[Origin], tuple[FileEdit, ...]]

#: The method that casts to a dtype.
METHODS = {
    "float32": "float", "float64": "double", "float16": "half", "bfloat16": "bfloat16",
    "int64": "long", "int32": "int", "uint8": "byte", "bool": "bool",
}  # fmt: skip
#: The methods that cast and do no more.
CASTS = frozenset(METHODS.values())
#: The dtypes PyTorch has things in unless somebody says otherwise.
_DEFAULTS = ("float32", "int64", "bool")
#: Casts by which somebody chose how wide floats are.
_WIDTHS = ("half", "bfloat16")
#: More places than this are not changed together: one cast of their result is clearer.
_MAX_ENTRIES = 3


class Recaster:
    """Builds fixes that cast one operand of a mismatch to ``wanted``."""

    def __init__(self, facts: Facts, mismatch: Mismatch, operand: Operand, wanted: str) -> None:
        self.facts = facts
        self.mismatch = mismatch
        self.operand = operand
        self.wanted = wanted
        here = operand.span == mismatch.sink  # as of a backward, which names nothing of what it refuses
        names = [site.text for site in operand.trail if site.kind == "name"] if here else []
        self.name = names[-1] if names else operand.text
        self.title = f"cast `{self.name}` to {wanted}"
        decided = wanted in _DEFAULTS and not is_of_target(facts, mismatch, operand)
        self.follows = None if decided else dtype_expression(facts, mismatch)
        self.is_part = complex_parts.has(operand)

    def at_entry_first(self) -> list[Fix]:
        """Where the data enters torch, else on its way, else at the use.

        A dtype that somebody chose is followed where it is met, so that the choice stays theirs.
        """
        ways = self._at_entry_first()
        if filled.rounds(self.facts, self.mismatch):
            ways = [
                *self._written_as_floats(),
                *(replace(fix, applicability=Applicability.DISPLAY) for fix in ways),
            ]
        return [*filled.as_values(self.facts, self.mismatch), *ways]

    def _written_as_floats(self) -> list[Fix]:
        """What floats are written into is cast in the place of these."""
        values, whole = self.mismatch.operands[:2]
        known = values.dtype == "float32"
        return Recaster(self.facts, self.mismatch, whole, "float32").at_name() if known else []

    def _at_entry_first(self) -> list[Fix]:
        if self.wanted not in _DEFAULTS and (back := widening.undone(self.facts, self.operand, self.wanted)):
            return [Fix(self.title, back, Applicability.UNSAFE), *self._fixes(self._at_use())]
        if self.follows is not None:
            return self._fixes(self._at_use())
        island = double_island.widened(self.facts, self.mismatch, self.operand)
        if self.wanted == "float32" and island:
            return [Fix("cast to float64, as the function around computes", island, Applicability.UNSAFE)]
        apart = cast_apart.where_returned(self.facts, self.operand, self._suffix(), CASTS)
        if apart is not None:
            return self._fixes(apart, self._at_use(), self._after_unpacking())
        return self._fixes(
            self._at_entries(),
            held_parts.cast(self.facts, self.operand, self.wanted, self._suffix()),
            self._at_move(),
            self._at_gradient(),
            self._at_use(),
            self._after_unpacking(),
        )

    def at_entries(self) -> tuple[FileEdit, ...]:
        """The edits that cast where the data enters torch, if that can be done."""
        return self._at_entries()

    def at_use_first(self) -> list[Fix]:
        """A division or a cast on the way that is wrong is put right; else the cast goes to the use, or is made for all uses."""
        if self.operand.span == self.mismatch.sink:  # a backward refuses what is not written there
            return self._fixes(self._at_casts(), self._at_move(), self._after_unpacking(), self._at_entries())
        floored = quotients.floored(self.facts, self.operand) if self.wanted == "int64" else []
        casts = self._fixes(
            self._at_casts(),
            all_uses.cast(self.facts, self.mismatch, self.operand, self._suffix()),
            self._at_each(lookups.entries(self.facts, self.operand, self.wanted), self._at_entry),
            self._at_use(),
            self._after_unpacking(),
            self._at_entries(),
        )
        return [*floored, *casts]

    def at_factory(self) -> list[Fix]:
        """The factory call that is the sink makes the wanted dtype."""
        place = self._place(self.mismatch.path, self.mismatch.sink)
        return self._fixes(dtype_keyword.told(place, self.wanted)) if place is not None else []

    def at_use(self) -> list[Fix]:
        """Where the operation is, for a value that may serve other purposes as it is."""
        return self._fixes(self._at_use(), self._after_unpacking())

    def of_truths(self) -> list[Fix]:
        """Where the operation is, for ones and zeros; ``~`` makes other numbers of whole ones, all of them true."""
        turned = any(
            self._is_inverted(trail[0]) for trail in (self.operand.trail, *self.operand.roots) if trail
        )
        return [] if turned else self.at_use()

    def as_mask(self) -> list[Fix]:
        """Where a mask is made as numbers, to which nothing but truths is written."""
        return self._fixes(written_truths.at_factories(self.facts, self.operand))

    def _is_inverted(self, origin: Origin) -> bool:
        """Whether a value is what ``~`` made of whole numbers, or of what a run saw no more of than the result."""
        place = self._place(origin.path, origin.span) if origin.kind == "result" else None
        seen = (
            place is not None
            and isinstance(place.node, ast.UnaryOp)
            and isinstance(place.node.op, ast.Invert)
        )
        return seen or origin.kind == "inverted"

    def at_name(self) -> list[Fix]:
        """Where the value was given its name, for an operand that is written to, else where it is made."""
        made = written_binding.made(self.facts, self.operand)
        return self._fixes(self._at_binding(), self._at_entries() if made is None else self._wrap(made))

    def of_result(self) -> list[Fix]:
        """What is written to holds the result, or a sum that began as a number is divided into a tensor of its own."""
        return divided_anew.fixes(self.facts, self.mismatch) or self.at_name()

    def _fixes(self, *candidates: tuple[FileEdit, ...]) -> list[Fix]:
        """The fixes that work out; a width that nothing at hand stands for is for a person to choose."""
        chosen = self.wanted in _DEFAULTS or self.follows is not None
        trust = Applicability.UNSAFE if chosen else Applicability.DISPLAY
        found = dict.fromkeys(edits for edits in candidates if edits)
        return [Fix(self.title, edits, trust) for edits in found]

    def _at_entries(self) -> tuple[FileEdit, ...]:
        """Every call through which the data came into torch makes the wanted dtype."""
        if self.wanted not in _DEFAULTS:
            return ()  # other dtypes are somebody's choice, to be made where they are wanted
        if self.is_part:
            return complex_parts.cast(self.facts, self.operand, self.wanted)
        origins = [trail[0] for trail in self.operand.roots if trail]
        return self._at_each(
            {origin: None for origin in origins if not follows(self.facts, origin)}, self._at_entry
        )

    def _at_entry(self, origin: Origin) -> tuple[FileEdit, ...]:
        place = self._place(origin.path, origin.span)
        call = place.node if place is not None else None
        if place is None or not isinstance(call, ast.Call):
            return ()
        if origin.kind == "cast":
            chosen = self.mismatch.kind == "dtype" and getattr(call.func, "attr", "") not in CASTS
            return () if chosen else self._recast(place, call)
        if origin.kind not in ("array", "numpy", "factory") or is_written_later(place):
            return ()
        others = self.facts.entered_as(origin.path, origin.span) - {self.operand.dtype, self.wanted}
        if others or self._are_numbers_of_many(place):
            return ()  # what else becomes a tensor there is none of these, and stays what it is
        if self.mismatch.kind == "dtype" and any(keyword.arg == "dtype" for keyword in call.keywords):
            return ()  # somebody computes in this dtype; what comes out is cast
        if edits := dtype_keyword.told_factory(place, self.wanted):
            return edits
        return self._wrap(place)

    def _are_numbers_of_many(self, place: Place) -> bool:
        """Whether whole numbers are to be floats, and others come from the same place, which may be indices."""
        whole, use = self.operand.dtype in INTEGERS, self._place(self.operand.path, self.operand.span)
        return whole and self._is_float() and shared_move.makes_others(place, use)

    def _at_casts(self) -> tuple[FileEdit, ...]:
        """``.double()`` on what should be an index becomes ``.long()``."""
        origins = {trail[0]: None for trail in self.operand.roots if trail}
        if any(origin.kind != "cast" for origin in origins) or self._is_from_loader():
            return ()
        if self.operand.trail and self.operand.trail[0].kind == "result":
            return ()  # somebody computes with what is cast there
        return self._at_each(origins, self._at_entry)

    def _is_from_loader(self) -> bool:
        """Whether the value was part of a dataset, where others may rely on its dtype."""
        return any(site.kind == "loader" for trail in self.operand.roots for site in trail)

    def _recast(self, place: Place, call: ast.Call) -> tuple[FileEdit, ...]:
        func = call.func
        if not isinstance(func, ast.Attribute) or func.attr not in CASTS or call.args or call.keywords:
            return self._wrap(place)
        receiver, suffix = place.outline.receiver_text(call), self._suffix()
        if receiver is None or not suffix:
            return self._wrap(place)
        if self.follows is None and func.attr in _WIDTHS and self._is_float():
            return ()  # chosen for a model elsewhere, where this would be wrong
        # A cast that somebody put behind the wanted one is taken away.
        code = receiver if receiver.endswith(suffix) else f"{receiver}{suffix}"
        return (FileEdit(place.path, ReplaceExpression(place.outline.source.span(call), code)),)

    @staticmethod
    def _at_each(origins: dict[Origin, None], change: _Change) -> tuple[FileEdit, ...]:
        if not origins or len(origins) > _MAX_ENTRIES:
            return ()
        edits: dict[FileEdit, None] = {}
        for origin in origins:
            changed = change(origin)
            if not changed:
                return ()
            edits.update(dict.fromkeys(changed))
        return tuple(edits)

    def _at_move(self) -> tuple[FileEdit, ...]:
        """Before the one move that the value makes, so that less is moved (and MPS can follow), or by it."""
        moves = {site: None for trail in self.operand.roots for site in trail if site.kind == "move"}
        if len(moves) != 1 or self.is_part:
            return ()
        site = next(iter(moves))
        place = self._place(site.path, site.span)
        call = place.node if place is not None else None
        func = call.func if isinstance(call, ast.Call) else None
        if (
            place is None
            or not isinstance(call, ast.Call)
            or not isinstance(func, ast.Attribute)
            or func.attr in ("type", "type_as")
        ):
            return ()  # these cast as well, whatever came before
        if len(call.args) > 1 or any(keyword.arg is None for keyword in call.keywords):
            return ()  # so may a move that is told more than the device
        use = self._place(self.operand.path, self.operand.span)
        if shared_move.serves_others(place, func.value, use) or self._are_numbers_of_many(place):
            return ()
        told = next((keyword.value for keyword in call.keywords if keyword.arg == "dtype"), None)
        if told is None:
            return self._wrap(Place(place.path, place.outline, func.value))
        if not (isinstance(told, ast.Attribute) and isinstance(told.value, ast.Name)):
            return ()
        if told.attr not in DTYPES and told.attr not in DTYPE_ALIASES:
            return ()  # ``dtype=options.dtype`` names no module that has the others
        return (FileEdit(place.path, SetKeyword(site.span, "dtype", f"{told.value.id}.{self.wanted}")),)

    def _at_binding(self) -> tuple[FileEdit, ...]:
        """The right-hand side of the last assignment that gave the value a name."""
        for target, value in () if self.is_part else written_binding.values(self.facts, self.operand):
            return (
                written_binding.before_use(self.facts, self.operand, target, self._suffix())
                or dtype_keyword.told_another(value, self.wanted)
                or (dtype_keyword.told_factory(value, self.wanted) if self.wanted in FLOATS else ())
                or self._wrap(value)
            )
        return ()

    def _after_unpacking(self) -> tuple[FileEdit, ...]:
        """One ``x = x.float()`` at the top of the loop that takes the value out of a batch, or behind the statement that does."""
        for trail in () if self.is_part else (self.operand.trail, *self.operand.roots):
            for site in reversed(trail):
                edits = self._at_loop(site) if site.kind == "name" else ()
                if edits:
                    return edits
        return ()

    def _at_loop(self, site: Origin) -> tuple[FileEdit, ...]:
        place = self._place(site.path, site.span)
        if place is None or not isinstance(place.node, ast.Name):
            return ()
        statement = place.outline.statement_of(place.node)
        suffix = self._suffix()
        if not suffix:
            return ()
        code = f"{place.node.id} = {place.node.id}{suffix}"
        span = place.outline.source.span(statement)
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            return (FileEdit(place.path, InsertAtBodyStart(span, code)),)
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], (ast.Tuple, ast.List)):
            return (FileEdit(place.path, InsertAfter(span, code)),)
        return ()

    def _at_gradient(self) -> tuple[FileEdit, ...]:
        """``grad = grad.float()`` in the ``backward`` of an autograd function, before it meets what was not cast."""
        place = self._place(self.operand.path, self.operand.span)
        name, suffix = gradient_function.gradient(place) if place is not None else "", self._suffix()
        if place is None or not name or not suffix:
            return ()
        span = place.outline.source.span(gradient_function.first_use(place, name))
        return (FileEdit(place.path, InsertBefore(span, f"{name} = {name}{suffix}")),)

    def _at_use(self) -> tuple[FileEdit, ...]:
        place = self._place(self.operand.path, self.operand.span)
        if place is None or self.operand.held or self.operand.span == self.mismatch.sink or _is_called(place):
            return ()
        if isinstance(place.node, ast.Call):
            made = self.operand.trail[:1] and self.operand.trail[0].span == self.operand.span
            told = dtype_keyword.told_factory(place, self.wanted) if made and self.follows is None else ()
            return told or self._recast(place, place.node)  # a cast right there is replaced, not doubled
        return self._wrap(place)

    def _suffix(self) -> str:
        """What casts an expression to the wanted dtype."""
        if self.follows is not None:
            return f".to({self.follows})"
        return f".{METHODS[self.wanted]}()" if self.wanted in METHODS else ""

    def _is_float(self) -> bool:
        return self.wanted.startswith(("float", "bfloat"))

    def _wrap(self, place: Place) -> tuple[FileEdit, ...]:
        if _is_cast_there(place):
            return ()
        return suffixes.added(self.facts, place.outline, place.node, self._suffix())

    def _place(self, path: str, span: Span) -> Place | None:
        if path not in self.facts.program.sources:
            return None
        outline = self.facts.outline(path)
        node = outline.expression_at(span)
        return Place(path, outline, node) if node is not None else None


def with_targets(facts: Facts, fixes: list[Fix]) -> list[Fix]:
    """The fixes, the first also casting float64 targets that come from NumPy in the same files.

    Losses promote, but their gradient is refused up to torch 2.11 ("Found dtype Double but
    expected Float"), so that data cast to float32 would only fail later.
    """
    if not fixes:
        return fixes
    first, *others = fixes
    paths = {edit.path for edit in first.edits}
    edits = dict.fromkeys(first.edits)
    for mismatch in facts.mismatches("target-width"):
        target = mismatch.operands[0]
        more = Recaster(facts, mismatch, target, "float32").at_entries()
        if all(edit.path in paths for edit in more):
            edits.update(dict.fromkeys(more))
    return [Fix(first.title, tuple(edits), first.applicability), *others]


def _is_cast_there(place: Place) -> bool:
    """Whether a cast follows right there, before which another one is in vain."""
    method = place.outline.parents.get(place.node)
    if not isinstance(method, ast.Attribute) or method.attr not in CASTS:
        return False
    call = place.outline.parents.get(method)
    return isinstance(call, ast.Call) and call.func is method


def _is_called(place: Place) -> bool:
    """Whether an expression stands for the module that is called there, whose parameters are no values of the call's."""
    call = place.outline.parents.get(place.node)
    return isinstance(call, ast.Call) and call.func is place.node
