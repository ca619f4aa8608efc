"""Registration: plain attributes of a Module become buffers and submodules, which ``to`` moves."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.analysis.text.vocabulary import vocabulary
from devfix.findings import (
    Applicability,
    AssignmentToCall,
    FileEdit,
    Fix,
    InsertAfter,
    Mismatch,
    Operand,
    Origin,
    ReplaceExpression,
)
from devfix.placement.devices.boundness import contains
from devfix.placement.devices.device_expression import Place
from devfix.placement.modules import inherited_names
from devfix.placement.modules.named_attribute import NamedAttribute, named_attribute
from devfix.placement.moves import own_move
from devfix.placement.siblings import twin_move
from devfix.placement.text import provenance
from devfix.placement.text.dependence import dotted
from devfix.placement.text.naming import given

_Function = ast.FunctionDef | ast.AsyncFunctionDef

#: What makes a tensor of a tensor, elsewhere or of another dtype.
_MOVES_AND_CASTS = frozenset({"to", "cuda", "cpu", "type", "half", "bfloat16", "float", "double"})


@dataclass(frozen=True, slots=True)
class Attribute:
    """A plain attribute of a module: the target that sets it, its name and the method around it."""

    site: Origin
    outline: Outline
    target: ast.Attribute
    function: _Function

    @property
    def name(self) -> str:
        """The name of the attribute."""
        return self.target.attr

    @property
    def spoken(self) -> str:
        """What a person calls the attribute."""
        return f"`{self.name}`"

    @property
    def owner(self) -> str:
        """The name of the module's class."""
        cls = self.outline.class_of(self.function)
        return cls.name if cls is not None else "the module"


def _kept_at(facts: Facts, site: Origin) -> Attribute | NamedAttribute | None:
    """What is set at ``site``, under a name that is written there or computed."""
    if site.path not in facts.program.sources:
        return None
    outline = facts.outline(site.path)
    node = outline.expression_at(site.span)
    function = outline.function_of(node) if node is not None else None
    named = named_attribute(site, outline, node, function) if isinstance(function, _Function) else None
    return named or attribute_at(facts, site)


def attribute_at(facts: Facts, site: Origin) -> Attribute | None:
    """The attribute that is set at ``site``."""
    if site.path not in facts.program.sources:
        return None
    outline = facts.outline(site.path)
    node = outline.expression_at(site.span)
    function = outline.function_of(node) if node is not None else None
    if not isinstance(node, ast.Attribute) or function is None:
        return None
    receiver = outline.receiver_name(function)
    if not isinstance(node.value, ast.Name) or node.value.id != receiver:
        return None
    return Attribute(site, outline, node, function)


def plain_attributes(facts: Facts, mismatch: Mismatch) -> list[Attribute | NamedAttribute]:
    """The plain tensor attributes through which the operands of a mismatch stay on the CPU."""
    found: dict[Origin, Attribute | NamedAttribute] = {}
    for operand in mismatch.operands:
        if operand.device != "cpu":
            continue
        for site in _sites(facts, operand):
            attribute = _kept_at(facts, site)
            if attribute is not None:
                found[site] = attribute
    return list(found.values())


def _sites(facts: Facts, operand: Operand) -> list[Origin]:
    """Where the operand, or else what it was computed from, became an attribute.

    Of a module that hands on what it keeps, and is seen to be left behind itself, where it keeps it.
    """
    own = _kept(operand.trail)
    if own:
        return own[:1] if _is_left_behind(facts, own) else own[-1:]
    kept = [_kept(root) for root in operand.roots]
    return [site for life in kept for site in (life[:1] if _is_left_behind(facts, life) else life)]


def _kept(life: tuple[Origin, ...]) -> list[Origin]:
    """Where modules keep a value, in order."""
    return [site for site in life if site.kind == "module-attribute"]


def _is_left_behind(facts: Facts, kept: list[Origin]) -> bool:
    """Whether what several modules keep meets the accelerator where the first of them keeps it, too."""
    lives = map(_kept, provenance.left_behind(facts))
    return len(kept) > 1 and any(life == kept[:1] for life in lives)


