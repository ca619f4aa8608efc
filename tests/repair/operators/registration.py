"""Tensors and modules that their module does not know of."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from repair.change import Change, change
from repair.script import Script, TextEdit
from repair.shapes import method

_PLAIN = {"ModuleList": "list", "ParameterList": "list", "ModuleDict": "dict", "ParameterDict": "dict"}


def buffer_to_attribute(script: Script) -> Iterator[Change]:
    """``self.register_buffer("a", b)`` becomes ``self.a = b``."""
    for call in script.calls():
        statement = script.statement_of(call)
        if method(call) != "register_buffer" or not isinstance(statement, ast.Expr) or len(call.args) < 2:
            continue
        name, value = call.args[:2]
        if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value.isidentifier():
            assert isinstance(call.func, ast.Attribute)
            text = f"{script.segment(call.func.value)}.{name.value} = {script.segment(value)}"
            edit = TextEdit(script.start(statement), script.end(statement), text)
            yield change("buffer-to-attribute", "buffer", call, edit)


def container_to_plain(script: Script) -> Iterator[Change]:
    """``nn.ModuleList([...])`` becomes the list itself, ``nn.ModuleDict`` a dict."""
    for call in script.calls():
        name = ast.unparse(call.func).rpartition(".")[2]
        if name not in _PLAIN or call.keywords or len(call.args) > 1:
            continue
        edit = TextEdit(script.start(call), script.end(call), _plain(script, call, _PLAIN[name]))
        yield change(f"{name}-to-{_PLAIN[name]}", "parameters" if "Param" in name else "modules", call, edit)


def _plain(script: Script, call: ast.Call, kind: str) -> str:
    if not call.args:
        return "[]" if kind == "list" else "{}"
    text = script.segment(call.args[0])
    if isinstance(call.args[0], ast.List | ast.ListComp | ast.Dict | ast.DictComp):
        return text
    return f"{kind}({text.strip('()')})" if isinstance(call.args[0], ast.GeneratorExp) else f"{kind}({text})"
