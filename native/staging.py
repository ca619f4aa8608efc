"""Staging: devfix's sources as mypyc takes them, written beside a build.

A compiled class has its fields in places of its own where it has no decorator that is run, so records are spelt out; an alias of a method
becomes a method; and of a collection that may have methods of its own nothing is told to mypyc, which else reads past them. What the sources do
stays the same: they can be run as they are staged, too.
"""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lookups import settled

#: The modules that are compiled, one a line.
LIST = Path(__file__).with_name("modules.txt")
#: What tells the standard library and ``replace`` of the fields of a record that is spelt out.
DECLARED = "devfix/analysis/domain/declared.py"
#: Of what is not compiled itself, the one with collections that may have methods of their own.
_TOLD = "devfix/analysis/record/recorder.py"
_RECORDS = ("frozen", "dataclass(slots=True)")
_COLLECTIONS = frozenset({"dict", "list", "set"})
DECLARED_TEXT = '''"""Declared: records that are spelt out, for those who ask a dataclass for its fields or copy it."""

from collections.abc import Callable
from dataclasses import make_dataclass
from typing import TYPE_CHECKING, Any

from devfix.analysis.domain import copying

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr as mypyc_attr
else:

    def mypyc_attr(**_: object) -> Callable[[type], type]:
        """What tells the compiler something."""
        return lambda cls: cls


def declare(cls: type, names: tuple[str, ...], copied: Callable[[Any], Any]) -> None:
    """Let a class have these fields, and be copied so."""
    made: Any = make_dataclass("made", names)
    cls.__dataclass_fields__ = made.__dataclass_fields__  # type: ignore[attr-defined]
    cls.__match_args__ = names  # type: ignore[attr-defined]
    copying._COPIERS[cls] = copied
'''


def modules() -> list[str]:
    """The paths of the modules that are compiled."""
    return LIST.read_text("utf-8").split()


def stage(project: Path, target: Path) -> None:
    """Write the package to a folder, its compiled modules in the form for mypyc."""
    shutil.copytree(
        project / "devfix",
        target / "devfix",
        ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"),
    )
    (target / DECLARED).write_text(DECLARED_TEXT, "utf-8")
    told = tuple(sorted(attributes_with_methods(target)))
    for name in [*modules(), _TOLD]:
        path = target / name
        compiled = name != _TOLD
        text = path.read_text("utf-8")
        text = staged(settled(text) if compiled else text, target, told, spelt_out=compiled)
        path.write_text(text, "utf-8")


def staged(text: str, root: Path, untold: Iterable[str] = (), *, spelt_out: bool = True) -> str:
    """A module in the form for mypyc; fields of the ``untold`` names may be anything, and the rest is ``spelt_out``."""
    tree = ast.parse(text)
    edits: list[_Edit] = []
    classes = [each for each in tree.body if isinstance(each, ast.ClassDef)]
    records = 0
    for cls in classes:
        fields = [
            each for each in ast.walk(cls) if isinstance(each, ast.AnnAssign) and _name(each.target) in untold
        ]
        if not spelt_out or not (record := _record(cls)):
            edits += [
                _Edit(each.annotation.lineno, each.annotation.end_lineno or 0, None, each.annotation)
                for each in fields
            ]
        if spelt_out:
            if record := _record(cls):
                edits += _spelt_out(cls, record, untold)
                records += 1
            edits += _methods(cls, tree, root)
            if not record and not _is_special(cls):
                edits.append(
                    _Edit(cls.lineno, cls.lineno - 1, ["@mypyc_attr(allow_interpreted_subclasses=True)"])
                )
    if not edits:
        return text
    names = ", ".join(["declare"] * bool(records) + ["mypyc_attr"] * spelt_out)
    heading = ["from typing import Any"]
    heading += [f"from {DECLARED[:-3].replace('/', '.')} import {names}"] if names else []
    first = next(
        each for each in tree.body if isinstance(each, ast.ImportFrom) and each.module == "__future__"
    )
    edits.append(_Edit(first.lineno + 1, first.lineno, heading))
    return _edited(text, edits)


