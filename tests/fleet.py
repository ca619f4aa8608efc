"""A fleet of made-up repositories of known kinds, and where a campaign over them has to end."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FIXABLE = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 2).to(device)
x = torch.ones(4, 3)
print(model(x).shape)
"""
FIXED = FIXABLE.replace("torch.ones(4, 3)", "torch.ones(4, 3, device=device)")
CLEAN = FIXED
UNFIXABLE = """\
import torch
from torch import nn

device = torch.device("cuda")
model = nn.Linear(3, 2).to(device)
print(model(torch.zeros(4, 3, dtype=torch.float64, device=device)))
"""
PASSING = "raise SystemExit(0)\n"
#: Prints what pytest prints of a test that fails whatever happens.
FAILING = 'print("FAILED tests/test_a.py::test_old - AssertionError")\nraise SystemExit(1)\n'
#: A repository in which any change to the program breaks something.
FRAGILE = """\
if "device=device" in open("train.py").read():
    print("FAILED tests/test_a.py::test_new - AssertionError")
    raise SystemExit(1)
"""
VERIFY = "python3 -I -S check.py"
#: Tracked files of the fleet are smaller than this, but for the huge ones.
LIMIT = 200_000

_QUIET = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_AUTHOR_DATE": "1700000000 +0000",
    "GIT_COMMITTER_DATE": "1700000000 +0000",
}


@dataclass(frozen=True)
class Expected:
    """Where a repository has to end: its standing, a part of the reason, and what is counted."""

    standing: str
    reason: str = ""
    fixed: int = 0
    left: int = 0
    changed: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    verified: str = ""


@dataclass(frozen=True)
class Member:
    """One repository of the fleet."""

    kind: str
    path: Path
    expected: Expected
    #: The user's files, which have to stay as they are.
    before: Mapping[str, bytes] = field(default_factory=dict)


CHANGED = Expected("changed", fixed=1, changed=("train.py",), verified="passes")


def git(folder: Path, *words: str, data: bytes | None = None) -> str:
    """Run git without anybody's settings."""
    ended = subprocess.run(
        ["git", *words], cwd=folder, env={**os.environ, **_QUIET}, input=data, capture_output=True, check=True
    )
    return os.fsdecode(ended.stdout).strip()


def make_repository(folder: Path, files: Mapping[Any, str | bytes]) -> None:
    """A repository with one commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
    for name, content in files.items():
        path = os.path.join(os.fsencode(folder), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
    commit(folder)


def commit(folder: Path, message: str = "A") -> None:
    """Commit everything there is."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message)


def _plain(program: str, check: str = PASSING) -> Callable[[Path], None]:
    return lambda folder: make_repository(folder, {"train.py": program, "check.py": check})


def _empty(folder: Path) -> None:
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--template=")


def _syntax_error(folder: Path) -> None:
    make_repository(folder, {"broken.py": "import torch\ndef f(:\n", "check.py": PASSING})


def _partly_broken(folder: Path) -> None:
    files = {"old.py": "import torch\nprint 'x'\n", "train.py": FIXABLE, "check.py": PASSING}
    make_repository(folder, files)


def _huge(folder: Path) -> None:
    make_repository(folder, {"train.py": FIXABLE, "data.bin": b"\0" * (LIMIT + 1)})


def _no_python(folder: Path) -> None:
    make_repository(folder, {"README.md": "# A\n", "main.c": "int main(void) { return 0; }\n"})


def _dirty(folder: Path) -> None:
    _plain(FIXABLE)(folder)
    (folder / "train.py").write_text(FIXABLE + "print('not committed')\n")
    (folder / "new.py").write_text(FIXABLE)
    (folder / "staged.py").write_text(FIXABLE)
    git(folder, "add", "staged.py")


def _detached(folder: Path) -> None:
    _plain(FIXABLE)(folder)
    (folder / "train.py").write_text(CLEAN)
    commit(folder, "B")
    git(folder, "checkout", "--quiet", "--detach", "HEAD~1")


def _submodule(folder: Path) -> None:
    canary = folder.parent / "canary"
    modules = (
        f'[submodule "lib"]\n\tpath = lib\n\turl = ext::sh -c "touch {canary}"\n\tupdate = !touch {canary}\n'
    )
    make_repository(folder, {"train.py": FIXABLE, "check.py": PASSING, ".gitmodules": modules})
    head = git(folder, "rev-parse", "HEAD")
    git(folder, "update-index", "--add", "--cacheinfo", f"160000,{head},lib")
    git(folder, "commit", "--quiet", "-m", "B")


