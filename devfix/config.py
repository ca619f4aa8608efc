"""Settings: what the user asked for in ``[tool.devfix]`` and on the command line."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: How a rewritten program names its device.
DEVICE_POLICIES = ("cuda", "mps-aware", "accelerator")


class ConfigError(Exception):
    """A setting that devfix does not understand; the message says which and where."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that changes what a run does.

    ``select`` and ``ignore`` hold codes, code prefixes or names; an empty ``select`` means the
    default rules. ``root`` is the folder that the globs and the baseline are relative to.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = ()
    device_policy: str = "cuda"
    baseline: str | None = None
    adopt: bool = False
    root: str = "."

    def extended(self, *, ignore: tuple[str, ...], exclude: tuple[str, ...], adopt: bool) -> Settings:
        """These settings with more from the command line."""
        return replace(
            self, ignore=self.ignore + ignore, exclude=self.exclude + exclude, adopt=self.adopt or adopt
        )


def find_config(start: Path) -> Path | None:
    """The nearest ``pyproject.toml`` at or above ``start`` that has a ``[tool.devfix]``."""
    folder = start.resolve()
    for parent in (folder, *folder.parents):
        candidate = parent / "pyproject.toml"
        if candidate.is_file() and _table(_load(candidate)) is not None:
            return candidate
    return None


def load_settings(path: Path) -> Settings:
    """The settings in ``path``; raises ConfigError when they make no sense."""
    table = _table(_load(path))
    try:
        return parse_settings({} if table is None else table, root=str(path.parent))
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def parse_settings(table: object, *, root: str = ".") -> Settings:
    """The settings in an already parsed ``[tool.devfix]``."""
    if not isinstance(table, Mapping):
        raise ConfigError("[tool.devfix] must be a table")
    values: dict[str, Any] = {"root": root}
    for key, value in table.items():
        if key not in _READERS:
            raise ConfigError(_unknown(key))
        values[key.replace("-", "_")] = _READERS[key](key, value)
    return Settings(**values)


def _load(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error


def _table(document: dict[str, Any]) -> object | None:
    tool = document.get("tool", {})
    return tool.get("devfix") if isinstance(tool, dict) else None


def _unknown(key: str) -> str:
    near = difflib.get_close_matches(key.replace("_", "-"), _READERS, n=1, cutoff=0.5)
    hint = f"; did you mean `{near[0]}`?" if near else f"; the keys are {', '.join(sorted(_READERS))}"
    return f"unknown key `{key}` in [tool.devfix]{hint}"


def _strings(key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"`{key}` must be a list of strings")
    return tuple(value)


def _string(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"`{key}` must be a string")
    return value


def _policy(key: str, value: object) -> str:
    if value not in DEVICE_POLICIES:
        raise ConfigError(f"`{key}` must be one of {', '.join(DEVICE_POLICIES)}")
    return _string(key, value)


def _per_file(key: str, value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"`{key}` must be a table of glob = list of rules")
    return tuple((str(glob), _strings(f"{key}.{glob}", rules)) for glob, rules in value.items())


_READERS: Mapping[str, Callable[[str, object], object]] = {
    "select": _strings,
    "ignore": _strings,
    "per-file-ignores": _per_file,
    "exclude": _strings,
    "device-policy": _policy,
    "baseline": _string,
}