@dataclass(frozen=True)
class _Edit:
    """Lines in place of others, or an annotation that becomes ``Any``."""

    first: int
    last: int
    lines: list[str] | None
    annotation: ast.expr | None = None


def _edited(text: str, edits: list[_Edit]) -> str:
    lines = text.splitlines()
    for edit in sorted(edits, key=lambda each: (each.first, each.last), reverse=True):
        if edit.lines is not None:
            lines[edit.first - 1 : edit.last] = edit.lines
        elif (node := edit.annotation) is not None:
            line = lines[node.lineno - 1]
            lines[node.lineno - 1] = f"{line[: node.col_offset]}Any{line[node.end_col_offset :]}"
    return "\n".join([*lines, ""])


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _is_special(cls: ast.ClassDef) -> bool:
    return bool(cls.decorator_list) or any(_name(base) == "NamedTuple" for base in cls.bases)


def _record(cls: ast.ClassDef) -> str:
    """How a class is made a record, or nothing."""
    return next((each for each in map(ast.unparse, cls.decorator_list) if each in _RECORDS), "")


@dataclass(frozen=True)
class _Field:
    """A field of a record, and what it is when nobody says it."""

    name: str
    type: str
    default: str | None
    made: str | None
    compared: bool
    shown: bool
    given: bool

    @property
    def parameter(self) -> str:
        if self.made is not None:
            return f"{self.name}: {self.type} | None = None"
        return f"{self.name}: {self.type}" + (f" = {self.default}" if self.default is not None else "")

    @property
    def set(self) -> str:
        if not self.given:
            return f"self.{self.name} = {self.made or self.default}"
        return f"self.{self.name} = {self.name}" + (
            f" if {self.name} is not None else {self.made}" if self.made else ""
        )

    @property
    def same(self) -> str:
        mine, other = f"self.{self.name}", f"other.{self.name}"
        return (
            f"{mine} == {other}"
            if self.type in ("str", "int", "bool")
            else f"({mine} is {other} or {mine} == {other})"
        )


def _field(node: ast.AnnAssign, untold: Iterable[str]) -> _Field:
    value, options = node.value, {}
    if isinstance(value, ast.Call) and _name(value.func) == "field":
        options = {each.arg: ast.unparse(each.value) for each in value.keywords}
        value = None
    factory = options.get("default_factory")
    name = _name(node.target)
    return _Field(
        name,
        "Any" if name in untold else ast.unparse(node.annotation),
        options.get("default", ast.unparse(value) if value is not None else None),
        f"({factory})()" if factory is not None else None,
        options.get("compare") != "False",
        options.get("repr") != "False",
        options.get("init") != "False",
    )


def _spelt_out(cls: ast.ClassDef, record: str, untold: Iterable[str]) -> Iterator[_Edit]:
    """A record with the methods that ``dataclasses`` would make, and one that copies it without ``__init__``."""
    nodes = [each for each in cls.body if isinstance(each, ast.AnnAssign)]
    fields = [_field(each, untold) for each in nodes]
    given, compared = [each for each in fields if each.given], [each for each in fields if each.compared]
    own = {each.name for each in cls.body if isinstance(each, ast.FunctionDef)}
    checked = "__post_init__" in own
    lines = [f"    {each.name}: {each.type}" for each in fields]
    lines += ["", f"    def __init__(self, {', '.join(each.parameter for each in given)}) -> None:"]
    # A field without a value is one that ``__post_init__`` sets.
    lines += [
        f"        {each.set}" for each in fields if each.given or (each.made or each.default) is not None
    ]
    lines += ["        self.__post_init__()"] if checked else []
    if "__eq__" not in own:
        lines += [
            "",
            "    def __eq__(self, other: object) -> bool:",
            f"        if not isinstance(other, {cls.name}):",
        ]
        lines += [
            "            return False",
            f"        return {' and '.join(each.same for each in compared) or 'True'}",
        ]
    if "__hash__" not in own and record == "frozen":
        lines += ["", "    def __hash__(self) -> int:"]
        lines += [f"        return hash(({''.join(f'self.{each.name}, ' for each in compared)}))"]
    shown = ", ".join(f"{each.name}={{self.{each.name}!r}}" for each in fields if each.shown)
    lines += ["", "    def __repr__(self) -> str:", f'        return f"{cls.name}({shown})"']
    lines += ["", f"    def copied(self) -> {cls.name}:"]
    lines += [f"        made = {cls.name}({', '.join(f'self.{each.name}' for each in given)})"]
    lines += [f"        made.{each.name} = self.{each.name}" for each in fields if checked or not each.given]
    lines += ["        return made"]
    for node in reversed(nodes):
        yield _Edit(node.lineno, node.end_lineno or 0, [])
    for decorator in cls.decorator_list:
        yield _Edit(decorator.lineno, decorator.lineno, [])
    yield _Edit(nodes[0].lineno, nodes[0].lineno - 1, lines)
    end = (cls.end_lineno or 0) + 1
    yield _Edit(
        end,
        end - 1,
        ["", "", f"declare({cls.name}, {tuple(each.name for each in fields)!r}, {cls.name}.copied)"],
    )


