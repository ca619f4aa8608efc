"""Harmless git: running it so that no repository makes it run anything.

Hooks are off, no configuration but ours and (towards remotes) the user's is read, filters and
submodules stay alone, and nobody is asked for a password.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

#: Settings that would run a program, each at what runs none. They go to every git, and to the ones it starts here.
HARMLESS = (
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


def run_git(
    words: Sequence[str | Path],
    environment: Mapping[str, str],
    seconds: float,
    data: bytes | None,
    *,
    folder: str | None = None,
) -> bytes:
    """What git prints, in a folder or here; raises GitError."""
    settings = [part for each in HARMLESS for part in ("-c", each)]
    command = ["git", *settings, *map(str, words)]
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell, and nothing of a repository among the words
            command,
            stdin=subprocess.PIPE if data is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            cwd=folder,
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


def environment_for_git() -> dict[str, str]:
    """The user's environment without what is meant for other calls of git, and with what keeps it quiet."""
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
