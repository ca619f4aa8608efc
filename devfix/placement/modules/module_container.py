"""Module containers: plain lists, tuples and dicts of modules and parameters become ``ModuleList``, ``ParameterDict`` and so on."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.outline import Outline
from devfix.analysis.text.syntax import in_rows
from devfix.findings import (
    AddImport,
    Applicability,
    Edit,
    FileEdit,
    Fix,
    InsertAfter,
    Mismatch,
    Operand,
    Origin,
    ReplaceExpression,
    WrapExpression,
)
from devfix.placement.modules import beginning, listed_twice, module_keys, module_rows, row_uses
from devfix.placement.modules.filled_later import is_filled_later
from devfix.placement.modules.registration import Attribute, attribute_at
from devfix.placement.text.dependence import dotted
from devfix.source import Source

#: Which pair of containers registers what.
_FAMILIES = {"modules": "Module", "parameters": "Parameter"}


def container_fix(facts: Facts, mismatch: Mismatch, operand: Operand, held: str = "modules") -> Fix | None:
    """Puts the list or dict that holds the operand's module, or the operand, into a registered container.

    Where it holds them in lists or dicts, each of those becomes such a container, too. What no container takes gets one beside it.
    """
    site = container_site(operand)
    attribute = attribute_at(facts, site) if site is not None else None
    if attribute is None or not operand.trail or listed_twice.would_be(facts, attribute.name):
        return None
    statement = attribute.outline.statement_of(attribute.target)
    single = isinstance(statement, ast.AnnAssign) or getattr(statement, "targets", None) == [attribute.target]
    value = statement.value if single and isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    if isinstance(value, ast.IfExp):
        value = _branch(attribute.outline, value, operand.trail[0])
    path, rows = attribute.site.path, mismatch.get("rows")
    form = _form(facts, operand.trail[0]) or (_form_of(value) if isinstance(value, ast.BinOp) else "")
    rows = module_rows.shown(attribute, value) if rows is None else rows
    keyed = form == "Dict" or (form == "List" and rows == "dict")
    if keyed and not module_keys.are_names(facts, mismatch, attribute, value, rows):
        name, imports = _spelt(facts, path, f"{_FAMILIES[held]}List")
        insertion = module_keys.beside(facts, attribute, value, form, rows, name)
        title = f"register the {held} of `{attribute.name}`"
        return _fix(title, path, [insertion], imports) if insertion is not None else None
    kind = f"{_FAMILIES[held]}{form}"
    unpacked = value is None and _is_unpacked(attribute, statement)
    if (value is None and not unpacked) or not form or not _suits(attribute, kind):
        return None
    if beginning.is_ahead(attribute.outline, statement):
        return None
    if isinstance(value, ast.Call) and _may_be_none(facts, attribute):
        return None  # a container without modules is not None, which may be asked for
    if isinstance(value, ast.Name) and is_filled_later(attribute.outline, value):
        return None
    name, imports = _spelt(facts, path, kind)
    edit = (
        _registered(attribute.outline.source, value, name)
        if value is not None
        else _after(attribute, statement, name)
    )
    row_kind = module_rows.kind(facts, attribute, value, rows)
    if row_kind is None or (row_kind and held != "modules"):
        return None
    row_name, row_imports = _spelt(facts, path, row_kind) if row_kind else ("", ())
    inner = module_rows.registering(attribute, value, row_name) if row_kind else []
    whole = module_rows.gone_through(attribute, value, name, row_name) if inner is None else edit
    if whole is None:
        return None
    told = [whole, *(inner or [])]
    if isinstance(statement, ast.AnnAssign) and value is statement.value:
        told.append(ReplaceExpression(attribute.outline.source.span(statement.annotation), name))
    return _fix(f"make `{attribute.name}` a `{kind}`", path, told, (*imports, *row_imports))


def _fix(title: str, path: str, told: Iterable[Edit], imports: tuple[FileEdit, ...]) -> Fix:
    edits = dict.fromkeys((*(FileEdit(path, each) for each in told), *imports))
    return Fix(title, tuple(edits), Applicability.UNSAFE)


def _may_be_none(facts: Facts, attribute: Attribute) -> bool:
    """Whether the statement that sets the attribute gives it None in some object."""
    scope = attribute.outline.scope(attribute.function)
    span = attribute.outline.source.span(attribute.outline.statement_of(attribute.target))
    bindings = facts.bindings(attribute.site.path, scope).get(f"self.{attribute.name}", [])
    return any(binding.kind == "none" and binding.statement == span for binding in bindings)


def _is_unpacked(attribute: Attribute, statement: ast.stmt) -> bool:
    """Whether the attribute is one of several that a statement unpacks a value into."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(isinstance(each, (ast.Tuple, ast.List)) and attribute.target in each.elts for each in targets)


def _after(attribute: Attribute, statement: ast.stmt, name: str) -> Edit:
    """The container that was unpacked is registered once it has its name."""
    kept = ast.unparse(attribute.target)
    return InsertAfter(attribute.outline.source.span(statement), f"{kept} = {name}({kept})")


def _branch(outline: Outline, choice: ast.IfExp, made: Origin) -> ast.expr | None:
    """The branch of ``layers if deep else None`` that made a container, where the other is no container."""
    for branch, other in ((choice.body, choice.orelse), (choice.orelse, choice.body)):
        if outline.source.span(branch) == made.span and isinstance(other, ast.Constant):
            return branch
    return None


