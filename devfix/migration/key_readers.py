"""Key readers: what the keys of a campaign file may hold."""

from __future__ import annotations

import re
import shlex
import string
from collections.abc import Callable, Mapping

from devfix.config import DEVICE_POLICIES

Reader = Callable[[object], object]

#: What a message template may name.
MESSAGE_FIELDS = ("campaign", "findings", "files", "rules", "repository", "version")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
#: What git check-ref-format(1) forbids.
_BAD_BRANCH = re.compile(
    r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/.]|/\.|[/.]$|\.lock(?:/|$)|^@$|^HEAD$|^refs/"
)
_REVISION = re.compile(r"[^\s\x00~^:?*\[\\-][^\s\x00~^:?*\[\\]*")
_AUTHOR = re.compile(r"[^<>\n]+ <[^<>\s]+>")


class ValueFaultError(ValueError):
    """A value that its key cannot have; the message completes "the key ..."."""


def text(value: object) -> str:
    """Any string; raises ValueFaultError for anything else."""
    if not isinstance(value, str):
        raise ValueFaultError("must be a string")
    return value


def line(value: object) -> str:
    """A string of one line that is not blank; raises ValueFaultError for anything else."""
    found = text(value)
    if not found.strip() or "\n" in found:
        raise ValueFaultError("must be one line of text")
    return found


def strings(value: object) -> tuple[str, ...]:
    """A list of strings; raises ValueFaultError for anything else."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueFaultError("must be a list of strings")
    return tuple(value)


def flag(value: object) -> bool:
    """True or false; raises ValueFaultError for anything else."""
    if not isinstance(value, bool):
        raise ValueFaultError("must be true or false")
    return value


def count(value: object) -> int:
    """A whole number from 0 on; raises ValueFaultError for anything else."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueFaultError("must be a whole number, 0 or more")
    return value


def positive(value: object) -> float:
    """A number above 0; raises ValueFaultError for anything else."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:
        raise ValueFaultError("must be a number above 0")
    return float(value)


def table(value: object) -> object:
    """A table, which is read by itself; raises ValueFaultError for anything else."""
    if not isinstance(value, dict):
        raise ValueFaultError("must be a table")
    return value


def name(value: object) -> str:
    """The name of a campaign, and of the folder it gets; raises ValueFaultError where that could be another folder."""
    found = text(value)
    if not _NAME.fullmatch(found):
        raise ValueFaultError("must be letters, digits, `.`, `_` and `-`, for it names a folder")
    return found


def branch(value: object) -> str:
    """The name of a branch; raises ValueFaultError for what Git refuses as one."""
    found = text(value)
    if not found or _BAD_BRANCH.search(found):
        raise ValueFaultError(f"`{found}` is no name for a branch")
    return found


def revision(value: object) -> str:
    """A branch, tag or commit; raises ValueFaultError for ranges, options and the like."""
    found = text(value)
    if not _REVISION.fullmatch(found) or ".." in found:
        raise ValueFaultError(f"`{found}` is no branch, tag or commit")
    return found


def message(value: object) -> str:
    """A template of known fields; raises ValueFaultError for other fields, for access to their insides and for none."""
    found = text(value)
    try:
        named = [field for _, field, _, _ in string.Formatter().parse(found) if field is not None]
    except ValueError as error:
        raise ValueFaultError(f"is no template: {error}; write {{{{ and }}}} for braces") from None
    for field in named:
        if field not in MESSAGE_FIELDS:
            raise ValueFaultError(f"`{{{field}}}` is not one of {', '.join(MESSAGE_FIELDS)}")
    if not found.strip():
        raise ValueFaultError("must not be empty")
    return found


def author(value: object) -> str:
    """Who commits, as ``Name <address>``; raises ValueFaultError for anything else."""
    found = text(value)
    if not _AUTHOR.fullmatch(found):
        raise ValueFaultError("must read `Name <address>`")
    return found


def device_policy(value: object) -> str:
    """How an introduced device is chosen; raises ValueFaultError for a policy that does not exist."""
    if value not in DEVICE_POLICIES:
        raise ValueFaultError(f"must be one of {', '.join(DEVICE_POLICIES)}")
    return text(value)


def engine(value: object) -> str:
    """Who does the work, ``local`` or ``ray``; raises ValueFaultError for anything else."""
    if value not in ("local", "ray"):
        raise ValueFaultError("must be local or ray")
    return text(value)


def program(value: object) -> str:
    """A script or folder with arguments, quoted as in a shell; empty where a repository is to have none.

    Raises ValueFaultError where quotes do not match.
    """
    found = text(value)
    try:
        shlex.split(found)
    except ValueError as error:
        raise ValueFaultError(f"is no command: {error}") from None
    return found


def file_name(value: object) -> str:
    """The path of a file within a repository; raises ValueFaultError for one that leads out of it."""
    found = line(value)
    if found.startswith("/") or ".." in found.split("/"):
        raise ValueFaultError("must be a path within the repository")
    return found


CAMPAIGN: Mapping[str, Reader] = {
    "name": name,
    "branch": branch,
    "message": message,
    "repositories": strings,
    "repositories-file": line,
    "exclude": strings,
    "exclude-files": strings,
    "revision": revision,
    "depth": count,
    "adopt": flag,
    "unsafe": flag,
    "select": strings,
    "ignore": strings,
    "device-policy": device_policy,
    "verify": text,
    "prove": program,
    "network": flag,
    "limits": table,
    "concurrency": count,
    "engine": engine,
    "opt-out": file_name,
    "author": author,
    "title": line,
    "pull-requests-per-hour": positive,
}
REPOSITORY: Mapping[str, Reader] = {
    "source": text,
    "revision": revision,
    "verify": text,
    "prove": program,
    "exclude-files": strings,
    "pull-requests": line,
}
LIMITS: Mapping[str, Reader] = {
    "fetch": positive,
    "analysis": positive,
    "verify": positive,
    "prove": positive,
    "memory": count,
    "repository": count,
}
