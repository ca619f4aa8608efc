"""Pack: the folder of a distribution of rules, made from the templates or extended."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from devfix.registry import CODE, ENTRY_POINTS, NAME, RESERVED

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: The files of a pack, and those of each of its rules: the template and where it goes.
_OF_PACK = {
    "pyproject.toml.in": "pyproject.toml",
    "README.md.in": "README.md",
    "__init__.py.in": "$package/__init__.py",
    "py.typed.in": "$package/py.typed",
}
_OF_RULE = {
    "rule.py.in": "$package/$module.py",
    "before.py.in": "cases/$name/before.py",
    "after.py.in": "cases/$name/after.py",
    "ok.py.in": "cases/$name/ok.py",
    "test_rule.py.in": "tests/test_$module.py",
}


class PackError(Exception):
    """A rule that cannot be made; the message says why."""


@dataclass(frozen=True, slots=True)
class _Pack:
    folder: Path
    package: str
    is_new: bool


def make(name: str, folder: Path, code: str | None = None) -> list[Path]:
    """Make a rule in the pack in ``folder``, and the pack unless it is there; returns the files that were made.

    Raises PackError when the name or code will not do, the folder is no pack, or a file is there already; then
    nothing is written.
    """
    if not NAME.fullmatch(name) or name[0].isdigit():
        raise PackError(
            f"a rule's name is small letters with hyphens, such as `model-not-moved`, not `{name}`"
        )
    pack = _pack(folder)
    code = code or _next_code(pack)
    if not CODE.fullmatch(code) or RESERVED.match(code):
        raise PackError(
            f"a code is two to eight capitals, not DF, and a number, such as `ACME101`, not `{code}`"
        )
    words = name.split("-")
    values = {
        "name": name,
        "module": "_".join(words),
        "cls": "".join(word.capitalize() for word in words),
        "code": code,
        "package": pack.package,
        "distribution": pack.package.replace("_", "-"),
    }
    templates = {**(_OF_PACK if pack.is_new else {}), **_OF_RULE}
    return _written(pack.folder, dict(_texts(templates, values)))


def _texts(templates: dict[str, str], values: dict[str, str]) -> Iterator[tuple[str, str]]:
    source = files("devfix.new_rule") / "template"
    for template, path in templates.items():
        text = (source / template).read_text(encoding="utf-8")
        yield Template(path).substitute(values), Template(text).substitute(values)


def _written(folder: Path, texts: dict[str, str]) -> list[Path]:
    paths = {folder / name: text for name, text in texts.items()}
    there = [str(path) for path in paths if path.exists()]
    if there:
        raise PackError(f"{', '.join(there)} {'is' if len(there) == 1 else 'are'} there already")
    try:
        for path, text in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise PackError(f"{error.filename} cannot be written: {error.strerror}") from error
    return list(paths)


def _pack(folder: Path) -> _Pack:
    """The pack that is, or will be, in a folder."""
    settings = folder / "pyproject.toml"
    if settings.is_file():
        return _Pack(folder, _announced(settings), is_new=False)
    if folder.is_dir() and any(folder.iterdir()):
        raise PackError(f"{folder} is neither a pack of rules nor empty; `--pack FOLDER` makes one elsewhere")
    package = re.sub(r"\W+", "_", folder.resolve().name).strip("_").lower()
    if not package.isidentifier() or not package.isascii():
        raise PackError(f"{folder} gives no name for a package; a pack's folder is called, say, `acme-rules`")
    return _Pack(folder, package, is_new=True)


def _announced(settings: Path) -> str:
    try:
        document = tomllib.loads(settings.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PackError(f"{settings}: {error}") from error
    found: Any = document
    for key in ("project", "entry-points", ENTRY_POINTS):
        found = found.get(key) if isinstance(found, dict) else None
    packages = [each for each in found.values() if isinstance(each, str)] if isinstance(found, dict) else []
    if not packages:
        raise PackError(f'{settings} announces no rules: it has no [project.entry-points."{ENTRY_POINTS}"]')
    return packages[0].replace(".", "/")


def _next_code(pack: _Pack) -> str:
    """The code after the last one of the pack, or the first one of a new pack, after its name."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((pack.folder / pack.package).glob("*.py"))]
    taken = [found for text in texts for found in re.findall(r"\"([A-Z]{2,8})([0-9]{1,4})\"", text)]
    if taken:
        prefix, number = max(taken, key=lambda found: int(found[1]))
        return f"{prefix}{int(number) + 1:0{len(number)}}"
    letters = re.sub(r"[^A-Z]", "", pack.package.split("_")[0].upper())[:8]
    return f"{letters if len(letters) > 1 and letters != 'DF' else 'MY' + letters[:6]}101"
