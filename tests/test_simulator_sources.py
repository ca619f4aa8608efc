"""The simulator's sources keep to what Python 3.9 and torch offer: they run in the user's interpreter, not in ours.

``tests/fidelity/smoke.py`` runs them on an interpreter that one has at hand; this reads them.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import devfix

FOLDER = Path(devfix.__file__).parent / "simulator"
SOURCES = sorted(FOLDER.rglob("*.py"))
#: What may be imported beside the standard library.
OTHERS = {"torch"}
#: Modules and names that the standard library got after Python 3.9.
NEWER = {
    "annotationlib", "compression", "tomllib", "asyncio.Barrier", "asyncio.Runner", "asyncio.TaskGroup",
    "asyncio.timeout", "contextlib.aclosing", "contextlib.chdir", "dataclasses.KW_ONLY", "datetime.UTC",
    "enum.StrEnum", "enum.member", "enum.nonmember", "hashlib.file_digest", "inspect.get_annotations",
    "inspect.getmembers_static", "itertools.batched", "itertools.pairwise", "math.cbrt", "math.exp2",
    "math.sumprod", "operator.call", "os.process_cpu_count", "sys.exception", "sys.monitoring",
    "sys.stdlib_module_names", "types.EllipsisType", "types.NoneType", "types.NotImplementedType",
    "types.UnionType", "types.get_original_bases", "typing.Concatenate", "typing.LiteralString",
    "typing.Never", "typing.NotRequired", "typing.ParamSpec", "typing.Required", "typing.Self",
    "typing.TypeAlias", "typing.TypeAliasType", "typing.TypeGuard", "typing.TypeIs", "typing.TypeVarTuple",
    "typing.Unpack", "typing.assert_never", "typing.assert_type", "typing.dataclass_transform",
    "typing.override", "typing.reveal_type", "warnings.deprecated",
}  # fmt: skip
#: Builtins that came after Python 3.9, and methods whose names nothing else has.
NEWER_BUILTINS = {
    "BaseExceptionGroup",
    "EncodingWarning",
    "ExceptionGroup",
    "PythonFinalizationError",
    "aiter",
    "anext",
}
NEWER_METHODS = {"add_note", "bit_count", "co_qualname", "co_positions", "walk_up"}
#: Arguments that functions got after Python 3.9, by the function's own name.
NEWER_ARGUMENTS = {
    "zip": {"strict"},
    "dataclass": {"slots", "kw_only", "match_args", "weakref_slot"},
    "field": {"kw_only"},
    "bisect": {"key"},
    "bisect_left": {"key"},
    "bisect_right": {"key"},
    "insort": {"key"},
    "NamedTemporaryFile": {"delete_on_close"},
    "TemporaryDirectory": {"ignore_cleanup_errors", "delete"},
    "is_dir": {"follow_symlinks"},
    "rmtree": {"onexc"},
    "warn": {"skip_file_prefixes"},
}
#: Functions that want more than the exception until Python 3.10.
THREE_ARGUMENTS = {"print_exception", "format_exception"}


def complaints(text: str) -> list[str]:
    """What a source does that Python 3.9 cannot, with the lines."""
    try:
        tree = ast.parse(text, feature_version=(3, 9))
    except SyntaxError as error:
        return [f"{error.lineno}: {error.msg}"]
    lazy = any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in tree.body)
    return [f"{node.lineno}: {what}" for node in _evaluated(tree, lazy=lazy) for what in _newer(node)]  # type: ignore[attr-defined]


def _evaluated(tree: ast.AST, *, lazy: bool) -> Iterator[ast.AST]:
    """The nodes of a tree that are executed: with ``from __future__ import annotations`` those are not."""
    for name, value in ast.iter_fields(tree):
        if lazy and name in ("annotation", "returns"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST):
                yield node
                yield from _evaluated(node, lazy=lazy)


def _newer(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from _newer_imports(node)
    elif isinstance(node, ast.Attribute):
        if isinstance(node.value, ast.Name) and f"{node.value.id}.{node.attr}" in NEWER:
            yield f"{node.value.id}.{node.attr} is newer"
        if node.attr in NEWER_METHODS:
            yield f".{node.attr} is newer"
    elif isinstance(node, ast.Name) and node.id in NEWER_BUILTINS:
        yield f"{node.id} is newer"
    elif isinstance(node, ast.Call):
        yield from _newer_arguments(node)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and _unites_types(node):
        yield "a union of types is evaluated"


def _newer_imports(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom):
        if node.level:
            return
        modules = [node.module or ""]
        yield from (f"{n} is newer" for n in (f"{node.module}.{a.name}" for a in node.names) if n in NEWER)
    else:
        modules = [alias.name for alias in node.names]
    for module in modules:
        top = module.partition(".")[0]
        if top in NEWER or top not in sys.stdlib_module_names | OTHERS:
            yield f"{module} is not there"


def _newer_arguments(call: ast.Call) -> Iterator[str]:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = {keyword.arg for keyword in call.keywords}
    yield from (f"{name}({argument}=) is newer" for argument in given & NEWER_ARGUMENTS.get(name, set()))
    if name in THREE_ARGUMENTS and len(call.args) == 1:
        yield f"{name} of an exception alone is newer"


def _unites_types(node: ast.BinOp) -> bool:
    return _is_type(node.left) or _is_type(node.right)


def _is_type(node: ast.AST) -> bool:
    """Whether an operand of ``|`` is a type, as far as its name tells."""
    if isinstance(node, ast.Constant):
        return node.value is None
    if isinstance(node, ast.Subscript):
        return _is_type(node.value)
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return (
        isinstance(getattr(builtins, name, None), type)
        or re.match(r"_?(?=.*[a-z])[A-Z][A-Za-z0-9]*$", name) is not None
    )


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_sources_keep_to_python_3_9(path: Path) -> None:
    assert complaints(path.read_text(encoding="utf-8")) == []


def test_nothing_of_the_rest_of_devfix_is_imported() -> None:
    for path in SOURCES:
        depth = len(path.relative_to(FOLDER).parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert node.level <= depth, f"{path}:{node.lineno}"


@pytest.mark.parametrize(
    "text",
    [
        "match x:\n    case 1: pass",
        "try: pass\nexcept* ValueError: pass",
        "def f(x: int | None): pass",
        "from __future__ import annotations\nIndex = int | None",
        "isinstance(x, Tensor | list)",
        "cast(torch.Tensor | None, x)",
        "zip(a, b, strict=True)",
        "@dataclass(slots=True)\nclass A: pass",
        "from itertools import pairwise",
        "itertools.pairwise(x)",
        "import tomllib",
        "import libcst",
        "from devfix.findings import Mismatch",
        "traceback.print_exception(error)",
        "code.co_positions()",
        "anext(x)",
    ],
)
def test_what_python_3_9_lacks_is_found(text: str) -> None:
    assert complaints(text)


@pytest.mark.parametrize(
    "text",
    [
        "from __future__ import annotations\ndef f(x: int | None) -> dict[str, int] | None: y: int | str = 1",
        "FLAGS | re.I",
        "found | {1}",
        "zip(a, b)",
        "getattr(code, 'co_positions', None)",
        "from .claims import Claim",
        "import torch.utils.data",
    ],
)
def test_what_python_3_9_has_is_not_complained_of(text: str) -> None:
    assert complaints(text) == []