def container_site(operand: Operand) -> Origin | None:
    """Where the container (or the object that keeps the module) became an attribute of a module."""
    sites = (site for trail in (*operand.roots, operand.trail) for site in trail)
    return next((site for site in sites if site.kind == "module-attribute"), None)


def parts_fix(facts: Facts, mismatch: Mismatch, operand: Operand) -> Fix | None:
    """Registers the modules of a plain object beside the object, in a ``ModuleList``."""
    site = container_site(operand)
    attribute = attribute_at(facts, site) if site is not None else None
    parts = (mismatch.get("parts") or "").split()
    if attribute is None or not parts:
        return None
    outline, path = attribute.outline, attribute.site.path
    statement = outline.statement_of(attribute.target)
    alone = isinstance(statement, ast.Assign) and statement.targets == [attribute.target]
    new = f"{attribute.name}_modules"
    if not alone or statement not in attribute.function.body or new in outline.source.text:
        return None
    name, imports = _spelt(facts, path, "ModuleList")
    kept = ast.unparse(attribute.target)
    listed = ", ".join(f"{kept}.{part}" for part in parts)
    edit = InsertAfter(outline.source.span(statement), f"{kept}_modules = {name}([{listed}])")
    return Fix(
        f"register the modules of `{attribute.name}`", (FileEdit(path, edit), *imports), Applicability.UNSAFE
    )


def _registered(source: Source, value: ast.expr, name: str) -> Edit:
    span = source.span(value)
    empty = (
        isinstance(value, (ast.List, ast.Dict))
        and not ast.dump(value).count("Constant")
        and not _entries(value)
    )
    if empty or (_form_of(value) and isinstance(value, ast.Call) and not value.args and not value.keywords):
        return ReplaceExpression(span, f"{name}()")
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "tuple":
        return ReplaceExpression(source.span(value.func), name)
    return WrapExpression(span, f"{name}(", ")")


def _entries(value: ast.List | ast.Dict) -> list[ast.expr]:
    return value.elts if isinstance(value, ast.List) else value.values


def _form(facts: Facts, made: Origin) -> str:
    """Whether a ``List`` or a ``Dict`` fits what was made at ``made``; "" when neither does."""
    return (
        _form_of(facts.outline(made.path).expression_at(made.span))
        if made.path in facts.program.sources
        else ""
    )


def _form_of(node: ast.expr | None) -> str:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult):
        return "List" if "List" in (_form_of(node.left), _form_of(node.right)) else ""
    called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    if isinstance(node, (ast.List, ast.ListComp, ast.Tuple)) or called in ("list", "tuple"):
        nested = isinstance(node, (ast.List, ast.Tuple)) and any(
            isinstance(item, (ast.List, ast.Dict, ast.Tuple)) for item in node.elts
        )
        return "" if nested else "List"
    if isinstance(node, (ast.Dict, ast.DictComp)) or called in ("dict", "OrderedDict"):
        return "Dict"
    return ""


def _suits(attribute: Attribute, kind: str) -> bool:
    """Whether the class only does with the attribute what a registered container can do."""
    parents = attribute.outline.parents
    around = attribute.outline.class_of(attribute.function) or attribute.outline.source.tree
    for node in in_rows(around):
        own = isinstance(node, ast.Attribute) and ast.unparse(node) == ast.unparse(attribute.target)
        if not own:
            continue
        above = parents.get(node)
        if isinstance(above, ast.Attribute) and above.attr in row_uses.REFUSED[kind]:
            return False
        if isinstance(above, ast.Subscript) and isinstance(above.ctx, ast.Store) and kind.endswith("Dict"):
            key = above.slice
            if isinstance(key, ast.Constant) and not isinstance(key.value, str):
                return False
    return True


def _spelt(facts: Facts, path: str, kind: str) -> tuple[str, tuple[FileEdit, ...]]:
    """How the file calls ``torch.nn.ModuleList``, and the import that it lacks."""
    for node in in_rows(facts.source(path).tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            for alias in node.names:
                if (node.module, alias.name) in (("torch", "nn"), ("torch.nn", "modules")):
                    return f"{alias.asname or alias.name}.{kind}", ()
                if (node.module, alias.name) == ("torch.nn", kind):
                    return alias.asname or kind, ()
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "torch.nn":
                    return f"{alias.asname or alias.name}.{kind}", ()
    torch = _name_of_torch(facts, path)
    if torch is not None:
        return f"{torch}.nn.{kind}", ()
    starred = _starred(facts.source(path).tree)
    if starred is not None:
        return f"{starred}.{kind}", ()
    return kind, (FileEdit(path, AddImport("torch.nn", kind)),)


def _name_of_torch(facts: Facts, path: str) -> str | None:
    for node in in_rows(facts.source(path).tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "torch":
                    return alias.asname or "torch"
    return None


def _starred(tree: ast.Module) -> str | None:
    """What the base classes of a file call ``torch.nn``, where it has that name by ``from module import *``."""
    stars = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"]
    bases = [base for node in tree.body if isinstance(node, ast.ClassDef) and stars for base in node.bases]
    names = (base.value for base in bases if isinstance(base, ast.Attribute) and base.attr == "Module")
    found = (dotted(name) for name in names)
    return next((name for name in found if name in ("nn", "torch.nn")), None)