def buffer_fix(facts: Facts, attributes: list[Attribute | NamedAttribute]) -> Fix | None:
    """Registers all of ``attributes`` as buffers, which keeps the ``state_dict`` as it is.

    A module that has a ``to`` of its own for its attributes moves them there, as the others; and what is made as its
    neighbour is moves as that does. A leaf would be another tensor by then than an optimizer has.
    """
    used = [attribute for attribute in attributes if _is_read_elsewhere(attribute)] or attributes[:1]
    if any(_is_leaf(facts, attribute) for attribute in used):
        return None
    if (moved := _as_others(facts, used)) is not None:
        return moved
    edits: dict[FileEdit, None] = {}
    for attribute in used:
        change = _as_buffer(facts, attribute)
        if not change:
            return None
        edits.update(dict.fromkeys(change))
    names = ", ".join(dict.fromkeys(attribute.spoken for attribute in used))
    title = f"register {names} as {'a buffer' if len(used) == 1 else 'buffers'}"
    return Fix(title, tuple(edits), Applicability.SAFE) if edits else None


def _as_others(facts: Facts, used: list[Attribute | NamedAttribute]) -> Fix | None:
    edits: dict[FileEdit, None] = {}
    for each in used:
        if not isinstance(each, Attribute) or not _holds_tensors(facts, each):
            return None
        change = own_move.in_module(facts, each.outline, each.function, each.name) or _as_twin(facts, each)
        if not change:
            return None
        edits.update(dict.fromkeys(change))
    names = ", ".join(dict.fromkeys(each.spoken for each in used))
    return Fix(f"move {names} with the other attributes", tuple(edits), Applicability.SAFE) if edits else None


def _is_leaf(facts: Facts, attribute: Attribute | NamedAttribute) -> bool:
    """Whether a leaf that requires grad is kept as an attribute somewhere."""
    return any(facts.is_leaf(life[0]) for life in provenance.left_behind(facts) if attribute.site in life)


def _as_twin(facts: Facts, attribute: Attribute) -> tuple[FileEdit, ...]:
    """``self.low = torch.tensor(low).cuda()`` beside ``self.high = torch.tensor(high).cuda()``."""
    outline, settings = attribute.outline, _settings(attribute)
    statement = settings[0][0] if settings is not None and len(settings) == 1 else None
    name = dotted(attribute.target)
    if not isinstance(statement, ast.Assign) or name is None:
        return ()
    place = Place(attribute.site.path, outline, attribute.target)
    return twin_move.within(facts, place, statement, name) or twin_move.behind(facts, place, statement, name)


def _is_read_elsewhere(attribute: Attribute | NamedAttribute) -> bool:
    """Whether anything but the method that sets the attribute reads it; where names are computed, that is not known."""
    if isinstance(attribute, NamedAttribute):
        return True
    outline = attribute.outline
    return any(
        isinstance(node.ctx, ast.Load) and not contains(outline, attribute.function, node)
        for node in vocabulary(outline.source.tree).attributes.get(attribute.name, ())
    )


def _as_buffer(facts: Facts, attribute: Attribute | NamedAttribute) -> tuple[FileEdit, ...]:
    """The edits for one attribute; none when it cannot be a buffer."""
    if isinstance(attribute, NamedAttribute):
        return attribute.registering(facts) if _comes_after_super(attribute) else ()
    settings = _settings(attribute)
    if settings is None or not _holds_tensors(facts, attribute) or not _comes_after_super(attribute):
        return ()
    edits: list[FileEdit] = []
    registered: list[ast.stmt] = []
    for statement, target in settings:
        if any(attribute.outline.dominates(earlier, statement) for earlier in registered):
            continue
        if _is_parameter(facts, attribute, statement):
            continue
        registered.append(statement)
        edits.extend(_registering(attribute, statement, target))
    return tuple(edits)


def _is_parameter(facts: Facts, attribute: Attribute, statement: ast.stmt) -> bool:
    """Whether a statement makes the attribute a Parameter, which trains, and which no buffer may take the place of."""
    outline = attribute.outline
    span, scope = outline.source.span(statement), outline.scope(attribute.function)
    bindings = facts.bindings(attribute.site.path, scope).get(f"self.{attribute.name}", [])
    own = [binding for binding in bindings if binding.statement == span]
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    if own or value is None:
        return any(binding.registered for binding in own)
    calls = (node for node in in_rows(value) if isinstance(node, ast.Call))
    return any(ast.unparse(call.func).rpartition(".")[2] == "Parameter" for call in calls)


def _settings(attribute: Attribute) -> list[tuple[ast.stmt, ast.Attribute]] | None:
    """The statements of the method that set the attribute, in order; None if one is no assignment."""
    found: list[tuple[ast.stmt, ast.Attribute]] = []
    for node in vocabulary(attribute.function).attributes.get(attribute.name, ()):
        if not isinstance(node.ctx, ast.Store):
            continue
        statement = attribute.outline.statement_of(node)
        if isinstance(statement, ast.AugAssign):
            continue
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            return None
        found.append((statement, node))
    return sorted(found, key=lambda pair: pair[1].lineno)


