"""Pull request: the commit, and what reviewers are told of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from devfix import __version__
from devfix.migration.campaign import Campaign, Repository
from devfix.migration.git import Git
from devfix.migration.steps import Made, Step, StepResult

_FALLBACK_AUTHOR = "devfix <devfix@localhost>"
#: So many findings are listed one by one.
_MOST_LISTED = 50


def commit(
    campaign: Campaign,
    repository: Repository,
    git: Git,
    done: Mapping[Step, StepResult],
    when: int,
    author: str,
) -> Made:
    """Commit the rewritten files; no branch of anybody is touched. Raises GitError."""
    applied = done[Step.APPLY].data
    base, tree = done[Step.FETCH].data["base"], applied["tree"]
    message = _message(campaign, repository, applied)
    name, _, address = (campaign.author or author or _FALLBACK_AUTHOR).rstrip(">").partition(" <")
    date = f"{when} +0000"
    persons = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", name), ("EMAIL", address), ("DATE", date))
    }
    words = ("commit-tree", tree, "-p", base)
    made = os.fsdecode(git.run(*words, data=os.fsencode(message), extra=persons)).strip()
    patch = git.run(
        "format-patch", "--stdout", "--binary", "--full-index", "--no-signature", f"{base}..{made}"
    )
    body = pull_request_body(campaign, repository, done)
    title = campaign.title or message.splitlines()[0]
    return Made(
        {"commit": made, "branch": campaign.branch, "title": title},
        {"patch": patch, "pull-request.md": body.encode("utf-8", "replace")},
    )


def _message(campaign: Campaign, repository: Repository, applied: Mapping[str, Any]) -> str:
    text = campaign.message.format(
        campaign=campaign.name,
        findings=applied["fixed_count"],
        files=len(applied["changed"]),
        rules=", ".join(applied["rules"]),
        repository=repository.name,
        version=__version__,
    )
    return text.strip() + "\n"


def pull_request_body(campaign: Campaign, repository: Repository, done: Mapping[Step, StepResult]) -> str:
    """What was changed and what speaks for it, as Markdown."""
    return "\n".join(_body(campaign, repository, done)) + "\n"


def _body(campaign: Campaign, repository: Repository, done: Mapping[Step, StepResult]) -> Iterator[str]:
    applied = done[Step.APPLY].data
    findings, files = applied["fixed_count"], len(applied["changed"])
    yield (
        f"devfix {__version__} fixed {_count(findings, 'finding')} in {_count(files, 'file')}: device and dtype"
        " mismatches that fail on an accelerator."
    )
    yield ""
    yield from _trust(applied)
    yield "| rule | fixed |"
    yield "|---|---|"
    yield from (f"| {_cell(rule)} | {count} |" for rule, count in applied["rules"].items())
    yield ""
    yield "## Evidence"
    yield ""
    yield from _evidence(repository, done)
    yield ""
    yield "## Changes"
    yield ""
    listed = applied["fixed"][:_MOST_LISTED]
    yield from (f"- {_finding(each)}. Fix: {_cell(each['fix'] or '')}" for each in listed)
    if findings > len(listed):
        yield f"- and {findings - len(listed)} more"
    yield from _left(applied)
    yield ""
    yield f"Campaign {_code(campaign.name)}. A file {_code(campaign.opt_out)} keeps this repository out of the next one."


def _evidence(repository: Repository, done: Mapping[Step, StepResult]) -> Iterator[str]:
    yield f"- made from commit {_code(done[Step.FETCH].data['base'])}"
    if Step.RECHECK in done:
        yield "- analysed again after the change: nothing more would change"
    after = done.get(Step.VERIFY_AFTER)
    if after is not None:
        yield f"- {_code(repository.verify)}: {_VERIFIED[after.data['judgement']]}"
        yield from (
            f"  - {_code(test)} failed before as well" for test in after.data["failing"][:_MOST_LISTED]
        )
    proof = done.get(Step.PROVE)
    if proof is not None:
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in proof.data["verdicts"].items())
        told = verdicts or f"nothing was run: {_cell(proof.data['note'])}"
        yield f"- {_code(f'devfix prove {repository.prove}')}: {told}"
    if after is None and proof is None:
        yield "- nothing of this repository was run"


_VERIFIED = {
    "passes": "passes before and after",
    "mended": "failed before, passes after",
    "failed-before": "fails before and after, in the same way",
    "flaky": "passes before; after the change it failed once and then passed",
}


def _left(applied: Mapping[str, Any]) -> Iterator[str]:
    if applied["left_count"]:
        yield ""
        yield f"Not fixed, and left to you: {_count(applied['left_count'], 'finding')}."
        yield ""
        for each in applied["left"][:_MOST_LISTED]:
            yield f"- {_finding(each)}"


def _trust(applied: Mapping[str, Any]) -> Iterator[str]:
    unsafe = applied["unsafe_count"]
    if unsafe:
        yield (
            f"**{unsafe} of them unsafe**: such a fix changes numbers, order, what is saved, or where code runs. The"
            " others change nothing on a machine without an accelerator."
        )
    else:
        yield "On a machine without an accelerator the code does what it did."
    yield ""


def _finding(finding: Mapping[str, Any]) -> str:
    unsafe = " (unsafe)" if finding["applicability"] == "unsafe" else ""
    return f"{_code(_where(finding))} {finding['code']}{unsafe}: {_cell(finding['message'])}"


def _where(finding: Mapping[str, Any]) -> str:
    cell = "" if finding["cell"] is None else f":cell {finding['cell']}"
    return f"{finding['path']}{cell}:{finding['line']}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _code(text: str) -> str:
    """A text as code, whatever it holds."""
    plain = text.replace("\n", "\\n").replace("\r", "\\r")
    fence = "``" if "`" in plain else "`"
    pad = " " if fence == "``" else ""
    return f"{fence}{pad}{plain}{pad}{fence}"


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|").replace("<", "&lt;")
