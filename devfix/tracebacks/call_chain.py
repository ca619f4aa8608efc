"""Call chain: from an operand that is a parameter to the argument that somebody passed for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from devfix.analysis.text.outline import Outline
from devfix.tracebacks.operands import Culprit
from devfix.tracebacks.scene import Placed, Scene
from devfix.tracebacks.views import View, name_of_call, view_of

_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Step:
    """A call further out, and what was passed there."""

    place: Placed
    view: View
    sink: ast.Call
    culprit: Culprit
    parameter: str


def climb(culprit: Culprit, view: View, scene: Scene) -> Iterator[Step]:
    """The calls through which the operand came, from the innermost out, as far as the files show."""
    marked = any(frame.mark is not None for frame in scene.frames)
    places = scene.placed
    for number in range(len(places) - 1, 0, -1):
        passed = _passed(culprit, view)
        if passed is None:
            return
        function, name = passed
        outer = view_of(places[number - 1], marked=marked)
        call = _call_of(outer, function) if outer is not None and outer.from_file else None
        node = _argument(call, function, name, view) if call is not None else None
        if outer is None or call is None or node is None:
            return
        culprit = Culprit(culprit.role, outer.text(node), node)
        yield Step(places[number - 1], outer, call, culprit, name)
        view = outer


def _passed(culprit: Culprit, view: View) -> tuple[_FUNCTIONS, str] | None:
    """The function and the parameter that the operand is, unchanged; None when it is none."""
    node = culprit.node
    if not view.from_file or culprit.of_module or not isinstance(node, ast.Name):
        return None
    function = Outline(view.source).function_of(node)
    if function is None or node.id not in _parameters(function):
        return None
    bound = any(
        isinstance(each, ast.Name) and each.id == node.id and isinstance(each.ctx, ast.Store)
        for each in ast.walk(function)
    )
    return None if bound else (function, node.id)


def _parameters(function: _FUNCTIONS) -> list[str]:
    arguments = function.args
    return [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]


def _call_of(view: View, function: _FUNCTIONS) -> ast.Call | None:
    """The call on the frame's line that led into the function."""
    calls = [node for node in ast.walk(view.source.tree) if isinstance(node, ast.Call)]
    if view.mark is not None:
        marked = [call for call in calls if view.source.span(call) == view.mark]
        if marked:
            return marked[0]
    here = [call for call in calls if view.source.span(call).line == view.line]
    if function.name in ("forward", "__call__"):
        return here[0] if len(here) == 1 else None
    named = [call for call in here if name_of_call(call) == function.name]
    return named[0] if len(named) == 1 else None


def _argument(call: ast.Call, function: _FUNCTIONS, name: str, view: View) -> ast.expr | None:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if name in given:
        return given[name]
    if None in given or any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    parameters = _parameters(function)
    if Outline(view.source).class_of(function) is not None and not _is_static(function):
        parameters = parameters[1:]
    position = parameters.index(name) if name in parameters else len(call.args)
    return call.args[position] if position < len(call.args) else None


def _is_static(function: _FUNCTIONS) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in function.decorator_list)