def _holds_tensors(facts: Facts, attribute: Attribute) -> bool:
    """Whether the attribute is only ever a tensor or None, and nothing else gives it a value before."""
    outline = attribute.outline
    scope = outline.scope(attribute.function)
    for binding in given(facts.bindings(attribute.site.path, scope).get(f"self.{attribute.name}", [])):
        statement = outline.statement_at(binding.statement) if binding.statement is not None else None
        value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
        again = binding.kind == "ungiven" and _is_of_itself(value, attribute.name)
        if binding.kind not in ("tensor", "none") and not again:
            return False
    cls = outline.class_of(attribute.function)
    if cls is None or any(inherited_names.assigns(statement, attribute.name) for statement in cls.body):
        return False
    if inherited_names.has(facts, cls, attribute.name):
        return False
    constructor = _constructor(outline, attribute.function)
    if constructor is None or constructor is attribute.function:
        return True
    # What a constructor sets before it calls another method is an attribute already.
    stored = (node for node in in_rows(constructor) if isinstance(node, ast.Attribute))
    return not any(node.attr == attribute.name and isinstance(node.ctx, ast.Store) for node in stored)


def _is_of_itself(value: ast.expr | None, name: str) -> bool:
    """Whether an attribute is set to itself, moved or cast, as by a ``to`` of the module that nothing calls."""
    method = value.func if isinstance(value, ast.Call) else None
    if not isinstance(method, ast.Attribute) or method.attr not in _MOVES_AND_CASTS:
        return False
    return isinstance(method.value, ast.Attribute) and method.value.attr == name


def _comes_after_super(attribute: Attribute | NamedAttribute) -> bool:
    """Whether ``Module.__init__`` has run: before it nothing can be registered."""
    function, outline = attribute.function, attribute.outline
    if function.name == "__init__":
        return _is_after_super(outline, function, outline.statement_of(attribute.target))
    constructor = _constructor(outline, function)
    if constructor is None:
        return True
    own = f"{outline.receiver_name(constructor)}.{function.name}"
    calls = (node for node in in_rows(constructor) if isinstance(node, ast.Call))
    called = [outline.statement_of(call) for call in calls if ast.unparse(call.func) == own]
    return all(_is_after_super(outline, constructor, statement) for statement in called)


def _constructor(outline: Outline, function: _Function) -> ast.FunctionDef | None:
    """The constructor of the class of a method."""
    cls = outline.class_of(function)
    methods = (node for node in cls.body if isinstance(node, ast.FunctionDef)) if cls is not None else ()
    return next((node for node in methods if node.name == "__init__"), None)


def _is_after_super(outline: Outline, function: _Function, first: ast.stmt) -> bool:
    """Whether the constructor of a base has run where a statement of a constructor begins."""
    for node in in_rows(function):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "__init__"
        ):
            statement = outline.statement_of(node)
            if statement is not first and outline.dominates(statement, first):
                return True
    return False


def _registering(attribute: Attribute, statement: ast.stmt, target: ast.Attribute) -> list[FileEdit]:
    """``self.a = b`` becomes a call; among several targets a local name takes the value first."""
    outline, path = attribute.outline, attribute.site.path
    receiver = outline.receiver_name(attribute.function)
    prefix = f'{receiver}.register_buffer("{attribute.name}", '
    suffix = ", persistent=False)"
    span = outline.source.span(statement)
    targets = statement.targets if isinstance(statement, ast.Assign) else [target]
    if targets == [target]:
        return [FileEdit(path, AssignmentToCall(span, prefix, suffix))]
    local = _free_name(attribute)
    return [
        FileEdit(path, ReplaceExpression(outline.source.span(target), local)),
        FileEdit(path, InsertAfter(span, f"{prefix}{local}{suffix}")),
    ]


def _free_name(attribute: Attribute) -> str:
    """A local name for the value that clashes with none the method uses."""
    arguments = {node.arg for node in in_rows(attribute.function.args) if isinstance(node, ast.arg)}
    names = {node.id for node in in_rows(attribute.function) if isinstance(node, ast.Name)} | arguments
    name = attribute.name.lstrip("_") or "buffer"
    while name in names or not name.isidentifier():
        name += "_buffer"
    return name
