"""A campaign that is killed, again and again, ends as one that nobody disturbed; two at a time exclude each other."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sweeps
from fleet import campaign_text, make_fleet

from devfix.migration.lock import CampaignLockedError, locked

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")

#: How many moments to kill at.
KILLS = int(os.environ.get("DEVFIX_KILLS", sweeps.number(2, all_of=3)))
SEED = 20261122
#: Nobody else sleeps so long.
SLEEP = 271828
FLEET = ("fixable", "clean", "broken-by-us", "empty", "nasty-names")


def start(here: Path) -> subprocess.Popen[bytes]:
    # Commits are signed with the same time, so that they can be compared.
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    command = [sys.executable, "-m", "devfix", "migrate", "run", "gpu.toml", "-j", "2"]
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=here, env=environment, stdout=nowhere, stderr=subprocess.PIPE)


def finish(here: Path) -> tuple[int, str]:
    process = start(here)
    errors = process.communicate()[1]
    return process.returncode, errors.decode()


def rows(here: Path, query: str) -> list[tuple[object, ...]]:
    path = here / "gpu" / "state.db"
    if not path.exists():
        return []
    with contextlib.closing(sqlite3.connect(path)) as connection:
        try:
            return list(connection.execute(query))
        except sqlite3.OperationalError:
            # Killed before there were any tables.
            return []


def state_of(here: Path) -> list[object]:
    """The state without its times, and the patches."""
    steps = rows(here, "SELECT repository, step, input, outcome, reason, data FROM steps ORDER BY 1, 2")
    files = rows(here, "SELECT repository, step, name, content FROM files ORDER BY 1, 2, 3")
    folder = here / "gpu" / "patches"
    patches = sorted((path.name, path.read_bytes()) for path in folder.iterdir())
    return [_without_times(steps), files, patches]


def _without_times(steps: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    told = []
    for *others, data in steps:
        plain = json.loads(str(data))
        plain.pop("run_seconds", None)
        told.append((*others, plain))
    return told


def finished_steps(here: Path) -> dict[tuple[object, object], object]:
    return {
        (key, step): started
        for key, step, started in rows(here, "SELECT repository, step, started FROM steps")
    }


@pytest.fixture
def homes(tmp_path: Path) -> tuple[Path, Path]:
    members = make_fleet(tmp_path, len(FLEET), FLEET)
    text = campaign_text(members, repositories=[str(member.path) for member in members])
    folders = tmp_path / "calm", tmp_path / "stormy"
    for folder in folders:
        folder.mkdir()
        (folder / "gpu.toml").write_text(text)
    return folders


def test_killed_at_any_moment_it_loses_nothing_and_repeats_nothing(homes: tuple[Path, Path]) -> None:
    calm, stormy = homes
    begun = time.monotonic()
    assert finish(calm) == (2, "")
    usual = time.monotonic() - begun
    chance = random.Random(SEED)
    for _ in range(KILLS):
        process = start(stormy)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0.05, usual))
        known = finished_steps(stormy)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        after = finished_steps(stormy)
        assert known.items() <= after.items()
    before = finished_steps(stormy)
    assert finish(stormy) == (2, "")
    assert before.items() <= finished_steps(stormy).items()
    assert state_of(stormy) == state_of(calm)
    assert not (stormy / "gpu" / "work").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere children notice only when they have news")
@pytest.mark.parametrize(
    ("number", "code", "ending"),
    [(signal.SIGKILL, -9, "killed"), (signal.SIGINT, 130, "interrupted")],
)
def test_what_is_ended_leaves_no_process(
    homes: tuple[Path, Path], number: int, code: int, ending: str
) -> None:
    here = homes[0]
    text = (here / "gpu.toml").read_text().replace("python3 -I -S check.py", f"sleep {SLEEP}{number}")
    (here / "gpu.toml").write_text(text)
    process = start(here)
    _wait_for(lambda: _sleepers(number) > 0)
    process.send_signal(number)
    process.communicate()
    assert process.returncode == code
    _wait_for(lambda: _sleepers(number) == 0)
    assert rows(here, "SELECT ending FROM runs") == [(ending,)]


def _wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _sleepers(number: int) -> int:
    wanted = f"sleep\0{SLEEP}{number}\0".encode()
    count = 0
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        # It may end while one looks.
        with contextlib.suppress(OSError):
            count += path.read_bytes() == wanted
    return count


HOLD = """
import sys, time
from pathlib import Path
from devfix.migration.lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_two_runs_exclude_each_other_until_one_is_killed(homes: tuple[Path, Path]) -> None:
    here = homes[0]
    (here / "gpu.toml").write_text((here / "gpu.toml").read_text().replace("check.py", "-c pass"))
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(here / "gpu")], stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        code, errors = finish(here)
        assert code == 2
        assert errors.startswith("error: another run is at work on ")
        assert f"(process {holder.pid} on " in errors
        assert not (here / "gpu" / "state.db").exists()
        with pytest.raises(CampaignLockedError), locked(here / "gpu"):
            pass
    finally:
        holder.kill()
        holder.communicate()
    with locked(here / "gpu"):
        pass
