"""Introduction: a device variable for a file, or an attribute for a class, that has none yet."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.docstrings import is_text
from devfix.analysis.text.scope_names import variables_of
from devfix.analysis.text.syntax import in_rows
from devfix.findings import AddImport, FileEdit, InsertAfterImports, InsertAtBodyStart
from devfix.placement.devices.device_expression import DeviceExpression, Place

#: The expression that chooses a device, by policy; ``torch`` is what the file calls it.
_CHOICES = {
    "cuda": '{torch}.device("cuda" if {torch}.cuda.is_available() else "cpu")',
    "mps-aware": (
        '{torch}.device("cuda" if {torch}.cuda.is_available() else '
        '"mps" if {torch}.backends.mps.is_available() else "cpu")'
    ),
    "accelerator": (
        "{torch}.accelerator.current_accelerator() if {torch}.accelerator.is_available() "
        'else {torch}.device("cpu")'
    ),
}


def introduce(facts: Facts, place: Place) -> DeviceExpression | None:
    """A new module-level ``device``, unless the file binds the name already."""
    return at_top(facts, place.path, ("device",))


def at_top(facts: Facts, path: str, names: Sequence[str] = ("device", "DEVICE")) -> DeviceExpression | None:
    """A new variable of a module under the first of the names that the file does not know.

    A function that the file imports and that makes the very choice is called for it.
    """
    known = facts.outline(path).variables
    name = next((name for name in names if name not in known), None)
    call = _choosing_call(facts, path)
    choice = (call, ()) if call is not None else _choice(facts, path)
    if name is None or choice is None:
        return None
    code, edits = choice
    return DeviceExpression(name, (*edits, FileEdit(path, InsertAfterImports(f"{name} = {code}"))))


def in_constructor(
    facts: Facts, path: str, constructor: ast.FunctionDef, receiver: str
) -> DeviceExpression | None:
    """A new attribute ``device``, set before anything else is."""
    choice = _choice(facts, path)
    if choice is None:
        return None
    code, edits = choice
    name = f"{receiver}.device"
    span = facts.source(path).span(constructor)
    return DeviceExpression(name, (*edits, FileEdit(path, InsertAtBodyStart(span, f"{name} = {code}"))))


def _choice(facts: Facts, path: str) -> tuple[str, tuple[FileEdit, ...]] | None:
    """The expression that chooses a device, and the import it needs."""
    found = torch_name(facts, path)
    if found is None:
        return None
    torch, edits = found
    return _CHOICES[facts.program.device_policy].replace("{torch}", torch), edits


def _choosing_call(facts: Facts, path: str) -> str | None:
    """``get_device()``, where the imports that a file begins with have a function of the program that makes the same choice."""
    tree = facts.source(path).tree
    for node in tree.body if not facts.outline(path).imports_all else ():
        if not isinstance(node, (ast.Import, ast.ImportFrom)) and not is_text(node):
            return None  # what is imported below may not be there yet
        module = (
            facts.program.resolve(path, node.module or "", node.level)
            if isinstance(node, ast.ImportFrom)
            else None
        )
        if not isinstance(node, ast.ImportFrom) or module is None or module not in facts.program.sources:
            continue
        for alias in node.names:
            name = alias.asname or alias.name
            if _chooses(facts, module, alias.name) and _times_bound(tree, name) == 1:
                return f"{name}()"
    return None


def _chooses(facts: Facts, path: str, name: str) -> bool:
    """Whether a name of a file is a function without parameters that returns the choice, and does nothing else."""
    tree = facts.source(path).tree
    found = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == name]
    if len(found) != 1 or _times_bound(tree, name) != 1:
        return False
    [function] = found
    body = [each for each in function.body if not is_text(each)]
    value = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    if value is None or function.decorator_list or ast.unparse(function.args):
        return False
    return is_choice(facts, path, value, as_text=False)


def is_choice(facts: Facts, path: str, value: ast.expr, *, as_text: bool = True) -> bool:
    """Whether an expression of a file is the choice that another file would make, perhaps ``as_text`` of the device."""
    tree = facts.source(path).tree
    torch = torch_of(tree)
    if torch is None or facts.outline(path).imports_all or _times_bound(tree, torch) != 1:
        return False
    choice = ast.parse(_CHOICES[facts.program.device_policy].replace("{torch}", torch), mode="eval").body
    spelt = [choice, *(choice.args if isinstance(choice, ast.Call) and as_text else ())]
    return ast.dump(value) in map(ast.dump, spelt)


def _times_bound(tree: ast.Module, name: str) -> int:
    """How often some scope of a file gives a value to a name."""
    return sum(each == name for each in variables_of(tree, (ast.Store, ast.Del)))


def torch_name(facts: Facts, path: str) -> tuple[str, tuple[FileEdit, ...]] | None:
    """What a file calls torch, and the import that it may need; None when the name is taken."""
    tree = facts.source(path).tree
    torch = torch_of(tree)
    if torch is not None or _has_from_others(facts, path):
        return torch or "torch", ()
    taken = "torch" in facts.outline(path).variables and not _is_imported_below(tree)
    return None if taken else ("torch", (FileEdit(path, AddImport("torch")),))


def torch_of(tree: ast.Module) -> str | None:
    """What a file that imports torch at its top calls it."""
    for node in tree.body:
        for alias in node.names if isinstance(node, ast.Import) else ():
            if alias.name == "torch":
                return alias.asname or "torch"
            if alias.name.startswith("torch.") and not alias.asname:
                return "torch"
    return None


def _is_imported_below(tree: ast.Module) -> bool:
    """Whether every ``torch`` of a file is what some block or function of it imports under that name."""
    stored = sum(name == "torch" for name in variables_of(tree, (ast.Store, ast.Del)))
    plain = [alias for node in in_rows(tree) if isinstance(node, ast.Import) for alias in node.names]
    imports = sum(alias.name.partition(".")[0] == "torch" and not alias.asname for alias in plain)
    return 0 < imports == stored


def _has_from_others(facts: Facts, path: str) -> bool:
    """Whether a file uses ``torch`` without binding it, as one does that imports all names of another."""
    outline = facts.outline(path)
    bound = "torch" in variables_of(outline.source.tree, (ast.Store, ast.Del))
    return outline.imports_all and not bound and "torch" in outline.variables
