"""A campaign over a fleet of every kind ends where it has to, and touches nobody's files."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fleet import FIXED, KINDS, Member, campaign_text, contents, git, make_fleet
from typer.testing import CliRunner

from devfix.cli import app
from devfix.migration.campaign_file import load_campaign
from devfix.migration.reading import CampaignReading, RepositoryReading, read
from devfix.migration.state import opened
from devfix.migration.steps import Step

COUNT = len(KINDS)


def migrate(*words: str, here: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder."""
    command = [sys.executable, "-m", "devfix", "migrate", *words]
    environment = {**os.environ, **variables}
    return subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, check=False)


def asked(*words: str) -> tuple[int, str, str]:
    """Exit code, output and errors of the command, called in this process: for what does little."""
    result = CliRunner().invoke(app, ["migrate", *words], catch_exceptions=False)
    return result.exit_code, result.stdout_bytes.decode(), result.stderr


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("fleet")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def fleet(home: Path) -> list[Member]:
    members = make_fleet(home, COUNT)
    (home / "gpu.toml").write_text(campaign_text(members))
    return members


@pytest.fixture(scope="module")
def ended(home: Path, fleet: list[Member]) -> subprocess.CompletedProcess[str]:
    return migrate("run", "gpu.toml", here=home)


@pytest.fixture(scope="module")
def reading(home: Path, ended: subprocess.CompletedProcess[str]) -> CampaignReading:
    assert ended.stderr == ""
    with opened(home / "gpu" / "state.db") as state:
        return read(state)


def of_kind(reading: CampaignReading, kind: str) -> list[RepositoryReading]:
    return [each for each in reading.repositories if each.name.partition("-")[2] == kind]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_ends_as_it_has_to(reading: CampaignReading, kind: str) -> None:
    expected = KINDS[kind][1]
    found = of_kind(reading, kind)
    assert found
    for each in found:
        assert (each.standing.value, each.fixed, each.left) == (
            expected.standing,
            expected.fixed,
            expected.left,
        )
        assert (tuple(sorted(each.changed_files)), tuple(each.unread)) == (
            tuple(sorted(expected.changed)),
            expected.unread,
        )
        assert each.verified == expected.verified
        assert expected.reason in each.reason
        assert bool(expected.reason) == bool(each.reason)


def test_the_exit_code_says_that_something_failed(ended: subprocess.CompletedProcess[str]) -> None:
    assert ended.returncode == 2
    assert f"[{COUNT}/{COUNT}]" in ended.stdout


def test_nothing_of_the_users_changes_and_nothing_of_theirs_runs(
    home: Path, fleet: list[Member], reading: CampaignReading
) -> None:
    assert not (home / "canary").exists()
    for member in fleet:
        assert contents(member.path) == member.before, member.kind
    outside = [path for path in home.iterdir() if path.name.startswith("outside")]
    assert outside
    assert all("device=device" not in path.read_text() for path in outside)


def test_nothing_is_left_of_the_work(home: Path, reading: CampaignReading) -> None:
    place = home / "gpu"
    assert not (place / "work").exists()
    changed = {each.key for each in reading.repositories if each.standing.value == "changed"}
    assert {path.name for path in (place / "clones").iterdir()} == changed
    assert {path.stem for path in (place / "patches").iterdir()} == changed
    assert not any((place / "clones" / key / "hooks").exists() for key in changed)


def test_patches_apply_to_the_commit_they_were_made_from(
    home: Path, fleet: list[Member], reading: CampaignReading, tmp_path: Path
) -> None:
    seen = set()
    for member, each in zip(fleet, reading.repositories, strict=True):
        if each.standing.value != "changed" or member.kind in seen:
            continue
        seen.add(member.kind)
        clone = tmp_path / member.path.name
        git(tmp_path, "-c", "protocol.file.allow=always", "clone", "--quiet", str(member.path), str(clone))
        git(clone, "checkout", "--quiet", str(each.data(Step.FETCH)["base"]))
        git(clone, "am", "--quiet", "--keep-cr", str(home / "gpu" / "patches" / f"{each.key}.patch"))
        commit = each.data(Step.COMMIT)["commit"]
        assert git(clone, "rev-parse", "HEAD^{tree}") == each.data(Step.APPLY)["tree"]
        names = git(clone, "diff-tree", "--no-commit-id", "-r", "--name-only", "-z", "HEAD").split("\0")[:-1]
        wanted = ["sub/train.py"] if member.kind == "inner-link" else sorted(each.changed_files)
        assert sorted(names) == wanted
        assert git(home / "gpu" / "clones" / each.key, "log", "-1", "--format=%an <%ae>", commit) == (
            "Fleet <fleet@example.org>"
        )
        if wanted == ["train.py"]:
            assert (clone / "train.py").read_text() == FIXED
    assert seen == {kind for kind, (_, expected) in KINDS.items() if expected.standing == "changed"}


def test_a_pull_request_tells_what_speaks_for_it(home: Path, reading: CampaignReading) -> None:
    def body(kind: str) -> str:
        return (home / "gpu" / "patches" / f"{of_kind(reading, kind)[0].key}.md").read_text()

    assert "passes before and after" in body("fixable")
    assert "`train.py:7` DF10" in body("fixable")
    assert "`tests/test_a.py::test_old` failed before as well" in body("failing-before")


def test_another_run_repeats_nothing(home: Path, reading: CampaignReading) -> None:
    _, again, _ = asked("run", str(home / "gpu.toml"))
    assert f"{COUNT} repositories were done earlier" in again
    with opened(home / "gpu" / "state.db") as state:
        assert read(state).repositories == reading.repositories


def test_status_and_plan_and_export_say_the_same(home: Path, reading: CampaignReading) -> None:
    file = str(home / "gpu.toml")
    code, table, _ = asked("status", file)
    assert (code, len(table.splitlines())) == (2, COUNT + 4)
    code, plan, _ = asked("plan", file)
    assert (code, plan.count("is done: ")) == (0, COUNT - 1)
    assert plan.count("does not exist: would fail") == 1
    document: dict[str, Any] = json.loads(asked("export", file)[1])
    rows = list(csv.DictReader(io.StringIO(asked("export", file, "--format", "csv")[1])))
    standings = [each.standing.value for each in reading.repositories]
    assert [each["standing"] for each in document["repositories"]] == standings
    assert [row["standing"] for row in rows] == standings


def test_retry_does_what_failed_again_and_nothing_else(home: Path, reading: CampaignReading) -> None:
    broken = of_kind(reading, "broken-by-us")[0]
    campaign = load_campaign(home / "gpu.toml")
    # Its verify command is content now.
    text = (home / "gpu.toml").read_text().replace('verify = "python3 -I -S check.py"', 'verify = "true"')
    (home / "other.toml").write_text(text)
    shutil.copytree(home / "gpu", home / "kept")
    try:
        _, again, _ = asked("retry", str(home / "other.toml"), "--only", broken.name)
        assert f"[1/1] {broken.name} changed" in again
        with opened(campaign.state) as state:
            results = state.results(broken.key)
        assert results[Step.FETCH].started == broken.results[Step.FETCH].started
        assert results[Step.VERIFY_AFTER].data["judgement"] == "passes"
    finally:
        shutil.rmtree(home / "gpu")
        (home / "kept").rename(home / "gpu")
