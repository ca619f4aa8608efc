"""Trainer devices: a class derived from the Trainer of transformers knows by ``self.args.device`` where it moves what it is given."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices import constructed
from devfix.placement.text.dependence import dotted

if TYPE_CHECKING:
    from devfix.placement.devices.device_expression import Place

_TRAINERS = frozenset({"transformers.Trainer", "transformers.Seq2SeqTrainer"})
#: What such a class has of its own where the device is another one, or none that is known.
_OWN = ("args", "_move_model_to_device")


def told(facts: Facts, place: Place) -> str | None:
    """``self.args.device`` in the constructor of such a class, once that of the Trainer has run.

    Elsewhere there are tensors at hand, which are where the model put them.
    """
    outline = place.outline
    function = outline.function_of(place.node)
    receiver = outline.receiver_name(function)
    cls = outline.class_of(function) if function is not None else None
    if function is None or receiver is None or cls is None or function.name != "__init__":
        return None
    ready = constructed.is_after_base(outline, function, outline.statement_of(place.node))
    return f"{receiver}.args.device" if ready and _is_usual(facts, outline, cls) else None


def _is_usual(facts: Facts, outline: Outline, cls: ast.ClassDef) -> bool:
    """Whether a class is derived from a Trainer, by classes that leave the device to it."""
    family = [(outline, cls)]
    family += [(facts.outline(path), base) for path, base in constructed.placed_bases(facts, cls)]
    named = (_whole_name(home, base) for home, each in family for base in each.bases)
    own = (part for _, each in family for part in in_rows(each))
    return any(name in _TRAINERS for name in named) and not any(map(_has_its_own, own))


def _whole_name(outline: Outline, base: ast.expr) -> str:
    """``transformers.Trainer``, by whatever name the file has it."""
    head, _, rest = (dotted(base) or "").partition(".")
    return f"{outline.imported.get(head, '')}.{rest}".strip(".")


def _has_its_own(node: ast.AST) -> bool:
    """Whether a class places the model itself, or sets the options anew."""
    if isinstance(node, ast.FunctionDef):
        return node.name in _OWN
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr in _OWN
