"""Effective: which settings hold for a file, which rules run on it, and why."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from devfix.config import Configuration, Glob
from devfix.config.keys import KEYS, PLACE
from devfix.config.layer import Layer, choice_of
from devfix.discovery import PROGRAM_SUFFIXES, exclusion, foreign_folder, ignoring, short_path
from devfix.engine import Engine
from devfix.registry import Rule
from devfix.selection import ADOPTING_RULE, exactness, is_off_by_default, names_rule


@dataclass(frozen=True, slots=True)
class Setting:
    """What is said of a key, in one place; ``place`` is a file and line, an option, or ``default``."""

    key: str
    scope: str
    value: str
    place: str


@dataclass(frozen=True, slots=True)
class RuleState:
    """Whether a rule runs on the file, whether its fixes are offered, and why."""

    code: str
    name: str
    runs: bool
    reason: str
    fixable: bool


@dataclass(frozen=True, slots=True)
class Effective:
    """All that holds for a file. ``files`` are the settings files, the one that has the last word first."""

    path: str
    files: tuple[str, ...]
    left_out: str
    settings: tuple[Setting, ...]
    rules: tuple[RuleState, ...]

    @property
    def data(self) -> dict[str, Any]:
        """What holds for the file as plain data, with the version of its form."""
        return {"version": 1, **asdict(self)}


def effective(path: str, engine: Engine, configuration: Configuration) -> Effective:
    """What holds for a file or folder, which need not exist; raises ConfigError."""
    folder = os.path.abspath(path)
    # What holds in a folder holds for the files in it.
    file = os.path.join(folder, "any.py") if os.path.isdir(folder) else path
    layers = (*configuration.layers_in(os.path.dirname(os.path.abspath(file))), *configuration.overrides)
    rules = engine.selection.rules
    return Effective(
        short_path(path) or ".",
        tuple(layer.name for layer in reversed(layers) if layer.file is not None),
        _left_out(path, configuration, layers),
        tuple(_settings(layers)),
        tuple(_state(rule, file, engine, layers) for rule in rules),
    )


def _settings(layers: Sequence[Layer]) -> Iterator[Setting]:
    """Every key with each place whose word counts; the last one where a value takes another's place."""
    for key in KEYS.values():
        saying = [layer for layer in _heard(key.name, layers) if key.name in layer.values]
        counting = saying if key.adds or key.name in ("ignore", "unfixable") else saying[-1:]
        if key.scope != PLACE:
            for layer in counting:
                yield Setting(key.name, key.scope, _written(layer.values[key.name]), layer.place(key.name))
            if not counting:
                yield Setting(key.name, key.scope, key.default, "default")


def _heard(key: str, layers: Sequence[Layer]) -> Sequence[Layer]:
    """The layers whose word on a key counts: what selects anew leaves nothing of what was said before."""
    for first, others in (
        ("select", ("extend-select", "ignore", "extend-ignore")),
        ("fixable", ("extend-fixable", "unfixable")),
    ):
        if key in others:
            starts = [number for number, layer in enumerate(layers) if first in layer.values]
            return layers[starts[-1] if starts else 0 :]
    return layers


