"""Keys: every key of a settings file, with its type, its default and how its value is read."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from devfix.config.globs import MOST_CHOICES, Glob, choices
from devfix.config.settings import DEVICE_POLICIES, ConfigError

#: How findings may be written; see ``devfix.report``.
OUTPUT_FORMATS = (
    "text",
    "concise",
    "json",
    "json-lines",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "rdjson",
    "html",
)

#: What a key speaks for.
FILE, PROGRAM, RUN, PLACE = "file", "program", "run", "settings file"

#: Reads a value: the key, what was written, and the folder that relative paths start from.
Reader = Callable[[str, object, str], Any]


@dataclass(frozen=True, slots=True)
class Key:
    """One key; ``default`` and ``example`` are TOML."""

    name: str
    scope: str
    type: str
    default: str
    example: str
    summary: str
    read: Reader

    @property
    def adds(self) -> bool:
        """Whether its value is added to what is inherited, instead of taking its place."""
        return self.name.startswith("extend-")


def _strings(key: str, value: object, _root: str = "") -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"`{key}` must be a list of strings")
    return tuple(value)


def _string(key: str, value: object, _root: str = "") -> str:
    if not isinstance(value, str):
        raise ConfigError(f"`{key}` must be a string")
    return value


def _flag(key: str, value: object, _root: str) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"`{key}` must be true or false")
    return value


def _one_of(choices: tuple[str, ...]) -> Reader:
    def read(key: str, value: object, _root: str) -> str:
        if value not in choices:
            raise ConfigError(f"`{key}` must be one of {', '.join(choices)}")
        return _string(key, value)

    return read


def _globs(key: str, value: object, root: str) -> tuple[Glob, ...]:
    return tuple(_glob(key, pattern, root) for pattern in _strings(key, value))


def _glob(key: str, pattern: str, root: str) -> Glob:
    if choices(pattern) > MOST_CHOICES:
        raise ConfigError(f"`{key}` has a glob that stands for more than {MOST_CHOICES:,} others")
    return Glob(pattern, root)


def _per_file(key: str, value: object, root: str) -> tuple[tuple[Glob, tuple[str, ...]], ...]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"`{key}` must be a table of glob = list of rules")
    return tuple(
        (_glob(key, str(glob), root), _strings(f"{key}.{glob}", rules)) for glob, rules in value.items()
    )


def _path(key: str, value: object, root: str) -> str:
    return os.path.normpath(os.path.join(root, os.path.expanduser(_string(key, value))))


def _paths(key: str, value: object, root: str) -> tuple[str, ...]:
    return tuple(_path(key, each, root) for each in _strings(key, value))


KEYS: Mapping[str, Key] = {
    key.name: key
    for key in (
        Key(
            "extend",
            PLACE,
            "path",
            "none",
            'extend = "../devfix.toml"',
            "A settings file to start from. What this file says takes the place of what that one says; the keys that"
            " begin with `extend-` add to it. Its own paths and globs stay relative to its own folder.",
            _string,
        ),
        Key(
            "required-version",
            PLACE,
            "version specifiers",
            "none",
            'required-version = ">=0.1"',
            "Refuse to run with any other devfix. A bare version means just that one.",
            _string,
        ),
        Key(
            "select",
            FILE,
            "list of rules",
            "every rule but DF7",
            'select = ["DF1", "float64-meets-float32"]',
            "The rules that run: codes, beginnings of codes, names, or `ALL`. Where a rule is both selected and"
            " ignored, the selector that names it more exactly wins.",
            _strings,
        ),
        Key(
            "extend-select",
            FILE,
            "list of rules",
            "[]",
            'extend-select = ["DF109"]',
            "More rules that run.",
            _strings,
        ),
        Key("ignore", FILE, "list of rules", "[]", 'ignore = ["DF103"]', "Rules that do not run.", _strings),
        Key(
            "extend-ignore",
            FILE,
            "list of rules",
            "[]",
            'extend-ignore = ["DF4"]',
            "More rules that do not run. `ignore` adds to what is inherited, too; this key is there for those who"
            " know it from elsewhere.",
            _strings,
        ),
        Key(
            "per-file-ignores",
            FILE,
            "table of glob = list of rules",
            "{}",
            'per-file-ignores = { "tests/*" = ["DF4"], "!src/**" = ["DF5"] }',
            "Rules that do not report in some files. A leading `!` means all other files.",
            _per_file,
        ),
        Key(
            "extend-per-file-ignores",
            FILE,
            "table of glob = list of rules",
            "{}",
            'extend-per-file-ignores = { "scripts/*" = ["ALL"] }',
            "More of them.",
            _per_file,
        ),
        Key(
            "exclude",
            FILE,
            "list of globs",
            "[]",
            'exclude = ["vendor", "old/*.py"]',
            "Files and folders that are left out when a folder is searched. Hidden folders, virtual environments,"
            " `site-packages`, `node_modules`, `build`, `dist` and `__pycache__` always are.",
            _globs,
        ),
        Key(
            "extend-exclude",
            FILE,
            "list of globs",
            "[]",
            'extend-exclude = ["generated"]',
            "More of them.",
            _globs,
        ),
        Key(
            "respect-gitignore",
            FILE,
            "boolean",
            "true",
            "respect-gitignore = false",
            "Whether what Git ignores is left out, too, when a folder of a repository is searched: by `.gitignore` files,"
            " `.git/info/exclude` and the user's own patterns. Files that match are left out even if they are tracked.",
            _flag,
        ),
        Key(
            "fixable",
            FILE,
            "list of rules",
            '["ALL"]',
            'fixable = ["DF1", "DF2"]',
            "The rules whose fixes are offered and applied.",
            _strings,
        ),
        Key(
            "extend-fixable",
            FILE,
            "list of rules",
            "[]",
            'extend-fixable = ["DF901"]',
            "More of them.",
            _strings,
        ),
        Key(
            "unfixable",
            FILE,
            "list of rules",
            "[]",
            'unfixable = ["DF110"]',
            "Rules whose fixes are neither offered nor applied; their findings are reported all the same.",
            _strings,
        ),
        Key(
            "extend-safe-fixes",
            FILE,
            "list of rules",
            "[]",
            'extend-safe-fixes = ["DF501"]',
            "Rules whose unsafe fixes count as safe here. Advice stays advice.",
            _strings,
        ),
        Key(
            "extend-unsafe-fixes",
            FILE,
            "list of rules",
            "[]",
            'extend-unsafe-fixes = ["DF104"]',
            "Rules whose safe fixes count as unsafe here. Where a rule is in both lists, this one wins.",
            _strings,
        ),
        Key(
            "device-policy",
            PROGRAM,
            " or ".join(f'"{each}"' for each in DEVICE_POLICIES),
            '"cuda"',
            'device-policy = "mps-aware"',
            "How a program that never chose a device is made to choose one.",
            _one_of(DEVICE_POLICIES),
        ),
        Key(
            "src",
            RUN,
            "list of folders",
            "[]",
            'src = ["src", "lib"]',
            "More folders that imports start from. The folders that are checked, the project's own, and the current one, where files below it are checked, always do.",
            _paths,
        ),
        Key(
            "force-exclude",
            RUN,
            "boolean",
            "false",
            "force-exclude = true",
            "Leave what `exclude` and `extend-exclude` match out also when it is named, as a pre-commit hook does. What Git ignores is still looked at where it is named.",
            _flag,
        ),
        Key(
            "output-format",
            RUN,
            " or ".join(f'"{each}"' for each in OUTPUT_FORMATS),
            '"text"',
            'output-format = "concise"',
            "How findings are written.",
            _one_of(OUTPUT_FORMATS),
        ),
        Key(
            "baseline",
            RUN,
            "path",
            "none",
            'baseline = "devfix-baseline.json"',
            "A file of known findings, which are not reported and not fixed.",
            _path,
        ),
        Key(
            "cache-dir",
            RUN,
            "path",
            "none",
            'cache-dir = ".cache/devfix"',
            "A folder within the project where what was found is remembered from one run to the next. Without it"
            " that is one of devfix's own, at the root of the project.",
            _path,
        ),
    )
}


def read_value(name: str, value: object, root: str, where: str) -> object:
    """What is meant by a value; raises ConfigError, also for a key that there is not in ``where``."""
    if name not in KEYS:
        raise ConfigError(unknown_key(name, where))
    return KEYS[name].read(name, value, root)


def unknown_key(name: str, where: str) -> str:
    """That there is no such key, and which there is."""
    near = difflib.get_close_matches(name.replace("_", "-"), KEYS, n=1, cutoff=0.5)
    hint = f"; did you mean `{near[0]}`?" if near else f"; the keys are {', '.join(sorted(KEYS))}"
    return f"unknown key `{name}` in {where}{hint}"
