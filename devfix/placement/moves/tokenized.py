"""Tokenized: moving what a tokenizer returns, where it returns it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.findings import Applicability, FileEdit, Fix, Mismatch, Operand, Origin, WrapExpression
from devfix.placement.blaming.causes import sites_of
from devfix.placement.devices import device_expression
from devfix.placement.devices.device_expression import Place

_OF_PARAMETERS = re.compile(r"next\((.+)\.parameters\(\)\)\.device")


class Tokenized:
    """Builds the fix for tensors of a tokenizer that meet a model on the accelerator."""

    def __init__(self, facts: Facts, mismatch: Mismatch, operand: Operand) -> None:
        self.facts = facts
        self.mismatch = mismatch
        self.operand = operand
        self.peers = [o for o in mismatch.operands if o is not operand and o.device not in ("cpu", None)]

    @classmethod
    def each(cls, facts: Facts, found: list[tuple[Mismatch, Operand]]) -> Iterator[Tokenized]:
        """One for each call of a tokenizer; where the model is called says most about it."""
        seen: set[Origin | None] = set()
        for mismatch, operand in sorted(found, key=lambda pair: not _is_pretrained(pair[0])):
            made = cls(facts, mismatch, operand)
            if made.made_at not in seen:
                seen.add(made.made_at)
                yield made

    @property
    def made_at(self) -> Origin | None:
        """The tokenizer's call."""
        return next((site for site in sites_of(self.operand) if site.kind == "tokenizer"), None)

    def fixes(self) -> list[Fix]:
        """``tokenizer(...)`` becomes ``tokenizer(...).to(device)``: the whole batch moves."""
        made = self.made_at
        if made is None:
            return []
        outline = self.facts.outline(made.path)
        node = outline.expression_at(made.span)
        if node is None:
            return []
        place = Place(made.path, outline, _picked(outline, node))
        found = device_expression.find(self.facts, place, self.peers)
        if found is None:
            return []
        code = found.code
        if _is_pretrained(self.mismatch):
            code = _OF_PARAMETERS.sub(r"\1.device", code)  # models of transformers know their device
        edit = WrapExpression(outline.source.span(place.node), "", f".to({code})")
        title = "move what the tokenizer returns"
        return [Fix(title, (*found.edits, FileEdit(made.path, edit)), Applicability.SAFE)]


def _is_pretrained(mismatch: Mismatch) -> bool:
    return (mismatch.get("module") or "").startswith("transformers.")


def _picked(outline: Outline, call: ast.expr) -> ast.expr:
    """``tokenizer(...).input_ids`` and ``tokenizer(...)["input_ids"]`` take one tensor out at once."""
    parent = outline.parents.get(call)
    if not isinstance(parent, (ast.Attribute, ast.Subscript)) or parent.value is not call:
        return call
    around = outline.parents.get(parent)
    is_method = isinstance(around, ast.Call) and around.func is parent
    return call if is_method else parent
