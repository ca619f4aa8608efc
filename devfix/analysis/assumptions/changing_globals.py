"""Changing globals: what a module keeps under a name that functions set is not known where nobody tells who calls them.

``CUDA_ENABLED = False``, which ``cuda.CUDA_ENABLED = args.cuda`` or ``global CUDA_ENABLED`` in some function sets, says
nothing of the functions that no script reaches. Scripts are followed from their first line, and know what it is.
Nor does ``DEVICE = "cpu"``, a setting that is there to be set by whoever uses the module.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from devfix.analysis.domain.lattice import UNKNOWN_DEVICE
from devfix.analysis.domain.values import NONE, UNKNOWN, Const, DeviceValue, Scalar, Unknown, Value
from devfix.analysis.text.syntax import statements_in, walk
from devfix.imports import modules_called
from devfix.source import Source

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter
    from devfix.project import Program

#: ``cuda.CUDA_ENABLED = …`` in a function.
_SET = re.compile(r"\n[ \t]+(?![ \t]|self\.|cls\.)(\w+)\.(\w+) = ")
#: ``global CUDA_ENABLED``, and no prose such as "global pooling of". Patterns that begin with a letter are found many times as fast.
_GLOBAL = re.compile(r"global[ \t]+(?:\w+\s*)?(?:[,;#\\]|$)", re.MULTILINE)
#: ``DEVICE = "cpu"`` and ``DEVICE: torch.device = torch.device("cpu")`` at the top of a file; ``cpu = torch.device("cpu")`` is no setting.
_HOST = re.compile(
    r"""^(?!\w*(?:cpu|CPU))(\w+)[ \t]*(?::[^=\n]*)?=[ \t]*(?:torch\.device\([ \t]*)?["']cpu["'][ \t]*\)?[ \t]*(?:\#.*)?$""",
    re.MULTILINE,
)
#: What is imported, of which few files set anything: only their trees are looked at.
_IMPORTED = re.compile(r"import\b\s+(\([^)]*\)|[^\n#]*)")
#: The token of a flag that may be set or not: it is no option, that is meant to choose the accelerator.
FLAG = "@changing"
_CPU = Const("cpu")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class _Told(NamedTuple):
    """What a file tells of globals: its own that functions set, and those of modules that it imports, with their levels."""

    own: frozenset[str]
    others: tuple[tuple[str, int, str], ...]


#: What files tell, which do not change.
_TOLD: WeakKeyDictionary[Source, _Told] = WeakKeyDictionary()


def forget(interp: Interpreter) -> None:
    """Of the globals that functions set no module that was loaded tells more than what kind of thing they are."""
    library = interp.library
    if library.changing is None:
        library.changing = of(interp.program)
    for path, names in library.changing.items():
        frame = library.modules.get(path)
        if frame is None:
            continue
        for name in names:
            value = interp.state.get(frame, name)
            if value is not None and (other := _whatever(value)) is not None:
                interp.state.set(frame, name, other)


def asks_for_flag(interp: Interpreter, test: ast.expr) -> bool:
    """Whether a test asks for nothing but a flag that functions set: that chooses no accelerator, as an option does."""
    return isinstance(test, (ast.Name, ast.Attribute)) and interp.eval(test) == Unknown(FLAG)


def _whatever(value: Value) -> Value | None:
    """What may be in place of a plain value; None for others, which stay what they are."""
    if isinstance(value, DeviceValue):
        return DeviceValue(
            UNKNOWN_DEVICE
        )  # and no unknown setting, which may be taken to choose the accelerator
    if value in (NONE, _CPU):
        return UNKNOWN
    kind = type(value.value).__name__ if isinstance(value, Const) else ""
    if kind == "bool":
        return Unknown(FLAG)
    return Scalar(kind) if kind in ("int", "float", "str") else None


def of(program: Program) -> dict[str, tuple[str, ...]]:
    """The changing globals of each file of a program that has some."""
    found = {path: set(_told(source).own) for path, source in program.sources.items()}
    for importer, source in program.sources.items():
        for module, level, name in _told(source).others:
            path = program.resolve(importer, module, level)
            if path in found:
                found[path].add(name)
    return {path: tuple(sorted(names)) for path, names in found.items() if names}


def _told(source: Source) -> _Told:
    known = _TOLD.get(source)
    if known is None:
        own = _declared(source.tree) if _GLOBAL.search(source.text) else frozenset[str]()
        own |= frozenset(_HOST.findall(source.text)) if _speaks_of_host(source.text) else frozenset[str]()
        known = _TOLD[source] = _Told(own, tuple(_of_modules(source)))
    return known


def _speaks_of_host(text: str) -> bool:
    return '"cpu"' in text or "'cpu'" in text


def _of_modules(source: Source) -> Iterator[tuple[str, int, str]]:
    """The modules that go by the names of a file whose attributes functions set, and the attributes."""
    pairs = dict.fromkeys(_SET.findall(source.text))
    imported = set(re.findall(r"\w+", " ".join(_IMPORTED.findall(source.text)))) if pairs else set[str]()
    wanted = [(owner, name) for owner, name in pairs if owner in imported]
    for called, module, level in modules_called(source.tree) if wanted else ():
        yield from ((module, level, name) for owner, name in wanted if owner == called)


def _declared(tree: ast.AST) -> frozenset[str]:
    """The globals that functions of a file set, but for those that they fill where they are still missing."""
    names: set[str] = set()
    for function in statements_in(tree):
        if not isinstance(function, _FUNCTIONS):
            continue
        statements = list(statements_in(function))
        declared = {name for node in statements if isinstance(node, ast.Global) for name in node.names}
        names |= {name for name in declared if not any(_asks_for(node, name) for node in statements)}
    return frozenset(names)


def _asks_for(node: ast.AST, name: str) -> bool:
    """Whether a test asks if there is something under a name yet: ``if grid is None``, ``if not grid``."""
    return isinstance(node, ast.If) and any(
        isinstance(part, ast.Name) and part.id == name for part in walk(node.test)
    )
