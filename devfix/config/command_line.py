"""Command line: what options say of the settings."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from devfix.config.configuration import Configuration
from devfix.config.keys import KEYS, read_value
from devfix.config.layer import OPTIONS, Layer
from devfix.config.reading import check_version, read_layers
from devfix.config.settings import ConfigError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: What a setting on the command line looks like; a file's name has no equals sign after a bare word.
_SETTING = re.compile(r"\s*[\w.\"'-]+\s*=")


@dataclass(frozen=True, slots=True)
class Asked:
    """The options that are about settings; what is None or empty was not given.

    ``config`` holds files and ``key = value`` settings. ``per_file_ignores`` are ``GLOB:RULES``.
    """

    config: tuple[str, ...] = ()
    isolated: bool = False
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[str, ...] = ()
    extend_per_file_ignores: tuple[str, ...] = ()
    fixable: tuple[str, ...] = ()
    extend_fixable: tuple[str, ...] = ()
    unfixable: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    extend_exclude: tuple[str, ...] = ()
    respect_gitignore: bool | None = None
    force_exclude: bool | None = None
    output_format: str | None = None
    baseline: str | None = None
    cache_dir: str | None = None
    adopt: bool = False


def configuration_of(asked: Asked, *, top: str | None = None) -> Configuration:
    """The settings as the options change them; raises ConfigError."""
    files = [each for each in asked.config if _is_file(each)]
    if len(files) > 1:
        raise ConfigError(f"--config names two files, {files[0]} and {files[1]}; one can `extend` the other")
    if files and asked.isolated:
        raise ConfigError("--config with a file and --isolated exclude each other")
    fixed: tuple[Layer, ...] | None = () if asked.isolated else None
    if files:
        if not os.path.exists(files[0]):
            raise ConfigError(f"--config names {files[0]}, which is neither a file nor `key = value`")
        fixed = read_layers(files[0], root=os.getcwd())
    inline = [_inline(each) for each in asked.config if not _is_file(each)]
    return Configuration((*inline, _options(asked)), fixed, top)


def _is_file(text: str) -> bool:
    return os.path.exists(text) or _SETTING.match(text) is None


def _inline(text: str) -> Layer:
    where = f"--config {text!r}"
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}: {error}") from None
    if "extend" in table:
        raise ConfigError(f"{where}: `extend` is for files; --config FILE takes one")
    here = os.getcwd()
    try:
        values = {key: read_value(key, value, here, "--config") for key, value in table.items()}
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
    layer = Layer(values, here, where)
    check_version(layer)
    return layer


def _options(asked: Asked) -> Layer:
    here = os.getcwd()
    raw = dict(_raw(asked))
    values: dict[str, Any] = {key: read_value(key, value, here, "the options") for key, value in raw.items()}
    if asked.adopt:
        values["adopt"] = True
    return Layer(values, here, OPTIONS)


def _raw(asked: Asked) -> Iterator[tuple[str, object]]:
    for key in KEYS:
        value = getattr(asked, key.replace("-", "_"), None)
        if value is None or value == ():
            continue
        if key.endswith("per-file-ignores"):
            yield key, _per_file(key, value)
        else:
            yield key, list(value) if isinstance(value, tuple) else value


def _per_file(key: str, pairs: tuple[str, ...]) -> dict[str, list[str]]:
    """The table that ``GLOB:RULE`` pairs stand for; the glob may hold colons."""
    table: dict[str, list[str]] = {}
    for pair in pairs:
        glob, colon, rule = pair.rpartition(":")
        if not colon or not glob or not rule:
            raise ConfigError(f"--{key} takes GLOB:RULE, not `{pair}`")
        table.setdefault(glob.strip(), []).append(rule.strip())
    return table
