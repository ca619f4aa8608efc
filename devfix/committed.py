"""Committed: what is wrong in the files of a git commit. Nothing is checked out, and nothing of the repository run."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from devfix.baseline.known import Known, known_from
from devfix.config import ConfigError
from devfix.discovery import PROGRAM_SUFFIXES, short_path, would_collect
from devfix.engine import Engine
from devfix.file_report import Skipped
from devfix.harmless_git import GitError, environment_for_git, run_git
from devfix.project import Layout, Scanned, find_roots, load_project, scan, scanned
from devfix.report.results import Results, by_path
from devfix.runner import check_programs
from devfix.source import decode_source

_SECONDS = 120.0
#: What git calls a file; links, submodules and folders are of other kinds.
_FILES = ("100644", "100755")


@dataclass(frozen=True)
class Commit:
    """A commit of the repository that lies at ``top``."""

    top: str
    name: str
    revision: str

    @classmethod
    def find(cls, revision: str, folder: str) -> Commit:
        """What ``revision`` names in the repository that ``folder`` is in; raises ConfigError."""
        try:
            prefix = os.fsdecode(_git(folder, "rev-parse", "--show-prefix")).rstrip("\n")
        except GitError as error:
            raise ConfigError(f"--baseline-commit: {folder} is in no git repository ({error})") from None
        top = os.path.normpath(
            os.path.join(folder, *[".."] * len([part for part in prefix.split("/") if part]))
        )
        try:
            words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
            name = _git(top, *words).decode().strip()
        except GitError:
            raise ConfigError(f"--baseline-commit: there is no commit `{revision}` in {top}") from None
        return cls(top, name, revision)

    @cached_property
    def files(self) -> dict[str, str]:
        """The programs among its files: the path as devfix writes it, and the name of the blob."""
        found = {}
        for entry in _git(self.top, "ls-tree", "-r", "-z", "--full-tree", self.name).split(b"\0"):
            head, _, path = entry.partition(b"\t")
            if path and head.split()[0].decode() in _FILES and path.endswith(_SUFFIXES):
                found[short_path(os.path.join(self.top, os.fsdecode(path)))] = head.split()[2].decode()
        return found

    def texts(self, paths: Iterable[str]) -> dict[str, bytes]:
        """What is in some of its files; raises GitError, also where that is not there."""
        paths = list(paths)
        names = "".join(f"{self.files[path]}\n" for path in paths)
        data = _git(self.top, "cat-file", "--batch", data=names.encode()) if paths else b""
        found, at = {}, 0
        for path in paths:
            begin = data.index(b"\n", at) + 1
            told = data[at:begin].split()
            if len(told) < 3:  # a clone need not have all that a commit names
                raise GitError(["cat-file"], f"fatal: {path} of {self.revision} is not in this clone")
            size = int(told[2])
            found[path] = data[begin : begin + size]
            at = begin + size + 1
        return found


_SUFFIXES = tuple(suffix.encode() for suffix in PROGRAM_SUFFIXES)


def _git(folder: str, *words: str, data: bytes | None = None) -> bytes:
    # Whatever is not there is not fetched.
    environment = {**environment_for_git(), "GIT_ALLOW_PROTOCOL": "none"}
    return run_git(words, environment, _SECONDS, data, folder=folder)


def known_at(
    revision: str,
    paths: Sequence[Path],
    engine: Engine,
    *,
    jobs: int | None = None,
    wanted: Collection[str] | None = None,
) -> Known:
    """What is wrong below ``paths`` in a commit, by today's rules and settings; raises ConfigError.

    Only programs with a file that is ``wanted``, where that is given, or not there any more are looked at.
    """
    first = os.path.abspath(paths[0])
    commit = Commit.find(revision, first if os.path.isdir(first) else os.path.dirname(first))
    try:
        results = _results(commit, paths, engine, jobs, wanted)
    except GitError as error:
        raise ConfigError(f"--baseline-commit: {error}") from None
    return known_from(results, commit.top, f"commit {revision}")


def _results(
    commit: Commit, paths: Sequence[Path], engine: Engine, jobs: int | None, wanted: Collection[str] | None
) -> Results:
    targets = [path for path in commit.files if _is_named(path, paths, engine)]
    tree = _Tree(commit, commit.texts(targets))
    roots = find_roots(paths, engine.settings.src)
    layout = Layout(roots, tree.exists)
    project, _ = load_project(
        targets, roots, device_policy=engine.device_policy, read=tree.read, layout=layout
    )
    programs = [
        program
        for program in project.programs()
        if wanted is None or any(path in wanted or not os.path.exists(path) for path in program.targets)
    ]
    return Results(by_path(check_programs(programs, engine, jobs)), project.sources)


def _is_named(path: str, paths: Sequence[Path], engine: Engine) -> bool:
    absolute = os.path.abspath(path)
    roots = [os.path.abspath(each) for each in paths]
    return absolute in roots or any(would_collect(absolute, root, engine.of_files) for root in roots)


@dataclass(frozen=True)
class _Tree:
    """The files of a commit, and those outside of its repository as they are."""

    commit: Commit
    texts: dict[str, bytes]

    def exists(self, path: str) -> bool:
        return short_path(path) in self.commit.files or (self._is_outside(path) and os.path.isfile(path))

    def read(self, path: str) -> Scanned | Skipped:
        name = short_path(path)
        if name not in self.commit.files:
            return scan(path)
        if name not in self.texts:
            self.texts.update(self.commit.texts([name]))
        source = decode_source(path, self.texts[name])
        return source if isinstance(source, Skipped) else scanned(source)

    def _is_outside(self, path: str) -> bool:
        return not os.path.abspath(path).startswith(self.commit.top.rstrip(os.sep) + os.sep)
