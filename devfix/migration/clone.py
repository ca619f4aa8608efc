"""Clone: a bare copy of one repository with the commit that the campaign starts from."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from devfix.discovery import PROGRAM_SUFFIXES
from devfix.harmless_git import GitError
from devfix.migration.campaign import Campaign, Repository
from devfix.migration.git import Git, initialise
from devfix.migration.steps import Outcome, StepEndError

REF = "refs/devfix/base"
_LINK, _SUBMODULE = "120000", "160000"


def clone_folder(campaign: Campaign, repository: Repository) -> Path:
    """Where the clone of a repository lies."""
    return campaign.place / "clones" / repository.key


def fetch(campaign: Campaign, repository: Repository) -> dict[str, Any]:
    """Clone a repository anew and say what it holds; raises StepEndError and GitError."""
    base = _fetch(campaign, repository, repository.revision or "HEAD")
    facts = _facts(clone_folder(campaign, repository), base, campaign.opt_out)
    _refuse(facts, campaign)
    return facts


def clone_of(campaign: Campaign, repository: Repository, base: str) -> Git:
    """The clone that holds ``base``, fetched again where it is gone; raises GitError."""
    folder = clone_folder(campaign, repository)
    git = Git(folder, seconds=campaign.limits.fetch)
    if folder.is_dir() and holds(git, base):
        return git
    _fetch(campaign, repository, base)
    return git


def holds(git: Git, commit: str) -> bool:
    """Whether a clone has a commit with its files."""
    try:
        git.run("cat-file", "-e", f"{commit}^{{tree}}")
    except GitError:
        return False
    return True


def _fetch(campaign: Campaign, repository: Repository, revision: str) -> str:
    folder = clone_folder(campaign, repository)
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Under its own name it is complete: whoever is killed before leaves one that nobody looks for.
    new = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
    try:
        initialise(new)
        git = Git(new, seconds=campaign.limits.fetch)
        _get(git, campaign, repository, revision)
        base = git.text("rev-parse", "--verify", f"{REF}^{{commit}}")
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(new, folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return base


def _get(git: Git, campaign: Campaign, repository: Repository, revision: str) -> None:
    try:
        git.fetch(repository.source, revision, REF, campaign.depth)
    except GitError as error:
        said = error.output.lower()
        missing = "couldn't find remote ref" in said or "not our ref" in said
        if missing and not repository.revision:
            raise StepEndError(Outcome.SKIPPED, "has no commits") from error
        if missing:
            raise StepEndError(
                Outcome.FAILED, f"has no branch, tag or commit `{revision}`", error.output
            ) from error
        raise


@dataclass(frozen=True, slots=True)
class _Entry:
    mode: str
    size: int
    path: str


def _entries(git: Git, commit: str) -> Iterator[_Entry]:
    listing = git.run("ls-tree", "-r", "-l", "-z", commit)
    for record in listing.split(b"\0"):
        if record:
            head, path = record.split(b"\t", 1)
            mode, _, _, size = head.decode("ascii").split()
            yield _Entry(mode, int(size) if size.isdecimal() else 0, os.fsdecode(path))


def _facts(folder: Path, base: str, opt_out: str) -> dict[str, Any]:
    git = Git(folder)
    entries = list(_entries(git, base))
    paths = {entry.path for entry in entries}
    return {
        "base": base,
        "files": len(entries),
        "bytes": sum(entry.size for entry in entries),
        "programs": sum(
            entry.path.endswith(PROGRAM_SUFFIXES) and entry.mode != _SUBMODULE for entry in entries
        ),
        "links": sum(entry.mode == _LINK for entry in entries),
        "submodules": sum(entry.mode == _SUBMODULE for entry in entries),
        "lfs": ".gitattributes" in paths and b"filter=lfs" in git.run("show", f"{base}:.gitattributes"),
        "opted_out": opt_out in paths,
    }


def _refuse(facts: dict[str, Any], campaign: Campaign) -> None:
    if facts["opted_out"]:
        raise StepEndError(Outcome.SKIPPED, f"its owners opted out ({campaign.opt_out})", data=facts)
    if not facts["programs"]:
        raise StepEndError(Outcome.SKIPPED, "holds no Python", data=facts)
    if facts["bytes"] > campaign.limits.repository:
        limit = campaign.limits.repository
        reason = f"holds {facts['bytes']:,} bytes, more than the {limit:,} of `limits.repository`"
        raise StepEndError(Outcome.SKIPPED, reason, data=facts)
