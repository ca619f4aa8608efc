"""Options of the test run."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import parts
import pytest
import sweeps
from hypothesis import HealthCheck, settings

#: All files with tests, which parts of the run share.
_FILES = sorted(path.name for path in Path(__file__).parent.glob("test_*.py"))

# How long an example takes to make or to test depends on the machine, which says nothing of the code.
# Where a result decides something, the same programs are tried each time; elsewhere new ones.
settings.register_profile(
    "devfix", deadline=None, derandomize="CI" in os.environ, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("devfix")

# A tenth of the time went into looking for garbage.
gc.set_threshold(50_000, 20, 50)

# A shell starts what it runs in the background deaf to interrupts, and with it every program that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What devfix remembers in a test run is nobody else's, and nothing that others remember counts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("DEVFIX_CACHE_DIR", raising=False)
        patch.delenv("DEVFIX_CACHE_SECRET", raising=False)
        yield


@pytest.fixture
def long_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines may be as long as they come: where they are broken is another test's affair."""
    monkeypatch.setattr("devfix.tidying.written._LIMITS", (10_000,))


def pytest_collection_finish() -> None:
    """All that was imported and collected stays to the end: garbage is looked for in what comes later."""
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-corpus",
        action="store_true",
        help="write what the tool makes of each case over its `after`; review the diff like code",
    )
    parser.addoption("--part", metavar="N/M", help="run the N-th of M parts, which have about as much to do")
    parser.addoption("--all", action="store_true", help="leave nothing out of sweeps")
    parser.addoption(
        "--weigh", action="store_true", help="write down what files take, by which they are shared out"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--all"):
        sweeps.take_all()
    if config.getoption("--weigh"):
        config.pluginmanager.register(parts.Scales())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the files of other parts. Naming files instead has pytest look through their folder for each."""
    part: str | None = config.getoption("--part")
    if part is None or collection_path.name not in _FILES:
        return None
    return True if collection_path.name not in _files_of(part) else None


@cache
def _files_of(part: str) -> frozenset[str]:
    number, count = map(int, part.split("/"))
    return frozenset(parts.shared_out(_FILES, parts.weights(), count)[number - 1])
