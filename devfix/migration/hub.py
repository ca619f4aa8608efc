"""Hub: pull requests through the ``gh`` client, as drafts."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from devfix.migration.campaign import Repository

_SECONDS = 120.0
_BUSY = ("rate limit", "secondary rate", "abuse detection", "http 429", "http 502", "http 503", "http 504")
_SHORT_SSH = re.compile(r"^(?:[\w.-]+@)?([\w.-]+):(.+)$")
_USUAL_HOST = "github.com"


class HubError(Exception):
    """The client said no; ``is_transient`` when it may say yes later."""

    def __init__(self, said: str) -> None:
        lines = [line for line in said.strip().splitlines() if line.strip()]
        super().__init__(f"gh: {lines[-1] if lines else 'no reason given'}")
        self.said = said
        self.is_transient = any(sign in said.lower() for sign in _BUSY)


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request that exists."""

    number: int
    url: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a pull request asks for."""

    branch: str
    base: str
    title: str
    body: str


def has_client() -> bool:
    """Whether there is a client to speak through."""
    return shutil.which("gh") is not None


def home_of(repository: Repository) -> str:
    """Where the pull requests of a repository live, as ``[HOST/]OWNER/NAME``; empty where that cannot be told."""
    if repository.pull_requests:
        return repository.pull_requests
    source = repository.source
    if source.is_path or source.address.startswith("file://"):
        return ""
    match = None if "://" in source.bare else _SHORT_SSH.match(source.bare)
    host = match.group(1) if match else urlsplit(source.bare).hostname or ""
    path = match.group(2) if match else urlsplit(source.bare).path
    parts = [part for part in path.strip("/").removesuffix(".git").split("/") if part]
    if len(parts) != 2 or not host:
        return ""
    return "/".join(parts if host == _USUAL_HOST else [host, *parts])


@dataclass(frozen=True, slots=True)
class Hub:
    """The client, speaking of one repository. ``folder`` is where texts can be left for it."""

    home: str
    folder: Path

    def find(self, branch: str) -> PullRequest | None:
        """The open pull request from a branch, if there is one."""
        words = ("list", "--head", branch, "--state", "open", "--json", "number,url,isCrossRepository")
        found: list[dict[str, Any]] = json.loads(self._ask(words) or "[]")
        # A fork may have a branch of the same name.
        own = [each for each in found if not each["isCrossRepository"]]
        return PullRequest(own[0]["number"], own[0]["url"]) if own else None

    def state_of(self, number: int) -> str:
        """What became of a pull request: open, closed or merged."""
        found: dict[str, str] = json.loads(self._ask(("view", str(number), "--json", "state")))
        return found["state"].lower()

    def create(self, proposal: Proposal) -> str:
        """Open a draft; its address."""
        base = ("--base", proposal.base) if proposal.base else ()
        told = ("--title", proposal.title, "--body-file", "-")
        said = self._ask(("create", "--draft", "--head", proposal.branch, *base, *told), proposal.body)
        return said.strip().splitlines()[-1] if said.strip() else ""

    def edit(self, number: int, proposal: Proposal) -> None:
        """Give a pull request another title and text."""
        self._ask(("edit", str(number), "--title", proposal.title, "--body-file", "-"), proposal.body)

    def close(self, number: int, comment: str) -> None:
        """Close a pull request."""
        self._ask(("close", str(number), "--comment", comment))

    def _ask(self, words: Sequence[str], text: str = "") -> str:
        command = ["gh", "pr", words[0], "--repo", self.home, *words[1:]]
        quiet = {"GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"}
        try:
            ended = subprocess.run(  # noqa: S603 - the user's own client, and no shell
                command,
                input=text,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                timeout=_SECONDS,
                check=False,
                cwd=self.folder,
                env={**os.environ, **quiet},
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise HubError(str(error)) from error
        if ended.returncode:
            raise HubError(ended.stderr or ended.stdout)
        return ended.stdout
