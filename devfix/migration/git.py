"""Git: the repositories of a campaign, and their remotes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from devfix.harmless_git import HARMLESS, GitError, environment_for_git, run_git
from devfix.migration.source_name import Source

#: How git serves a repository on this machine, whose own settings are not trusted (git itself takes no
#: ``uploadpack.packObjectsHook`` from them).
_SERVING = (*HARMLESS, "uploadpack.allowAnySHA1InWant=true")


@dataclass(frozen=True, slots=True)
class Git:
    """Git on one bare repository of ours; ``index`` and ``tree`` are those of a workspace."""

    folder: Path
    index: Path | None = None
    tree: Path | None = None
    seconds: float = 600.0

    def run(
        self, *words: str | Path, data: bytes | None = None, extra: Mapping[str, str] | None = None
    ) -> bytes:
        """What git prints, with no settings but ours; raises GitError."""
        environment = environment_for_git()
        environment |= {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_DIR": str(self.folder),
        }
        environment["GIT_ATTR_NOSYSTEM"] = "1"
        if self.index is not None:
            environment["GIT_INDEX_FILE"] = str(self.index)
        if self.tree is not None:
            environment["GIT_WORK_TREE"] = str(self.tree)
        return run_git(words, {**environment, **(extra or {})}, self.seconds, data)

    def text(self, *words: str | Path, data: bytes | None = None) -> str:
        """Run git and give what it writes as text, without the last newline; raises GitError."""
        return os.fsdecode(self.run(*words, data=data)).rstrip("\n")

    def fetch(self, source: Source, revision: str, ref: str, depth: int) -> None:
        """Get what ``revision`` names into ``ref``; raises GitError."""
        shallow = [f"--depth={depth}"] if depth else []
        serving = ["--upload-pack", _serving("upload-pack")] if is_here(source) else []
        options = [
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-recurse-submodules",
            "--no-auto-maintenance",
        ]
        self._remote(source, "fetch", *options, *shallow, *serving, "--", source.bare, f"+{revision}:{ref}")

    def list_remote(self, source: Source, *patterns: str) -> dict[str, str]:
        """The refs of a repository that match, and what they point to; raises GitError."""
        serving = ["--upload-pack", _serving("upload-pack")] if is_here(source) else []
        said = self._remote(source, "ls-remote", "--quiet", *serving, "--", source.bare, *patterns)
        pairs = (line.split("\t", 1) for line in os.fsdecode(said).splitlines() if "\t" in line)
        return {ref: commit for commit, ref in pairs}

    def push(self, source: Source, commit: str, branch: str, expected: str) -> None:
        """Let a branch be ``commit`` where it is ``expected`` now ("" for: not there); raises GitError."""
        ref = f"refs/heads/{branch}"
        receiving = ["--receive-pack", _serving("receive-pack")] if is_here(source) else []
        lease = f"--force-with-lease={ref}:{expected}"
        options = ["--quiet", "--porcelain", "--no-verify", "--no-recurse-submodules"]
        self._remote(source, "push", *options, lease, *receiving, "--", source.bare, f"{commit}:{ref}")

    def _remote(self, source: Source, *words: str) -> bytes:
        # The user's own settings know how to reach and to please the remote.
        environment = {**environment_for_git(), "GIT_DIR": str(self.folder), **_credentials(source)}
        return run_git(words, environment, self.seconds, None)


def may_pass(error: GitError, source: Source) -> bool:
    """Whether what went wrong may be gone the next time; what lies on this machine has no bad moments."""
    return error.is_transient and not is_here(source)


def initialise(folder: Path) -> Git:
    """A new bare repository without hooks; raises GitError."""
    environment = {**environment_for_git(), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    run_git(("init", "--quiet", "--bare", "--template=", str(folder)), environment, 60.0, None)
    return Git(folder)


def identity() -> str:
    """Who commits according to the user's settings, as ``Name <address>``; empty when they do not say."""
    try:
        found = [
            run_git(("config", "--get", f"user.{key}"), environment_for_git(), 60.0, None)
            for key in ("name", "email")
        ]
    except GitError:
        return ""
    name, address = (os.fsdecode(each).strip() for each in found)
    return f"{name} <{address}>"


def _credentials(source: Source) -> dict[str, str]:
    """Hand git the user and password of a URL by its environment: everybody can read the words of a command."""
    if source.is_path or source.bare == source.address:
        return {}
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{source.address}.insteadOf",
        "GIT_CONFIG_VALUE_0": source.bare,
    }


def is_here(source: Source) -> bool:
    """Whether a repository lies on this machine."""
    return source.is_path or source.address.startswith("file://")


def _serving(service: str) -> str:
    settings = " ".join(f"-c {each}" for each in _SERVING)
    return f"git {settings} {service}"
