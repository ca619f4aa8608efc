"""All device handling removed: the program as somebody without an accelerator would have written it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from repair.script import Script, TextEdit, edited
from repair.shapes import arguments, is_device, is_dtype, is_fetch, is_move, receiver

#: What may not be left of a device anywhere in the program.
_LEFT = re.compile(r"\bdevice\b|cuda|\bpin_memory\b|\bmap_location\b|non_blocking|\.cpu\(\)")
_ITSELF = re.compile(r"^[ \t]*(?:([\w.]+(?:\[[^]=]*\])?(?:, [\w.]+)*) = \1|[\w.]+)[ \t]*\n", re.MULTILINE)
#: A statement of its own that only concerns the device.
_SETTING = re.compile(r"torch\.cuda\.|torch\.backends\.|\w+\.add_argument\(.*(device|cuda|gpu)")
_KEYWORDS = frozenset("device pin_memory map_location non_blocking".split())


def without_devices(texts: Mapping[str, str]) -> dict[str, str] | None:
    """All files without device handling, or None where that is not told apart from the rest."""
    names = {name for text in texts.values() for name in _device_names(ast.parse(text))}
    found = {path: _stripped(Script(text), names) for path, text in texts.items()}
    if any(text is None or _LEFT.search(_code(text)) for text in found.values()):
        return None
    return {path: text for path, text in found.items() if text is not None}


def _device_names(tree: ast.Module) -> Iterator[str]:
    """Variables and parameters that hold a device."""
    yield from ("device", "dev")
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and _chooses(node.value):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id


def _chooses(value: ast.expr) -> bool:
    text = ast.unparse(value)
    return text.startswith(("torch.device(", "'cuda", "torch.cuda.is_available(")) and ".to(" not in text


def _stripped(script: Script, names: set[str]) -> str | None:
    text = edited(script.text, _outermost([*_statements(script, names), *_expressions(script, names)]))
    if text is None:
        return None
    # What is left of `x = x.to(device)` and of `model.to(device)` says nothing any more.
    while (shorter := _ITSELF.sub(_nothing, text)) != text:
        text = shorter
    return edited(text, ())


def _nothing(match: re.Match[str]) -> str:
    word = match[0].strip()
    return match[0] if word in ("pass", "break", "continue", "return", "raise") else ""


def _statements(script: Script, names: set[str]) -> Iterator[TextEdit]:
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = ast.unparse(node.targets[0])
            if target in names or target.rpartition(".")[2] in ("device", "use_cuda"):
                yield script.without_statement(node)
        elif isinstance(node, ast.Expr) and _SETTING.match(ast.unparse(node)):
            yield script.without_statement(node)


def _expressions(script: Script, names: set[str]) -> Iterator[TextEdit]:
    for node in ast.walk(script.tree):
        if isinstance(node, ast.Call) and (is_move(node) or is_fetch(node)):
            casts = [argument for argument in arguments(node) if is_dtype(argument)]
            if casts:
                yield TextEdit(script.end(node.func) + 1, script.end(node) - 1, script.segment(casts[0]))
            elif receiver(node) is not None:
                yield script.without_call(node)
        elif isinstance(node, ast.Call):
            yield from _arguments(script, node, names)
        elif isinstance(node, ast.arguments):
            yield from _parameters(script, node, names)


def _arguments(script: Script, call: ast.Call, names: set[str]) -> Iterator[TextEdit]:
    for keyword in call.keywords:
        if keyword.arg in _KEYWORDS:
            yield script.without_argument(keyword)
    for argument in call.args:
        text = ast.unparse(argument)
        if (text in names or text.rpartition(".")[2] == "device") and is_device(text):
            yield script.without_argument(argument)


def _parameters(script: Script, signature: ast.arguments, names: set[str]) -> Iterator[TextEdit]:
    defaults = [None] * (len(signature.args) - len(signature.defaults)) + list(signature.defaults)
    pairs = [
        *zip(signature.args, defaults, strict=True),
        *zip(signature.kwonlyargs, signature.kw_defaults, strict=True),
    ]
    for argument, default in pairs:
        if argument.arg in names:
            edit = script.without_argument(argument)
            yield TextEdit(edit.start, max(edit.end, script.end(default)) if default else edit.end)


def _outermost(edits: Iterable[TextEdit]) -> list[TextEdit]:
    """The edits that lie in no other."""
    found: list[TextEdit] = []
    for edit in sorted(set(edits), key=lambda edit: (edit.start, -edit.end)):
        if not found or edit.start >= found[-1].end:
            found.append(edit)
    return found


def _code(text: str) -> str:
    """The text without comments and docstrings, as Python reads it."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)
