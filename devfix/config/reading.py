"""Reading: from settings files to layers. Nothing that a file names is imported or run."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from devfix import __version__
from devfix.config.keys import read_value
from devfix.config.layer import Layer
from devfix.config.settings import ConfigError
from devfix.config.versions import satisfies
from devfix.regular_files import read_small

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PYPROJECT = "pyproject.toml"
#: The names of settings files; of several in one folder the first one counts.
NAMES = (".devfix.toml", "devfix.toml", PYPROJECT)
_TABLE = "tool.devfix"
#: How the parser of TOML says where something is wrong.
_AT = re.compile(r" \(at line (\d+), column (\d+)\)$")


def settings_file(folder: str) -> str | None:
    """The settings file of a folder; a pyproject.toml is one if it has a ``[tool.devfix]``."""
    for name in NAMES:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and (name != PYPROJECT or _has_table(path)):
            return path
    return None


def _has_table(path: str) -> bool:
    text = _text(path)
    # Most of them are somebody else's: those are not parsed, and may be broken.
    return "devfix" in text and _table(_parsed(path, text), path)[0] is not None


def read_layers(path: str, *, root: str | None = None, within: str | None = None) -> tuple[Layer, ...]:
    """What a settings file says, after what it extends says, the weakest first; raises ConfigError.

    Paths are relative to each file's own folder unless ``root`` is given. ``within`` is a folder that no
    file may be out of.
    """
    seen: list[str] = []
    try:
        return tuple(reversed(_layers(path, seen, root, within)))
    except ConfigError as error:
        error.files += tuple(seen)
        raise


def _layers(path: str, seen: list[str], root: str | None, within: str | None) -> list[Layer]:
    """The same, the strongest first; ``seen`` is given the files as they are read."""
    layers: list[Layer] = []
    following: str | None = os.path.abspath(path)
    while following is not None:
        real = os.path.realpath(following)
        if real in seen:
            circle = " -> ".join(map(_shown, [*seen[seen.index(real) :], real]))
            raise ConfigError(f"{_shown(following)}: `extend` goes in a circle: {circle}")
        if within is not None and not is_below(real, within):
            raise ConfigError(f"{layers[-1].name}: `extend` leads out of the project")
        seen.append(real)
        layers.append(_read(following, root))
        following = _extended(layers[-1], following)
    return layers


def is_below(path: str, folder: str) -> bool:
    """Whether what a path leads to really lies below a folder."""
    return os.path.realpath(path).startswith(os.path.realpath(folder).rstrip(os.sep) + os.sep)


def _extended(layer: Layer, path: str) -> str | None:
    named = layer.values.get("extend")
    if named is None:
        return None
    target = os.path.normpath(os.path.join(os.path.dirname(path), os.path.expanduser(named)))
    if not os.path.isfile(target):
        error = ConfigError(f"{layer.place('extend')}: `extend` names {named}, which is no file")
        error.files = (target,)
        raise error
    return target


def _read(path: str, root: str | None) -> Layer:
    text = _text(path)
    table, where = _table(_parsed(path, text), path)
    root = os.path.dirname(path) if root is None else root
    if table is None:
        return Layer({}, root, _shown(path), path)
    if not isinstance(table, Mapping):
        raise ConfigError(f"{_shown(path)}: {where} must be a table")
    values: dict[str, Any] = {}
    layer = Layer(values, root, _shown(path), path, text, _TABLE if where.startswith("[") else "")
    for key, value in table.items():
        try:
            values[key] = read_value(key, value, root, where)
        except ConfigError as error:  # noqa: PERF203 - there are few
            raise ConfigError(f"{layer.place(key)}: {error}") from None
    check_version(layer)
    return layer


def check_version(layer: Layer) -> None:
    """Raise ConfigError where a layer requires another devfix."""
    wanted = layer.values.get("required-version")
    if wanted is None:
        return
    place = layer.place("required-version")
    try:
        fits = satisfies(__version__, wanted)
    except ValueError as error:
        raise ConfigError(f"{place}: `required-version`: `{error}` is no version specifier") from None
    if not fits:
        raise ConfigError(f"{place}: this project requires devfix {wanted}, and this is devfix {__version__}")


def _text(path: str) -> str:
    try:
        # What is no regular file is one that the user names, such as a pipe.
        data = read_small(path) if os.path.isfile(path) else Path(path).read_bytes()
        return data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{_shown(path)}: {error}") from error


def _parsed(path: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        at = _AT.search(str(error))
        place, message = (f":{at[1]}:{at[2]}", str(error)[: at.start()]) if at else ("", str(error))
        raise ConfigError(f"{_shown(path)}{place}: {message}") from error


def _table(document: dict[str, Any], path: str) -> tuple[object | None, str]:
    """The table of settings in a document, and what it is called; in a file of our own it is the document."""
    tool = document.get("tool")
    table = tool.get("devfix") if isinstance(tool, dict) else None
    if table is not None or os.path.basename(path) == PYPROJECT:
        return table, f"[{_TABLE}]"
    return document, "the settings"


def _shown(path: str) -> str:
    """A path as the user would write it: from here where it is below."""
    here = os.getcwd().rstrip(os.sep) + os.sep
    return os.path.abspath(path).removeprefix(here)