def _written(value: object) -> str:
    """A value as in TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Glob):
        return _written(value.pattern)
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        pairs = ", ".join(f"{_written(glob)} = {_written(rules)}" for glob, rules in value)
        return f"{{ {pairs} }}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    return str(value)


def _left_out(path: str, configuration: Configuration, layers: Iterable[Layer]) -> str:
    """Why a search would not find the file; empty when it would."""
    if Path(path).suffix not in PROGRAM_SUFFIXES and not os.path.isdir(path):
        return "it is neither a Python file nor a notebook"
    folder = foreign_folder(path)
    if folder is not None:
        return f"{short_path(str(folder))} is a folder that is never searched"
    found = exclusion(path, configuration)
    if found is None:
        ignored = ignoring(path, configuration)
        return "" if ignored is None else f"`{ignored.text}` ({short_path(ignored.file)}:{ignored.line})"
    for layer in layers:
        for key in ("exclude", "extend-exclude"):
            if found in layer.values.get(key, ()):
                return f"`{found.pattern}` in `{key}` ({layer.place(key)})"
    return f"`{found.pattern}`, for a folder above"


def _state(rule: Rule, path: str, engine: Engine, layers: Sequence[Layer]) -> RuleState:
    runs, reason = _choice(rule, layers)
    if runs and rule.code == ADOPTING_RULE and not engine.of_files.of(path).adopt:
        runs, reason = False, "runs only with --adopt"
    if runs:
        runs, reason = _in_file(rule, path, layers) or (runs, reason)
    return RuleState(rule.code, rule.name, runs, reason, engine.selection.fixes(path, rule.code))


def _choice(rule: Rule, layers: Sequence[Layer]) -> tuple[bool, str]:
    """Whether a rule runs in general, and which word decides that."""
    runs, reason = not is_off_by_default(rule), "off by default" if is_off_by_default(rule) else "by default"
    for layer in layers:
        choice = choice_of(layer)
        if choice.select is not None:
            runs, reason = False, f"not in `select` ({layer.place('select')})"
        wanted, selecting = _best(rule, layer, "select", "extend-select")
        refused, ignoring = _best(rule, layer, "ignore", "extend-ignore")
        if max(wanted, refused) >= 0:
            runs, reason = wanted > refused, selecting if wanted > refused else ignoring
    return runs, reason


def _best(rule: Rule, layer: Layer, *keys: str) -> tuple[int, str]:
    """How exactly a layer names a rule under some keys, and where."""
    found = (
        (exactness((selector,), rule), f"`{selector}` in `{key}` ({layer.place(key)})")
        for key in keys
        for selector in layer.values.get(key, ())
    )
    return max(found, key=lambda each: each[0], default=(-1, ""))


def _in_file(rule: Rule, path: str, layers: Sequence[Layer]) -> tuple[bool, str] | None:
    """That a rule is not to report in this file; None where nothing says so."""
    replacing = [layer for layer in layers if "per-file-ignores" in layer.values][-1:]
    for layer, key in (
        *((layer, "per-file-ignores") for layer in replacing),
        *((layer, "extend-per-file-ignores") for layer in layers),
    ):
        for glob, selectors in layer.values.get(key, ()):
            for selector in selectors:
                if names_rule(selector, rule.code, rule.name) and glob.matches(path):
                    return False, f"`{selector}` for `{glob.pattern}` in `{key}` ({layer.place(key)})"
    return None


def render(found: Effective) -> str:
    """All of it for people."""
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: Effective) -> Iterator[str]:
    yield found.path
    yield f"settings files: {', which extends '.join(found.files) or 'none'}"
    yield f"left out when a folder is searched: {found.left_out or 'no'}"
    for scope in dict.fromkeys(setting.scope for setting in found.settings):
        yield ""
        yield f"of the {scope}:"
        own = [setting for setting in found.settings if setting.scope == scope]
        yield from _table((f"{each.key} = {each.value}", each.place) for each in own)
    running = [rule for rule in found.rules if rule.runs]
    yield ""
    yield f"{len(running)} of {len(found.rules)} rules run:"
    yield from _table(
        (f"{rule.code} {rule.name}", rule.reason + ("" if rule.fixable else "; not fixed"))
        for rule in running
    )
    if len(running) < len(found.rules):
        yield ""
        yield "those that do not:"
        yield from _table((f"{rule.code} {rule.name}", rule.reason) for rule in found.rules if not rule.runs)


def _table(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    rows = list(rows)
    width = min(max((len(left) for left, _ in rows), default=0), 60)
    yield from (f"  {left:{width}}  {right}" for left, right in rows)
