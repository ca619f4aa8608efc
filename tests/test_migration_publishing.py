"""Branches are pushed and drafts opened on request alone, once, and never over the work of others."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import fake_gh
import pytest
from fleet import CLEAN, FIXABLE, PASSING, commit, git, make_repository

from devfix.migration.campaign import Campaign
from devfix.migration.campaign_file import parse_campaign
from devfix.migration.campaign_run import RunWishes, run_campaign
from devfix.migration.progress import LineProgress
from devfix.migration.reading import CampaignReading
from devfix.migration.steps import Outcome, Step

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the stand-in is a shell script")

pytest_plugins = ["preloaded"]

OPEN = RunWishes(push=True, open=True)
PUSH = RunWishes(push=True)
Run = Callable[..., CampaignReading]


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    text = """
[campaign]
name = "gpu"
branch = "devfix/gpu"
author = "A <a@example.org>"
repositories = ["https://git.example/o/one.git", "https://git.example/o/two.git"]
"""
    return parse_campaign(text, tmp_path / "gpu.toml")


@pytest.fixture
def remotes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Bare repositories behind the addresses of the campaign, and a stand-in for gh on the path."""
    folder = tmp_path / "remotes" / "o"
    for name in ("one", "two"):
        make_repository(tmp_path / name, {"train.py": FIXABLE, "check.py": PASSING})
        git(tmp_path, "clone", "--quiet", "--bare", str(tmp_path / name), str(folder / f"{name}.git"))
    settings = tmp_path / "gitconfig"
    settings.write_text(f'[url "file://{tmp_path}/remotes/"]\n\tinsteadOf = https://git.example/\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    client = tmp_path / "bin" / "gh"
    client.parent.mkdir()
    client.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S {fake_gh.__file__} "$@"\n')
    client.chmod(0o755)
    monkeypatch.setenv("PATH", f"{client.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_GH", str(tmp_path / "gh.json"))
    return folder


@pytest.fixture
def run(campaign: Campaign, remotes: Path, capsys: pytest.CaptureFixture[str], ready: None) -> Run:
    def go(wishes: RunWishes = RunWishes(), **changes: Any) -> CampaignReading:  # noqa: B008 - frozen
        return run_campaign(replace(campaign, **changes), wishes, LineProgress(sys.stdout))

    return go


def hub(tmp_path: Path) -> list[dict[str, Any]]:
    path = tmp_path / "gh.json"
    found: list[dict[str, Any]] = json.loads(path.read_text())["requests"] if path.exists() else []
    return found


def calls(tmp_path: Path) -> list[str]:
    return [words[1] for words in json.loads((tmp_path / "gh.json").read_text())["calls"]]


def branches(remote: Path) -> dict[str, str]:
    lines = git(remote, "for-each-ref", "--format=%(refname:short) %(objectname)").splitlines()
    return dict(line.split() for line in lines)


def outcomes(reading: CampaignReading, step: Step) -> list[Outcome | None]:
    results = [each.results.get(step) for each in reading.repositories]
    return [None if result is None else result.outcome for result in results]


def test_nothing_is_pushed_unless_asked_for(run: Run, remotes: Path, tmp_path: Path) -> None:
    reading = run()
    assert [each.standing.value for each in reading.repositories] == ["changed", "changed"]
    assert list(branches(remotes / "one.git")) == ["main"]
    assert not (tmp_path / "gh.json").exists()


def test_a_push_brings_the_commit_and_opens_nothing(run: Run, remotes: Path, tmp_path: Path) -> None:
    reading = run(PUSH)
    wanted = reading.repositories[0].data(Step.COMMIT)["commit"]
    assert branches(remotes / "one.git")["devfix/gpu"] == wanted
    assert outcomes(reading, Step.PUSH) == [Outcome.DONE, Outcome.DONE]
    assert not (tmp_path / "gh.json").exists()


def test_drafts_are_opened_once_with_the_evidence(run: Run, tmp_path: Path) -> None:
    reading = run(OPEN)
    opened = hub(tmp_path)
    assert [(each["repo"], each["draft"], each["state"]) for each in opened] == [
        ("git.example/o/one", True, "OPEN"),
        ("git.example/o/two", True, "OPEN"),
    ]
    assert "## Evidence" in opened[0]["body"]
    assert opened[0]["title"] == "Fix device and dtype mismatches"
    assert reading.repositories[0].pull_request == opened[0]["url"]
    before = calls(tmp_path)
    run(OPEN)
    assert calls(tmp_path) == before


def test_a_draft_is_brought_up_to_date_when_the_repository_moves_on(
    run: Run, remotes: Path, tmp_path: Path
) -> None:
    first = run(OPEN)
    move_on(remotes, tmp_path)
    second = run(replace(OPEN, refresh=True))
    made = [reading.repositories[0].data(Step.COMMIT)["commit"] for reading in (first, second)]
    assert made[0] != made[1]
    assert branches(remotes / "one.git")["devfix/gpu"] == made[1]
    assert calls(tmp_path).count("create") == 2
    assert calls(tmp_path).count("edit") == 1
    assert second.repositories[0].data(Step.FETCH)["base"] in hub(tmp_path)[0]["body"]


def test_a_draft_is_closed_when_there_is_nothing_to_change_any_more(
    run: Run, remotes: Path, tmp_path: Path
) -> None:
    run(OPEN)
    (tmp_path / "one" / "train.py").write_text(CLEAN)
    commit(tmp_path / "one", "B")
    git(tmp_path / "one", "push", "--quiet", str(remotes / "one.git"), "main")
    reading = run(replace(OPEN, refresh=True))
    assert [each["state"] for each in hub(tmp_path)] == ["CLOSED", "OPEN"]
    assert reading.repositories[0].pull_request == ""


def test_closing_closes_what_was_opened_and_only_once(run: Run, tmp_path: Path) -> None:
    run(OPEN)
    reading = run(RunWishes(close=True))
    assert [each["state"] for each in hub(tmp_path)] == ["CLOSED", "CLOSED"]
    assert "called off" in hub(tmp_path)[0]["comment"]
    before = calls(tmp_path)
    run(RunWishes(close=True))
    assert calls(tmp_path) == before
    assert [each.standing.value for each in reading.repositories] == ["changed", "changed"]


def move_on(remotes: Path, tmp_path: Path) -> None:
    """A commit more in the first repository."""
    (tmp_path / "one" / "new.py").write_text("x = 1\n")
    commit(tmp_path / "one", "B")
    git(tmp_path / "one", "push", "--quiet", str(remotes / "one.git"), "main")


@pytest.mark.parametrize(("state", "reason"), [("CLOSED", "closed by others"), ("MERGED", "merged")])
def test_what_others_decided_on_is_not_opened_again(
    run: Run, remotes: Path, tmp_path: Path, state: str, reason: str
) -> None:
    run(OPEN)
    store = tmp_path / "gh.json"
    known = json.loads(store.read_text())
    known["requests"][0]["state"] = state
    store.write_text(json.dumps(known))
    move_on(remotes, tmp_path)
    for wishes in (replace(OPEN, refresh=True), OPEN):
        reading = run(wishes)
        assert outcomes(reading, Step.PROPOSE) == [Outcome.SKIPPED, Outcome.DONE]
        assert reason in reading.repositories[0].reason
        assert reading.repositories[0].pull_request == ""
        assert len(hub(tmp_path)) == 2


def test_the_fork_of_somebody_has_its_own_pull_request(run: Run, tmp_path: Path) -> None:
    theirs = {"repo": "git.example/o/one", "head": "devfix/gpu", "number": 1, "url": "https://git.example/1"}
    theirs |= {"state": "OPEN", "isCrossRepository": True, "title": "T", "body": "B"}
    (tmp_path / "gh.json").write_text(json.dumps({"requests": [theirs], "calls": []}))
    run(OPEN)
    assert hub(tmp_path)[0] == theirs
    assert len(hub(tmp_path)) == 3


def test_the_branch_of_somebody_else_is_left_alone(run: Run, remotes: Path) -> None:
    git(remotes / "one.git", "branch", "devfix/gpu", "main")
    theirs = branches(remotes / "one.git")["main"]
    reading = run(OPEN)
    assert branches(remotes / "one.git")["devfix/gpu"] == theirs
    assert outcomes(reading, Step.PUSH) == [Outcome.FAILED, Outcome.DONE]
    assert "commits that are not of this campaign" in reading.repositories[0].reason
    assert outcomes(reading, Step.PROPOSE) == [None, Outcome.DONE]
    assert reading.exit_code == 2


def test_commits_that_somebody_put_on_top_are_left_alone(run: Run, remotes: Path, tmp_path: Path) -> None:
    run(OPEN)
    work = tmp_path / "review"
    git(tmp_path, "clone", "--quiet", "--branch", "devfix/gpu", str(remotes / "one.git"), str(work))
    (work / "more.py").write_text("x = 1\n")
    commit(work, "by hand")
    git(work, "push", "--quiet", "origin", "devfix/gpu")
    theirs = branches(remotes / "one.git")["devfix/gpu"]
    move_on(remotes, tmp_path)
    reading = run(replace(OPEN, refresh=True))
    assert branches(remotes / "one.git")["devfix/gpu"] == theirs
    assert outcomes(reading, Step.PUSH) == [Outcome.FAILED, Outcome.DONE]


def test_what_was_pushed_before_it_could_be_written_down_is_recognised(run: Run, remotes: Path) -> None:
    reading = run()
    each = reading.repositories[0]
    clone = remotes.parent.parent / "gpu" / "clones" / each.key
    commit_made = each.data(Step.COMMIT)["commit"]
    git(clone, "push", "--quiet", str(remotes / "one.git"), f"{commit_made}:refs/heads/devfix/gpu")
    assert outcomes(run(PUSH), Step.PUSH) == [Outcome.DONE, Outcome.DONE]


def test_a_commit_whose_clone_is_gone_is_made_again(run: Run, remotes: Path, tmp_path: Path) -> None:
    reading = run()
    shutil.rmtree(tmp_path / "gpu" / "clones")
    assert outcomes(run(PUSH), Step.PUSH) == [Outcome.DONE, Outcome.DONE]
    made = reading.repositories[0].data(Step.COMMIT)["commit"]
    assert branches(remotes / "one.git")["devfix/gpu"] == made


def test_a_rate_is_kept_across_runs(run: Run, tmp_path: Path) -> None:
    reading = run(OPEN, pull_requests_per_hour=1.0)
    assert len(hub(tmp_path)) == 1
    assert outcomes(reading, Step.PROPOSE) == [Outcome.DONE, Outcome.TRANSIENT]
    assert reading.exit_code == 2
    run(OPEN, pull_requests_per_hour=1.0)
    assert len(hub(tmp_path)) == 1
    run(OPEN, pull_requests_per_hour=2.0)
    assert len(hub(tmp_path)) == 2


def test_whoever_is_told_to_slow_down_does(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_GH_SAYS", "HTTP 403: You have exceeded a secondary rate limit")
    reading = run(OPEN)
    assert outcomes(reading, Step.PROPOSE) == [Outcome.TRANSIENT, None]
    assert calls(tmp_path) == ["list"]
    monkeypatch.delenv("FAKE_GH_SAYS")
    assert outcomes(run(OPEN), Step.PROPOSE) == [Outcome.DONE, Outcome.DONE]


def test_without_a_client_the_branch_is_pushed_and_the_reason_told(
    run: Run, remotes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(tmp_path / "bin")
    monkeypatch.setattr("devfix.migration.publishing.has_client", lambda: False)
    reading = run(OPEN)
    assert outcomes(reading, Step.PUSH) == [Outcome.DONE, Outcome.DONE]
    assert "no `gh` client" in reading.repositories[0].reason


def test_a_push_to_a_checkout_leaves_its_files_and_runs_none_of_its_hooks(
    tmp_path: Path, campaign: Campaign
) -> None:
    path = tmp_path / "mine"
    make_repository(path, {"train.py": FIXABLE})
    hooks = path / ".git" / "hooks"
    hooks.mkdir()
    for name in ("pre-receive", "update", "post-receive", "post-update", "reference-transaction"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path / 'canary'}\n")
        (hooks / name).chmod(0o755)
    text = f'[campaign]\nname = "c"\nbranch = "devfix/gpu"\nauthor = "A <a@b>"\nrepositories = ["{path}"]\n'
    reading = run_campaign(parse_campaign(text, tmp_path / "c.toml"), PUSH, LineProgress(sys.stdout))
    assert branches(path)["devfix/gpu"] == reading.repositories[0].data(Step.COMMIT)["commit"]
    assert (path / "train.py").read_text() == FIXABLE
    assert git(path, "status", "--porcelain") == ""
    assert not (tmp_path / "canary").exists()
