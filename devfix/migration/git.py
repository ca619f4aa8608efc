"""Git: running it so that no repository makes it run anything.

Hooks are off, no configuration but ours and (towards remotes) the user's is read, filters and
submodules stay alone, and nobody is asked for a password.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from devfix.migration.source_name import Source

#: Settings that would run a program, each at what runs none. They go to every git, and to the ones it starts here.
_HARMLESS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.editor=false",
    "core.attributesFile=/dev/null",
    "core.gitProxy=",
    "core.alternateRefsCommand=true",
    "diff.external=",
    "protocol.ext.allow=never",
    "protocol.fd.allow=never",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "push.recurseSubmodules=no",
    "filter.lfs.smudge=",
    "filter.lfs.clean=",
    "filter.lfs.process=",
    "filter.lfs.required=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgSign=false",
    "push.gpgSign=false",
    "transfer.credentialsInUrl=allow",
    "advice.detachedHead=false",
)
#: How git serves a repository on this machine, whose own settings are not trusted (git itself takes no
#: ``uploadpack.packObjectsHook`` from them).
_SERVING = (*_HARMLESS, "uploadpack.allowAnySHA1InWant=true")
#: What of the user's environment is meant for git; other GIT_ variables belong to whoever called devfix.
_KEPT = frozenset(
    "GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_ASKPASS GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM"
    " GIT_SSL_CAINFO GIT_SSL_CAPATH GIT_SSL_CERT GIT_SSL_KEY GIT_SSL_NO_VERIFY GIT_PROXY_SSL_CAINFO".split()
)
_SAFE_TRANSPORTS = "file:git:http:https:ssh"
#: What comes of a network or a host that has a bad moment, and may be gone the next time.
_TRANSIENT = (
    "could not resolve host",
    "couldn't resolve host",
    "temporary failure in name resolution",
    "failed to connect",
    "couldn't connect",
    "connection refused",
    "connection reset",
    "connection timed out",
    "connection closed",
    "operation timed out",
    "timed out",
    "early eof",
    "the remote end hung up unexpectedly",
    "rpc failed",
    "http 429",
    "http 500",
    "http 502",
    "http 503",
    "http 504",
    "error: 429",
    "error: 500",
    "error: 502",
    "error: 503",
    "error: 504",
    "rate limit",
    "network is unreachable",
    "no route to host",
)


class GitError(Exception):
    """Git said no; ``output`` is what it said, with credentials in it."""

    def __init__(self, words: Sequence[str], output: str, *, timed_out: bool = False) -> None:
        self.output = output.strip()
        self.timed_out = timed_out
        super().__init__(f"git {words[0]}: {'did not end in time' if timed_out else _reason(self.output)}")

    @property
    def is_transient(self) -> bool:
        """Whether another try may go better."""
        said = self.output.lower()
        return self.timed_out or any(sign in said for sign in _TRANSIENT)


def _reason(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    # What the other side says comes first: it knows why.
    for signs in (("remote: fatal: ", "remote: error: "), ("fatal: ", "error: ", "! ")):
        for line in lines:
            if line.startswith(signs):
                return line.removeprefix("remote: ").partition(": ")[2]
    return lines[-1] if lines else "no reason given"


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
        environment = _environment()
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
        return _run(words, {**environment, **(extra or {})}, self.seconds, data)

    def text(self, *words: str | Path, data: bytes | None = None) -> str:
        """The same as text without the last newline."""
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
        environment = {**_environment(), "GIT_DIR": str(self.folder), **_credentials(source)}
        return _run(words, environment, self.seconds, None)


def may_pass(error: GitError, source: Source) -> bool:
    """Whether what went wrong may be gone the next time; what lies on this machine has no bad moments."""
    return error.is_transient and not is_here(source)


def initialise(folder: Path) -> Git:
    """A new bare repository without hooks; raises GitError."""
    environment = {**_environment(), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    _run(("init", "--quiet", "--bare", "--template=", str(folder)), environment, 60.0, None)
    return Git(folder)


def identity() -> str:
    """Who commits according to the user's settings, as ``Name <address>``; empty when they do not say."""
    try:
        found = [
            _run(("config", "--get", f"user.{key}"), _environment(), 60.0, None) for key in ("name", "email")
        ]
    except GitError:
        return ""
    name, address = (os.fsdecode(each).strip() for each in found)
    return f"{name} <{address}>"


def _run(
    words: Sequence[str | Path], environment: Mapping[str, str], seconds: float, data: bytes | None
) -> bytes:
    settings = [part for each in _HARMLESS for part in ("-c", each)]
    command = ["git", *settings, *map(str, words)]
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell, and nothing of a repository among the words
            command,
            stdin=subprocess.PIPE if data is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,
        )
    except OSError as error:
        raise GitError([str(words[0])], f"git cannot be started: {error.strerror}") from error
    try:
        out, err = process.communicate(data, seconds)
    except subprocess.TimeoutExpired as error:
        _end(process)
        raise GitError([str(words[0])], "", timed_out=True) from error
    except BaseException:
        _end(process)
        raise
    if process.returncode:
        said = err or out
        raise GitError([str(words[0])], said.decode("utf-8", "replace"))
    return out


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.communicate()


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _KEPT}
    return {
        **kept,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "GIT_ALLOW_PROTOCOL": _SAFE_TRANSPORTS,
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_EDITOR": "false",
        "GCM_INTERACTIVE": "never",
        "LC_ALL": "C",
    }


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
