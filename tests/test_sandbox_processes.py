"""Who descends from whom: a look at a few processes finds the same as one at all of the machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from devfix.sandbox import processes

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are held within limits on POSIX")

#: Starts so many shells, each with a child of its own from a thread, says so, and waits.
_PARENT = """
import subprocess, sys, threading
def start():
    for _ in range(int(sys.argv[1])):
        subprocess.Popen(["sh", "-c", "sleep 60 & wait"])
thread = threading.Thread(target=lambda: (start(), print("ready", flush=True), sys.stdin.read()))
thread.start()
thread.join()
"""


@pytest.fixture(params=[3, 20])
def parent(request: pytest.FixtureRequest) -> Iterator[int]:
    words = [sys.executable, "-I", "-S", "-c", _PARENT, str(request.param)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        assert started.stdout is not None
        try:
            assert started.stdout.readline() == b"ready\n"
            yield started.pid
        finally:
            processes.end_all(lambda: _alive(started.pid), 10)
            started.kill()


def _alive(parent: int) -> list[processes.Process]:
    return [process for process in processes.descendants(parent) if not process.dead]


def _known(found: list[processes.Process]) -> dict[int, tuple[int, int, bool]]:
    return {process.pid: (process.parent, process.group, process.dead) for process in found}


def _settled(parent: int) -> dict[int, tuple[int, int, bool]]:
    """The descendants, once each shell has started what it starts."""
    while True:
        before, after = _known(processes.descendants(parent)), _known(processes.descendants(parent))
        shells = sum(1 for of, _, _ in after.values() if of == parent)
        if before == after and len(after) == 2 * shells:
            return after


def test_a_family_is_all_that_descend(parent: int) -> None:
    there = _settled(parent)
    assert _known(processes.family(parent)) == there


def test_without_lists_of_children_all_processes_are_looked_at(
    parent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = _settled(parent)
    monkeypatch.setattr(processes, "_children_are_listed", lambda: False)
    monkeypatch.setattr(processes, "_children", lambda _of: [])
    assert _known(processes.family(parent)) == there


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there are no such lists")
def test_what_has_ended_has_no_family() -> None:
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", ""]) as ended:
        ended.wait()
    assert processes.family(ended.pid) == []
