"""Commands: what the words after ``devfix migrate`` do, from options to an exit code."""

from __future__ import annotations

import importlib
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path

from devfix.atomic_write import write_atomically
from devfix.guard import guarded
from devfix.harmless_git import GitError
from devfix.migration.campaign import Campaign, CampaignError
from devfix.migration.campaign_file import load_campaign
from devfix.migration.campaign_run import RunWishes, run_campaign
from devfix.migration.export import render_export
from devfix.migration.lock import CampaignLockedError
from devfix.migration.plan import check_rules, render_plan
from devfix.migration.progress import progress_for
from devfix.migration.reading import CampaignReading, Standing, read
from devfix.migration.state import opened
from devfix.migration.status_table import render_status
from devfix.report.paint import paint_for
from devfix.usage import UsageError

#: The module that draws the page of a campaign; its ``render(reading, results_of)`` returns HTML.
_PAGE = "devfix.migration.page"
_INTERRUPTED = 130


def plan(path: Path) -> int:
    """Say what a run would do."""
    return _guarded(lambda: _plan(path))


def run(path: Path, wishes: RunWishes) -> int:
    """Do what is left to do."""
    return _guarded(lambda: _run(path, wishes))


def status(path: Path, color: str) -> int:
    """Show where the campaign stands."""
    return _guarded(lambda: _status(path, color))


def export(path: Path, output_format: str, output: Path | None) -> int:
    """Write the state for other tools."""
    return _guarded(lambda: _export(path, output_format, output))


def report(path: Path, output: Path | None, *, shows: bool) -> int:
    """Write the page."""
    return _guarded(lambda: _report(path, output, shows=shows))


def _guarded(command: Callable[[], int]) -> int:
    def told() -> int:
        try:
            return command()
        except (CampaignError, CampaignLockedError, GitError) as error:
            raise UsageError(str(error)) from error

    return guarded(told)


def _plan(path: Path) -> int:
    campaign = _campaign(path)
    sys.stdout.write(render_plan(campaign))
    return 0


def _campaign(path: Path) -> Campaign:
    campaign = load_campaign(path)
    check_rules(campaign)
    return campaign


def _run(path: Path, wishes: RunWishes) -> int:
    campaign = _campaign(path)
    progress = progress_for(sys.stdout)
    try:
        reading = run_campaign(campaign, wishes, progress)
    except KeyboardInterrupt:
        progress.close()
        sys.stderr.write("interrupted; what was finished is kept, run again to go on\n")
        return _INTERRUPTED
    finally:
        progress.close()
    sys.stdout.write(_ending(campaign, reading))
    return reading.exit_code


def _ending(campaign: Campaign, reading: CampaignReading) -> str:
    counts = ", ".join(f"{count} {standing.value}" for standing, count in reading.standings.items())
    lines = [f"{campaign.name}: {counts}"]
    if Standing.CHANGED in reading.standings:
        lines.append(f"patches are in {campaign.patches}")
    if Standing.TRANSIENT in reading.standings:
        lines.append("run again for those that failed for a passing reason")
    return "".join(f"{line}\n" for line in lines)


def _status(path: Path, color: str) -> int:
    reading = _reading(load_campaign(path))
    sys.stdout.write(render_status(reading, paint_for(color, sys.stdout)))
    return reading.exit_code


def _reading(campaign: Campaign) -> CampaignReading:
    with opened(campaign.state) as state:
        return read(state)


def _export(path: Path, output_format: str, output: Path | None) -> int:
    text = render_export(_reading(load_campaign(path)), output_format)
    if output is None:
        sys.stdout.write(text)
    else:
        _write(output, text)
    return 0


def _report(path: Path, output: Path | None, *, shows: bool) -> int:
    campaign = load_campaign(path)
    target = output or campaign.place / "report.html"
    with opened(campaign.state) as state:
        page = importlib.import_module(_PAGE)
        _write(target, page.render(read(state), state.results))
    sys.stdout.write(f"{target}\n")
    if shows:
        webbrowser.open(target.resolve().as_uri())
    return 0


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        write_atomically(str(path), text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