def _methods(cls: ast.ClassDef, tree: ast.Module, root: Path) -> Iterator[_Edit]:
    """Methods in the place of names that are bound to others, or to functions of modules, in the body of a class."""
    for node in cls.body:
        if not isinstance(node, ast.Assign) or _name(node.targets[0]) == "__slots__":
            continue
        target, value = node.targets[0], node.value
        several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        pairs = zip(target.elts, value.elts, strict=True) if several else [(target, value)]  # type: ignore[attr-defined]
        lines: list[str] = []
        for name, bound in pairs:
            lines += _method(_name(name), bound, cls, tree, root)
        yield _Edit(node.lineno, node.end_lineno or 0, lines)


def _method(name: str, bound: ast.expr, cls: ast.ClassDef, tree: ast.Module, root: Path) -> list[str]:
    if isinstance(bound, ast.Name):
        same = next(each for each in cls.body if isinstance(each, ast.FunctionDef) and each.name == bound.id)
        lines = ast.unparse(same).replace(f"def {bound.id}(", f"def {name}(", 1).splitlines()
        return [f"    {line}" for line in lines]
    module, function_name = ast.unparse(bound).split(".")
    package = next(
        each.module
        for each in tree.body
        if isinstance(each, ast.ImportFrom) and module in {part.name for part in each.names}
    )
    text = root.joinpath(*(package or "").split("."), f"{module}.py").read_text("utf-8")
    function = next(
        each
        for each in ast.parse(text).body
        if isinstance(each, ast.FunctionDef) and each.name == function_name
    )
    given = [each.arg for each in function.args.args[1:]]
    function.args.args[0] = ast.arg("self")
    returned = ast.unparse(function.returns) if function.returns is not None else "None"
    return [
        f"    def {name}({ast.unparse(function.args)}) -> {returned}:",
        f"        return {ast.unparse(bound)}({', '.join(['self', *given])})",
    ]


def attributes_with_methods(root: Path) -> set[str]:
    """The attributes to which collections with methods of their own are assigned somewhere."""
    trees = [ast.parse(path.read_text("utf-8")) for path in sorted((root / "devfix/analysis").rglob("*.py"))]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    classes = [each for each in nodes if isinstance(each, ast.ClassDef)]
    known: set[str] = set()
    for _ in range(3):
        known |= {
            each.name
            for each in classes
            for base in each.bases
            if _name(base.value if isinstance(base, ast.Subscript) else base) in known | _COLLECTIONS
        }
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Assign):
            target, value = node.targets[0], node.value
            several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            pairs = zip(target.elts, value.elts, strict=True) if several else [(target, value)]  # type: ignore[attr-defined]
            found |= {
                _name(part)
                for part, made in pairs
                if isinstance(made, ast.Call) and _name(made.func) in known
            }
    return found
