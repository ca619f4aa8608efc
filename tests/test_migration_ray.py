"""A cluster comes to the same state as this machine alone, also when it loses a worker half way."""

from __future__ import annotations

import io
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fleet import campaign_text, make_fleet
from test_migration_resume import rows, state_of

from devfix.migration.campaign import Campaign
from devfix.migration.campaign_file import load_campaign
from devfix.migration.campaign_run import RunWishes, run_campaign
from devfix.migration.progress import LineProgress
from devfix.migration.reading import Standing
from devfix.migration.steps import Step

ray = pytest.importorskip("ray", reason="Ray is an extra")
# Its own warnings are not ours.
pytestmark = pytest.mark.filterwarnings("default")

FLEET = ("fixable", "clean", "broken-by-us", "empty", "nasty-names", "missing", "lfs")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes on this machine."""
    from ray.cluster_utils import Cluster  # noqa: PLC0415 - an extra

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False, configure_logging=False)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def campaigns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Campaign, Campaign]:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    members = make_fleet(tmp_path, len(FLEET), FLEET)
    text = campaign_text(members, repositories=[str(member.path) for member in members])
    made = []
    for name in ("local", "ray"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "gpu.toml").write_text(text)
        made.append(replace(load_campaign(tmp_path / name / "gpu.toml"), engine=name))
    return made[0], made[1]


class Killer(LineProgress):
    """Kills every worker of the cluster when a step of some repository begins for the first time."""

    def __init__(self, name: str, step: Step) -> None:
        super().__init__(io.StringIO())
        self.waits_for: tuple[str, Step] | None = (name, step)
        self.killed = 0

    def began(self, name: str, step: Step) -> None:
        if self.waits_for == (name, step):
            self.waits_for = None
            for pid in workers():
                os.kill(pid, signal.SIGKILL)
                self.killed += 1


def workers() -> list[int]:
    """The processes of the cluster that work on something."""
    listing = subprocess.run(["ps", "-axo", "pid=,args="], capture_output=True, text=True, check=True).stdout
    found = (line.split(None, 1) for line in listing.splitlines())
    return [int(words[0]) for words in found if len(words) == 2 and words[1].startswith("ray::_work")]


def test_the_state_is_that_of_the_local_engine(cluster: Any, campaigns: tuple[Campaign, Campaign]) -> None:
    local, clustered = campaigns
    run_campaign(local, RunWishes(), LineProgress(io.StringIO()))
    reading = run_campaign(clustered, RunWishes(), LineProgress(io.StringIO()))
    assert reading.standings[Standing.CHANGED] == 3
    assert state_of(clustered.place.parent) == state_of(local.place.parent)
    assert len(cluster.list_all_nodes()) == 2


def test_a_worker_that_is_killed_half_way_changes_nothing(
    cluster: Any, campaigns: tuple[Campaign, Campaign]
) -> None:
    local, clustered = campaigns
    run_campaign(local, RunWishes(), LineProgress(io.StringIO()))
    name = local.repositories[0].name
    killer = Killer(name, Step.VERIFY_BEFORE)
    run_campaign(clustered, RunWishes(), killer)
    assert killer.killed > 0
    assert state_of(clustered.place.parent) == state_of(local.place.parent)
    counted = rows(clustered.place.parent, "SELECT COUNT(*) FROM steps WHERE reason LIKE '%died%'")
    assert counted == [(0,)]


def test_what_a_cluster_committed_can_be_pushed_from_here(
    cluster: Any, campaigns: tuple[Campaign, Campaign]
) -> None:
    campaign = campaigns[1]
    only = (campaign.repositories[0].name,)
    reading = run_campaign(campaign, RunWishes(push=True, only=only), LineProgress(io.StringIO()))
    each = reading.repositories[0]
    assert not each.results[Step.PUSH].ends
    ref = Path(campaign.repositories[0].source.address) / ".git" / "refs" / "heads" / "devfix" / "gpu"
    assert ref.read_text().strip() == each.data(Step.COMMIT)["commit"]
