"""Named attributes: what a module's constructor keeps by ``setattr(self, name, tensor)``, and how it becomes a buffer."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import FileEdit, Origin, ReplaceExpression

_Function = ast.FunctionDef | ast.AsyncFunctionDef

#: What makes the numbers of which the names of a loop are put together.
_COUNTERS = ("range", "enumerate")


@dataclass(frozen=True, slots=True)
class NamedAttribute:
    """Attributes of a module that one call of ``setattr`` sets, and the method around it."""

    site: Origin
    outline: Outline
    call: ast.Call
    function: _Function

    @property
    def target(self) -> ast.Call:
        """The node that sets them."""
        return self.call

    @property
    def name(self) -> str:
        """The name of the attribute, or the expression that gives it."""
        given = self.call.args[1]
        literal = given.value if isinstance(given, ast.Constant) else None
        return literal if isinstance(literal, str) else self._text(given)

    @property
    def spoken(self) -> str:
        """What a person calls the attribute, or all that a computed name stands for."""
        is_written = isinstance(self.call.args[1], ast.Constant)
        return f"`{self.name}`" if is_written else f"what `setattr` calls `{self.name}`"

    @property
    def owner(self) -> str:
        """The name of the module's class."""
        cls = self.outline.class_of(self.function)
        return cls.name if cls is not None else "the module"

    def registering(self, facts: Facts) -> tuple[FileEdit, ...]:
        """The edit that registers what is set; none where that may be no tensor, or the name no name of a buffer."""
        if not (self._holds_tensors(facts) and self._is_named_well(facts)):
            return ()
        receiver, name, value = (self._text(arg) for arg in self.call.args)
        code = f"{receiver}.register_buffer({name}, {value}, persistent=False)"
        return (FileEdit(self.site.path, ReplaceExpression(self.outline.source.span(self.call), code)),)

    def _text(self, node: ast.expr) -> str:
        return self.outline.source.segment(self.outline.source.span(node))

    def _names(self, facts: Facts) -> list[str]:
        """What the attributes were called, where the call was followed."""
        statement = self.outline.source.span(self.outline.statement_of(self.call))
        known = facts.bindings(self.site.path, self.outline.scope(self.function))
        return [name for name, found in known.items() if any(each.statement == statement for each in found)]

    def _holds_tensors(self, facts: Facts) -> bool:
        """Whether nothing but tensors is ever kept under these names."""
        known = facts.bindings(self.site.path, self.outline.scope(self.function))
        names = self._names(facts)
        return bool(names) and all(each.kind == "tensor" for name in names for each in known[name])

    def _is_named_well(self, facts: Facts) -> bool:
        """Whether nothing else has these names in the class, and no name has a dot, which a buffer's must not have."""
        cls = self.outline.class_of(self.function)
        if cls is None:
            return False
        taken = {node.name for node in cls.body if isinstance(node, _Function)}
        taken |= {
            node.id
            for node in in_rows(cls)
            if isinstance(node, ast.Name) and _is_bound(node, self.outline, cls)
        }
        taken |= {
            node.attr
            for node in in_rows(self.function)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        }
        names = {name.partition(".")[2] for name in self._names(facts)}
        if all(name.isidentifier() for name in names):
            return not names & taken
        return all(name.isidentifier() or name == self.name for name in names) and self._is_numbered()

    def _is_numbered(self) -> bool:
        """Whether the name is a text with numbers in it that loops count."""
        given = self.call.args[1]
        if not isinstance(given, ast.JoinedStr):
            return False
        parts = [part.value for part in given.values if isinstance(part, ast.FormattedValue)]
        texts = [part.value for part in given.values if isinstance(part, ast.Constant)]
        counted = {name for loop in in_rows(self.function) for name in _counters(loop)}
        named = all(isinstance(part, ast.Name) and part.id in counted for part in parts)
        return named and not any("." in str(text) for text in texts)


def _is_bound(name: ast.Name, outline: Outline, cls: ast.ClassDef) -> bool:
    """Whether a name is bound in the body of a class."""
    return isinstance(name.ctx, ast.Store) and outline.definition_of(name) is cls


def _counters(loop: ast.AST) -> list[str]:
    """The names that a loop counts with."""
    if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Call):
        return []
    if not isinstance(loop.iter.func, ast.Name) or loop.iter.func.id not in _COUNTERS:
        return []
    first = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) and loop.target.elts else loop.target
    return [first.id] if isinstance(first, ast.Name) else []


def named_attribute(
    site: Origin, outline: Outline, node: ast.AST | None, function: _Function
) -> NamedAttribute | None:
    """What ``setattr(self, name, value)`` sets, which stands alone in a method; None for another node."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "setattr":
        return None
    if len(node.args) != 3 or node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    own, alone = node.args[0], isinstance(outline.parents[node], ast.Expr)
    receiver = outline.receiver_name(function)
    if not alone or not isinstance(own, ast.Name) or own.id != receiver:
        return None
    return NamedAttribute(site, outline, node, function)
