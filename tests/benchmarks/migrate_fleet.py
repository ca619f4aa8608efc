"""What a campaign costs: repositories a minute, and how that compares with `devfix apply` on each of them.

    python tests/benchmarks/migrate_fleet.py 10 100 1000 [--folder FOLDER] [--verify] [--jobs N] [--sample N]

Made-up repositories of every kind, the same share of each. Every end is compared with what it has to be; a
difference is printed and ends in exit code 1. Processor seconds are of the campaign and all its processes: they say
more than the clock on a machine that does other things as well.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fleet import KINDS, Member, campaign_text, make_fleet

from devfix.migration.reading import RepositoryReading, read
from devfix.migration.state import opened


def main() -> int:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("counts", nargs="+", type=int)
    parser.add_argument("--folder", type=Path, help="where the fleets are made; default: a temporary one")
    parser.add_argument("--verify", action="store_true", help="run verify commands, too")
    parser.add_argument("--jobs", type=int, default=1, help="repositories at a time")
    parser.add_argument("--sample", type=int, default=50, help="repositories that `devfix apply` is timed on")
    options = parser.parse_args()
    print("repositories  clock s  processor s  a minute  apply alone, processor s (from a sample)  ratio")
    return max(measure(count, options) for count in options.counts)


def measure(count: int, options: argparse.Namespace) -> int:
    """Run a campaign over a new fleet, and print what it took."""
    with tempfile.TemporaryDirectory(dir=options.folder, prefix="fleet-") as name:
        folder = Path(name)
        members = make_fleet(folder, count)
        text = campaign_text(members) if options.verify else campaign_text(members, verify="true")
        if not options.verify:
            text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("verify ="))
        (folder / "gpu.toml").write_text(text)
        clock, processor = timed(["migrate", "run", "gpu.toml", "-j", str(options.jobs)], folder)
        alone = apply_alone(members, options.sample)
        faults = differences(folder, members, verified=options.verify)
    print(
        f"{count:12}  {clock:7.1f}  {processor:11.1f}  {60 * count / clock:8.0f}  {alone:42.1f}  {processor / alone:5.2f}"
    )
    for fault in faults:
        print(fault)
    return int(bool(faults))


def timed(words: list[str], folder: Path) -> tuple[float, float]:
    """Clock and processor seconds of a command."""
    before, begun = spent(), time.monotonic()
    command = [sys.executable, "-m", "devfix", *words]
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.monotonic() - begun, spent() - before


def spent() -> float:
    """The processor seconds of all children that ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def apply_alone(members: list[Member], sample: int) -> float:
    """What `devfix apply` takes on all that is looked at, each in a process of its own; scaled up from a sample."""
    looked_at = [each for each in members if KINDS[each.kind][1].standing in ("changed", "unchanged")]
    chosen = looked_at[:: max(1, len(looked_at) // sample)]
    total = sum(timed(["apply", "--diff", "--no-config", "."], each.path)[1] for each in chosen)
    return total * len(looked_at) / len(chosen)


def differences(folder: Path, members: list[Member], *, verified: bool) -> list[str]:
    """Where the campaign did not end as it has to."""
    with opened(folder / "gpu" / "state.db") as state:
        readings = read(state).repositories
    return [
        f"{member.path.name}: {reading.standing.value} {reading.reason}"
        for member, reading in zip(members, readings, strict=True)
        if not as_expected(member, reading, verified=verified)
    ]


def as_expected(member: Member, reading: RepositoryReading, *, verified: bool) -> bool:
    """Whether a repository ended as its kind has to."""
    expected = KINDS[member.kind][1]
    standing = expected.standing
    if not verified and expected.verified == "broken":
        standing = "changed"
    counted = (reading.fixed, reading.left, tuple(sorted(reading.changed_files)), tuple(reading.unread))
    wanted = (expected.fixed, expected.left, tuple(sorted(expected.changed)), expected.unread)
    return (reading.standing.value, counted) == (standing, wanted)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONPATH", os.pathsep.join(sys.path))
    sys.exit(main())
