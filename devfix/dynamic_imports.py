"""Dynamic imports: modules whose names are put together at run time, as far as the text shows them."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator

#: Functions that import the module they are given the name of.
_IMPORTERS = frozenset({"import_module", "__import__"})
#: What stands for the package of the file, in which ``__package__`` (in its ``__init__.py`` ``__name__``, too) names it.
_HERE = ""
_OWN_NAMES = frozenset({"__package__", "__name__"})
#: A part of a name that only a run tells, or all of it: then texts tell, as those of a configuration do.
ANY = "*"
_PATH = r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*"
#: A text that may name a module, or something in one: ``"models.unet.UNet"``, or as entry points do ``"models.unet:UNet"``.
_DOTTED = re.compile(rf"""(["'])({_PATH})(:{_PATH})?\1""")


def patterns(tree: ast.Module, added: Iterable[str] = ()) -> tuple[str, ...]:
    """The names that ``importlib.import_module`` is given, with ``*`` for what is not known, as in ``models.*_model``.

    What is looked for in folders that the file ``added``, too, has their names before it.
    """
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args)
    found = (of_call(call) for call in calls if _name(call.func) in _IMPORTERS)
    # A name that begins with something unknown may be that of any module.
    known = [ANY if text.startswith(ANY) else text for text in found]
    if ANY in known:
        known += [f"{folder.replace(os.sep, '.')}.{ANY}" for folder in added if folder[:1].isalpha()]
    return tuple(dict.fromkeys(text for text in known if text == ANY or _is_telling(text)))


def of_call(call: ast.Call) -> str:
    """The name that a call imports; one that begins with a dot is looked for from the folder of the file.

    What is looked for in a package that only a run tells has none.
    """
    text = pattern(call.args[0])
    told = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "package")]
    if not text.startswith(".") or not told:
        return text
    package = pattern(told[0])
    if package.startswith(ANY):
        return ""
    return text if package == _HERE else f"{package}{text}"


def _is_telling(text: str) -> bool:
    """Whether a name is known, or says with parts that nobody knows in which package it is."""
    begin, unknown, _ = text.partition(ANY)
    if not unknown:
        return bool(text)
    return begin.startswith(".") or bool(begin.rpartition(".")[0])


def named_in(text: str) -> Iterator[str]:
    """The modules that the texts in a file may name, by themselves or with something that is in them."""
    for dotted, entry in dict.fromkeys(found.group(2, 3) for found in _DOTTED.finditer(text)):
        if entry:
            yield dotted
        elif "." in dotted:
            yield dotted
            yield dotted.rpartition(".")[0]


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def pattern(node: ast.expr) -> str:
    """The name of a module as an expression gives it, with ``*`` for what is not known."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.Name) and node.id in _OWN_NAMES:
        return _HERE
    if isinstance(node, ast.FormattedValue) and isinstance(node.value, ast.Name):
        return pattern(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(map(pattern, node.values))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return pattern(node.left) + pattern(node.right)
    return ANY


def matching(pattern: str, folders: Iterable[str], paths: Iterable[str], importer: str = "") -> Iterator[str]:
    """Those of ``paths`` that are modules of a name like ``pattern``, seen from one of ``folders``.

    One that begins with dots is seen from the file that imports it.
    """
    dots = len(pattern) - len(pattern.lstrip("."))
    if dots:
        folders = [os.path.normpath(os.path.join(os.path.dirname(importer), *[os.pardir] * (dots - 1)))]
        folders = ["" if folder == os.curdir else folder for folder in folders]
    # A package is called by the name of its folder.
    parts = [
        re.escape(part).replace(re.escape(ANY), "(?!__init__)[^/]*") for part in pattern[dots:].split(".")
    ]
    below = [f"{re.escape(folder.replace(os.sep, '/'))}/" if folder else "" for folder in folders]
    wanted = re.compile(f"(?:{'|'.join(below)}){'/'.join(parts)}(?:/__init__)?\\.py")
    return (path for path in paths if wanted.fullmatch(path.replace(os.sep, "/")))