def _lfs(folder: Path) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12345\n"
    attributes = "*.bin filter=lfs diff=lfs merge=lfs -text\n"
    files = {"train.py": FIXABLE, "check.py": PASSING, "weights.bin": pointer, ".gitattributes": attributes}
    make_repository(folder, files)
    for part in ("smudge", "clean", "process"):
        git(folder, "config", f"filter.lfs.{part}", f"touch {folder.parent / 'canary'}")


def _nasty_names(folder: Path) -> None:
    names: list[str | bytes] = [
        "-rf.py",
        "a b'c\"d.py",
        "new\nline.py",
        "tab\t.py",
        "ünï/cödé.py",
        b"lat\xefn.py",
    ]
    names += ["$(touch canary).py", "[x].py", "#1;.py", "back\\slash.py"]
    make_repository(folder, {**dict.fromkeys(names, FIXABLE), "check.py": PASSING})


def _hooks(folder: Path) -> None:
    attributes = "*.py filter=evil diff=evil merge=evil\n"
    make_repository(folder, {"train.py": FIXABLE, "check.py": PASSING, ".gitattributes": attributes})
    touch = f"touch {folder.parent / 'canary'}"
    hooks = folder / ".git" / "hooks"
    hooks.mkdir()
    for name in _HOOKS:
        (hooks / name).write_text(f"#!/bin/sh\n{touch}\n")
        (hooks / name).chmod(0o755)
    for key in _EXECUTING:
        git(folder, "config", key, touch)
    git(folder, "config", "alias.fetch", f"!{touch}")
    git(folder, "config", "core.hooksPath", str(hooks))
    git(folder, "config", "commit.gpgSign", "true")


_HOOKS = (
    "post-checkout post-commit pre-commit post-merge reference-transaction post-index-change pre-push update"
    " post-receive pre-receive post-update fsmonitor-watchman post-rewrite applypatch-msg prepare-commit-msg"
).split()
_EXECUTING = (
    "core.fsmonitor core.sshCommand core.pager core.editor core.gitProxy core.askPass core.alternateRefsCommand"
    " diff.external diff.evil.textconv diff.evil.command filter.evil.clean filter.evil.smudge filter.evil.process"
    " merge.evil.driver gpg.program uploadpack.packObjectsHook remote.origin.uploadpack credential.helper"
    " uploadarchive.x sequence.editor interactive.diffFilter"
).split()


