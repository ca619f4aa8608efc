"""Reads: what a run asks of the modules of its program, such that it is known afterwards what was asked.

What a name means where a function is executed, the interpreter notes by itself (``lookup``).
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeGuard

from devfix.analysis.domain.values import Class, Function, Ref
from devfix.imports import package_file, parent_of

if TYPE_CHECKING:
    from devfix.analysis.domain.values import Obj, Value
    from devfix.analysis.interpreter import Interpreter

#: What has names of its own and is executed as a whole.
Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
#: The fact of a module that was on the accelerator, and was taken back to the CPU, for a while perhaps.
TAKEN_BACK = "taken back"


def resolve(interp: Interpreter, importer: str, module: str, level: int = 0) -> str | None:
    """The file of the project that ``module`` means in ``importer``, or None."""
    interp.reads.add(("resolve", importer, module, level))
    return interp.program.resolve(importer, module, level)


def folder(interp: Interpreter, importer: str, name: str) -> str | None:
    """The ``__init__.py`` that a folder of the project beside ``importer`` would have, which imports go through all the same."""
    package = package_file(os.path.dirname(importer), name)
    interp.reads.add(("folder", package))
    return package if interp.program.is_folder(parent_of(package)) else None


def objects(interp: Interpreter) -> list[tuple[int, Obj]]:
    """All objects with their addresses, the oldest first."""
    interp.reads.add(("objects",))
    return interp.state.objects()


def tree(interp: Interpreter) -> ast.Module:
    """The tree of the file that is being executed, for a look at more of it than one function."""
    interp.reads.add(("text", interp.frame.path))
    return interp.source.tree


def scope(interp: Interpreter) -> Scope:
    """The function that is being executed, or else the file."""
    function = interp.frame.function
    return tree(interp) if function is None else function.node


def moves(interp: Interpreter, called: str, place: int | str) -> bool:
    """Whether a function of this name, wherever in the program, moves an argument (see ``Movers.moves``)."""
    interp.reads.add(("moves", called, place))
    return interp.library.movers(interp.program).moves(called, place)


def as_moves(asked: Iterable[tuple[str, int | str]]) -> tuple[tuple[str, str, int | str], ...]:
    """What was asked of ``moves``, for who has its answers and goes by them again."""
    return tuple(("moves", *each) for each in asked)


def moves_again(interp: Interpreter, asked: Iterable[tuple[str, str, int | str]]) -> None:
    """The same was asked of ``moves`` once more."""
    interp.reads.update(asked)


def definitions(interp: Interpreter, path: str) -> Mapping[str, Value]:
    """The variables of the module at a path, for one who looks at ``is_definition`` and ``is_taken_back`` alone."""
    interp.reads.add(("definitions", path))
    return interp.state.variables(interp.module_frame(path))


def was_executed(interp: Interpreter, function: Function) -> bool:
    """Whether a function was interpreted; of those of the file that is looked at that is known beforehand."""
    node = function.node
    if function.path != interp.frame.path:
        interp.reads.add(("executed", function.path, node.lineno, node.col_offset))
    return interp.recorder.was_executed(node, function.path)


def is_definition(value: Value, path: str) -> TypeGuard[Class | Function]:
    """Whether a variable of a module is a class or function that stands in it."""
    return isinstance(value, (Class, Function)) and value.path == path


def is_taken_back(value: Value, obj: Obj | None) -> TypeGuard[Ref]:
    """Whether a variable refers to a module (``obj``) that was taken back to the CPU, for a while perhaps."""
    return isinstance(value, Ref) and obj is not None and TAKEN_BACK in obj.facts


def all_of(interp: Interpreter, module: int) -> Mapping[str, Value]:
    """All variables of a module, by its frame."""
    interp.reads.add((module, "*"))
    return interp.state.variables(module)


def variable_of(interp: Interpreter, module: int, name: str) -> Value | None:
    """A variable of a module, by its frame; None when it is not bound."""
    interp.reads.add((module, name))
    return interp.state.get(module, name)
