"""Distribution buffers: a module has the parameters of its distribution as buffers, and makes it of them where it is asked for.

A distribution has no way to move, and is no part of the module: ``to`` moves buffers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import called, in_rows
from devfix.findings import AssignmentToCall, Edit, FileEdit, InsertAfter, ReplaceExpression
from devfix.placement.devices import constructed
from devfix.placement.devices.device_expression import Place
from devfix.placement.modules import inherited_names
from devfix.placement.moves import distribution_parts
from devfix.placement.text.dependence import dotted

Edits = tuple[FileEdit, ...]
#: What makes a tensor, whatever it is given.
_FACTORIES = frozenset("zeros ones full tensor eye linspace".split())
#: With which arguments it makes something else, or may do so.
_OTHERWISE = ("device", "requires_grad", None)

#: What a distribution tells, without a draw.
_ASKED = frozenset(
    "log_prob entropy cdf icdf mean mode stddev variance support batch_shape event_shape".split()
)


def registered(facts: Facts, place: Place, attribute: ast.Attribute) -> Edits:
    """``self.register_buffer("prior_loc", torch.zeros(3))`` and a property ``prior``, for ``self.prior = Normal(torch.zeros(3), 1.0)``."""
    outline = place.outline
    made = distribution_parts.only_value(outline, attribute)
    maker = outline.function_of(made) if made is not None else None
    cls = outline.class_of(maker) if maker is not None else None
    if not isinstance(made, ast.Call) or maker is None or cls is None or maker.name != "__init__":
        return ()
    statement, receiver = outline.statement_of(made), outline.receiver_name(maker)
    if statement not in maker.body or not constructed.is_after_base(outline, maker, statement):
        return ()
    layers = _layers(outline, made)
    parameters = distribution_parts.written(layers[-1]) if layers else []
    buffers = {
        node: f"{attribute.attr}_{name}" for name, node in parameters if not isinstance(node, ast.Constant)
    }
    if (
        not buffers
        or not all(_is_tensor(outline, node) for node in buffers)
        or _loses_comments(outline, made)
    ):
        return ()
    if not _is_of(facts, place, cls) or not _are_free(facts, cls, attribute.attr, buffers.values()):
        return ()
    code = _anew(layers, {node: f"{receiver}.{name}" for node, name in buffers.items()})
    told = f"@property\ndef {attribute.attr}({receiver}):\n    return {code}"
    edits = (
        *_registering(outline, made, buffers, receiver or ""),
        InsertAfter(outline.source.span(maker), told),
    )
    return tuple(FileEdit(place.path, edit) for edit in edits)


def _layers(outline: Outline, made: ast.Call) -> list[ast.Call]:
    """A distribution, and the one within that ``Independent`` takes; none where one of them is written in another way."""
    found = [made]
    while ast.unparse(found[-1].func).rpartition(".")[2] == distribution_parts.WRAPPER:
        last = found[-1]
        base = last.args[0] if len(last.args) == 2 and not last.keywords else None
        if not isinstance(base, ast.Call) or not isinstance(last.args[1], ast.Constant):
            return []
        found.append(base)
    known = all(distribution_parts.is_imported(outline, ast.unparse(each.func)) for each in found)
    return found if known else []


def _is_tensor(outline: Outline, node: ast.expr) -> bool:
    """Whether an expression is a call that makes a tensor on the CPU, which nobody trains: what moves is no leaf."""
    root, _, name = (dotted(node.func) or "").partition(".") if isinstance(node, ast.Call) else ("", "", "")
    named = isinstance(node, ast.Call) and any(keyword.arg in _OTHERWISE for keyword in node.keywords)
    return outline.imported.get(root) == "torch" and name in _FACTORIES and not named


def _loses_comments(outline: Outline, made: ast.Call) -> bool:
    """Whether there are comments within a call: those behind the statement stay."""
    source, span = outline.source, outline.source.span(made)
    behind = source.lines[span.end_line - 1][span.end_column :].lstrip()
    return len(source.comments(span)) > behind.startswith("#")


def _is_of(facts: Facts, place: Place, cls: ast.ClassDef) -> bool:
    """Whether a place is in a method of a class whose objects are seen to be modules on the accelerator, or wherever they are put."""
    outline = place.outline
    function = outline.function_of(place.node)
    if function is None or outline.class_of(function) is not cls:
        return False
    receiver = outline.receiver_name(function) or ""
    seen = facts.bindings(place.path, outline.scopes(place.node)[0]).get(receiver, [])
    devices = [each.device for each in seen if each.kind == "module" and each.device is not None]
    known = all(each.is_accelerator or each.kind == "same-as" for each in devices)
    return len(devices) == len(seen) > 0 and known


def _are_free(facts: Facts, cls: ast.ClassDef, kept: str, names: Iterable[str]) -> bool:
    """Whether no object has the names yet, and none gets another distribution under its own, or draws from it.

    Objects of classes that are derived from this one may, and which these are is not asked.
    """
    names = [*names]
    if any(inherited_names.has(facts, cls, name) for name in (kept, *names)):
        return False
    stores = 0
    for outline in map(facts.outline, facts.program.sources):
        if any(_is_attribute(outline, name) for name in names) or _is_defined(outline, kept):
            return False
        for node in outline.mentions(kept):
            if not isinstance(node, ast.Attribute):
                continue
            stores += not isinstance(node.ctx, ast.Load)
            if isinstance(node.ctx, ast.Load) and not _is_only_asked(outline, node):
                return False
    return stores == 1


def _is_only_asked(outline: Outline, node: ast.AST) -> bool:
    """Whether a distribution is compared, or asked for what is computed of it: what is drawn elsewhere has other numbers."""
    around = outline.parents.get(node)
    if isinstance(around, ast.Attribute):
        return around.attr in _ASKED
    if not isinstance(around, ast.Call) or called(around) != "kl_divergence":
        return False
    return distribution_parts.is_imported(outline, ast.unparse(around.func))


def _is_attribute(outline: Outline, name: str) -> bool:
    """Whether a file asks any object for an attribute of that name, or gives it to some."""
    return _is_defined(outline, name) or any(
        isinstance(node, ast.Attribute) for node in outline.mentions(name)
    )


def _is_defined(outline: Outline, name: str) -> bool:
    """Whether a class of a file defines something of that name for its objects."""
    classes = (node for node in in_rows(outline.source.tree) if isinstance(node, ast.ClassDef))
    return any(
        getattr(part, "name", "") == name or inherited_names.assigns(part, name)
        for cls in classes
        for part in cls.body
    )


def _anew(layers: list[ast.Call], buffers: Mapping[ast.expr, str]) -> str:
    """The distribution made of buffers, with all around it as it was."""
    call = layers[-1]
    given = [buffers.get(node) or ast.unparse(node) for node in call.args]
    given += [f"{each.arg}={buffers.get(each.value) or ast.unparse(each.value)}" for each in call.keywords]
    code = f"{ast.unparse(call.func)}({', '.join(given)})"
    for around in reversed(layers[:-1]):
        code = f"{ast.unparse(around.func)}({code}, {ast.unparse(around.args[1])})"
    return code


def _registering(
    outline: Outline, made: ast.Call, buffers: Mapping[ast.expr, str], receiver: str
) -> Iterator[Edit]:
    """``self.prior = ...`` becomes the registration of the first buffer, which the others follow."""
    span, source = outline.source.span(outline.statement_of(made)), outline.source
    end = ", persistent=False)"
    for number, (node, name) in enumerate(buffers.items()):
        begin, value = f'{receiver}.register_buffer("{name}", ', source.segment(source.span(node))
        if number:
            yield InsertAfter(span, f"{begin}{value}{end}", number)
        else:
            yield AssignmentToCall(span, begin, end)
            yield ReplaceExpression(source.span(made), value)