def _promisor(folder: Path) -> None:
    """Says that the objects it lacks are fetched by a program of its choice."""
    _plain(FIXABLE)(folder)
    blob = git(folder, "rev-parse", "HEAD:train.py")
    (folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    values = {"promisor": "true", "partialclonefilter": "blob:none", "url": str(folder.parent / "nowhere")}
    values |= {"uploadpack": f"touch {folder.parent / 'canary'};"}
    for key, value in values.items():
        git(folder, "config", f"remote.origin.{key}", value)
    git(folder, "config", "core.repositoryFormatVersion", "1")
    git(folder, "config", "extensions.partialClone", "origin")


def _opted_out(folder: Path) -> None:
    make_repository(folder, {"train.py": FIXABLE, ".devfix-skip": "We do it ourselves.\n"})


def _ways_out(folder: Path) -> None:
    outside = folder.parent / f"outside-{folder.name}.py"
    outside.write_text(FIXABLE)
    make_repository(folder, {"train.py": CLEAN, "check.py": PASSING})
    (folder / "absolute.py").symlink_to(outside)
    (folder / "relative.py").symlink_to(f"../{outside.name}")
    (folder / "everything").symlink_to(folder.parent)
    commit(folder)


def _inner_link(folder: Path) -> None:
    make_repository(folder, {"sub/train.py": FIXABLE, "check.py": PASSING})
    (folder / "a.py").symlink_to("sub/train.py")
    commit(folder)


def _own_settings(folder: Path) -> None:
    settings = '[tool.devfix]\nexclude = ["legacy"]\n'
    files = {"train.py": CLEAN, "legacy/train.py": FIXABLE, "pyproject.toml": settings, "check.py": PASSING}
    make_repository(folder, files)


def _bad_settings(folder: Path) -> None:
    make_repository(folder, {"train.py": FIXABLE, "pyproject.toml": "[tool.devfix]\nselct = []\n"})


def _notebook(folder: Path) -> None:
    cell: dict[str, Any] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    cells = [{**cell, "source": FIXABLE.splitlines(keepends=True)}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    make_repository(folder, {"train.ipynb": json.dumps(notebook, indent=1), "check.py": PASSING})


def _carriage_returns(folder: Path) -> None:
    attributes = "*.py text eol=crlf\n"
    program = FIXABLE.replace("\n", "\r\n")
    make_repository(folder, {"train.py": program, ".gitattributes": attributes, "check.py": PASSING})


def _missing(folder: Path) -> None:
    """There is nothing."""


def _no_repository(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "train.py").write_text(FIXABLE)


_NASTY = ("#1;.py", "$(touch canary).py", "-rf.py", "[x].py", "a b'c\"d.py", "back\\slash.py")
KINDS: dict[str, tuple[Callable[[Path], None], Expected]] = {
    "clean": (_plain(CLEAN), Expected("unchanged")),
    "fixable": (_plain(FIXABLE), CHANGED),
    "unfixable": (_plain(UNFIXABLE), Expected("unchanged", left=1)),
    "syntax-error": (_syntax_error, Expected("unchanged", "not read: broken.py", unread=("broken.py",))),
    "partly-broken": (
        _partly_broken,
        Expected("changed", "not read: old.py", 1, 0, ("train.py",), ("old.py",), "passes"),
    ),
    "failing-before": (
        _plain(FIXABLE, FAILING),
        Expected("changed", "fails before too", 1, 0, ("train.py",), verified="failed-before"),
    ),
    "broken-by-us": (
        _plain(FIXABLE, FRAGILE),
        Expected("failed", "tests/test_a.py::test_new fails", 1, 0, ("train.py",), verified="broken"),
    ),
    "huge": (_huge, Expected("skipped", "limits.repository")),
    "empty": (_empty, Expected("skipped", "has no commits")),
    "no-python": (_no_python, Expected("skipped", "holds no Python")),
    "dirty": (_dirty, CHANGED),
    "detached": (_detached, CHANGED),
    "submodule": (_submodule, CHANGED),
    "lfs": (_lfs, CHANGED),
    "nasty-names": (
        _nasty_names,
        Expected(
            "changed",
            fixed=10,
            changed=(*_NASTY, "lat\udcefn.py", "new\nline.py", "tab\t.py", "ünï/cödé.py"),
            verified="passes",
        ),
    ),
    "hooks": (_hooks, CHANGED),
    "promisor": (_promisor, Expected("failed", "git fetch: ")),
    "opted-out": (_opted_out, Expected("skipped", "opted out")),
    "ways-out": (_ways_out, Expected("unchanged")),
    "inner-link": (
        _inner_link,
        Expected("changed", fixed=1, changed=("a.py",), verified="passes"),
    ),
    "own-settings": (_own_settings, Expected("unchanged")),
    "bad-settings": (_bad_settings, Expected("failed", "unknown key `selct`")),
    "notebook": (_notebook, Expected("changed", fixed=1, changed=("train.ipynb",), verified="passes")),
    "carriage-returns": (_carriage_returns, CHANGED),
    "missing": (_missing, Expected("failed", "does not appear to be a git repository")),
    "no-repository": (_no_repository, Expected("failed", "does not appear to be a git repository")),
}


def make_fleet(folder: Path, count: int, kinds: tuple[str, ...] = tuple(KINDS)) -> list[Member]:
    """``count`` repositories, as many of each kind as the numbers allow."""
    members = []
    models: dict[str, Path] = {}
    for number in range(count):
        kind = kinds[number % len(kinds)]
        path = folder / f"r{number:04}-{kind}"
        make, expected = KINDS[kind]
        # The kinds whose files name their own place are made anew each time.
        if kind in models and kind not in ("ways-out", "hooks", "submodule", "lfs", "promisor"):
            _copy(models[kind], path)
        else:
            make(path)
            models[kind] = path
        members.append(Member(kind, path, expected, contents(path)))
    return members


def _copy(model: Path, path: Path) -> None:
    if model.exists():
        shutil.copytree(model, path, symlinks=True)


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder, those of git too."""
    found: dict[str, bytes] = {}
    for here, _, names in os.walk(os.fsencode(folder)):
        for name in names:
            path = os.path.join(here, name)
            held = os.readlink(path) if os.path.islink(path) else _bytes(path)
            found[os.fsdecode(os.path.relpath(path, os.fsencode(folder)))] = held
    return found


def _bytes(path: bytes) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def campaign_text(members: list[Member], **settings: object) -> str:
    """A campaign file for a fleet that lies beside it."""
    values: dict[str, object] = {
        "name": "gpu",
        "branch": "devfix/gpu",
        "repositories": [member.path.name for member in members],
        "verify": VERIFY,
        "author": "Fleet <fleet@example.org>",
        **settings,
    }
    lines = [f"{key} = {_toml(value)}" for key, value in values.items()]
    return "\n".join(["[campaign]", *lines, "[campaign.limits]", f"repository = {LIMIT}", "verify = 60", ""])


def _toml(value: object) -> str:
    return json.dumps(value)
