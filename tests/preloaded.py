"""Preloaded: keepers of a sandbox that are forks of one process, for which nothing has to be imported any more.

One such process has torch, so that no program has to import it; another has none of it, for programs that need none. Both are
there until the tests end. All else is as it is without: the box, the limits, the variables, and the launcher that runs the
program. It is for tests of what devfix makes of such runs; those of the launcher and of the sandbox start what users start.
"""

from __future__ import annotations

import gc
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import IO, NoReturn

import pytest

_ROOT = Path(__file__).resolve().parents[1]
_LAUNCHER = str(_ROOT / "devfix" / "simulator" / "launch.py")
#: More than any process here has open.
_DESCRIPTORS = 1024


class _Keeper:
    """What devfix asks of a keeper that it has started."""

    def __init__(self, pid: int, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self.pid, self.stdin, self.stdout = pid, stdin, stdout

    def wait(self) -> None:
        """Nothing: who has read all that a keeper says has waited for it."""


_Engage = Callable[..., _Keeper]


@pytest.fixture(scope="session")
def _preloaded() -> Iterator[_Engage]:
    with _server("torch") as engage:
        yield engage


@pytest.fixture(scope="session")
def _ready() -> Iterator[_Engage]:
    with _server() as engage:
        yield engage


@contextmanager
def _server(*words: str) -> Iterator[_Engage]:
    """A process that forks until the end of the tests; what it forks has none of what they change later."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, __file__, str(theirs.fileno()), *words]
    server = subprocess.Popen(
        command, env=environment, cwd=_ROOT, pass_fds=[theirs.fileno()], stdout=subprocess.PIPE
    )
    theirs.close()

    def engage(_command: Sequence[str], **_options: object) -> _Keeper:
        (order, asking), (telling, answer) = os.pipe(), os.pipe()
        socket.send_fds(ours, [b"keep"], [order, answer])
        for descriptor in (order, answer):
            os.close(descriptor)
        return _Keeper(int(ours.recv(64)), os.fdopen(asking, "wb"), os.fdopen(telling, "rb"))

    yield engage
    ours.close()
    assert server.stdout is not None
    server.stdout.close()
    server.wait()


@pytest.fixture
def preloaded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keepers of this test are such forks, on the system where all that this takes is there."""
    _engage_from("_preloaded", request, monkeypatch)


@pytest.fixture
def ready(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keepers of this test are forks of one that has no torch, and start programs as ever."""
    _engage_from("_ready", request, monkeypatch)


def _engage_from(server: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform == "linux":
        stand_in = SimpleNamespace(Popen=request.getfixturevalue(server), PIPE=subprocess.PIPE)
        monkeypatch.setattr("devfix.sandbox.supervision.subprocess", stand_in)


def _load_torch() -> None:
    """Have programs started without a process of their own."""
    paths = sys.path[1:]
    sys.path[1:1] = [str(_ROOT)]
    import torch  # noqa: F401, PLC0415 - only in the process that serves
    from zygote import _launching  # noqa: PLC0415

    launching, execute = _launching(), os.execvpe

    def launch(file: str, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        if arguments[1:2] != [_LAUNCHER]:
            execute(file, [*arguments], environment)
        _launch(launching, arguments[2:], environment, paths)

    os.execvpe = launch  # type: ignore[assignment]


def _serve(channel: socket.socket) -> None:
    from devfix.sandbox import keeper  # noqa: PLC0415

    gc.freeze()
    children: list[int] = []
    while True:
        message, descriptors, _, _ = socket.recv_fds(channel, 64, 2)
        if not message:
            break
        child = os.fork()
        if child == 0:
            channel.close()
            _keep(keeper.main, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        channel.send(str(child).encode())
        # A session has hundreds of them, and who looks at all processes meets those that nobody has waited for.
        children = [each for each in [*children, child] if os.waitpid(each, os.WNOHANG) == (0, 0)]
    for child in children:
        os.waitpid(child, 0)


def _keep(work: Callable[[], None], descriptors: Sequence[int]) -> NoReturn:
    try:
        os.setsid()
        for place, descriptor in enumerate(descriptors):
            os.dup2(descriptor, place)
            os.close(descriptor)
        work()
    finally:
        os._exit(0)


def _launch(
    launching: ModuleType, words: Sequence[str], environment: Mapping[str, str], paths: Sequence[str]
) -> NoReturn:
    """Go on as the launcher would, were it started by its path."""
    from launched import _end, _status_of  # noqa: PLC0415

    os.closerange(3, _DESCRIPTORS)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:] = [*filter(None, environment.get("PYTHONPATH", "").split(os.pathsep)), *paths]
    _end(_status_of(launching, list(words)))


if __name__ == "__main__":
    if sys.argv[2:] == ["torch"]:
        _load_torch()
    else:
        sys.path.insert(1, str(_ROOT))
    _serve(socket.socket(fileno=int(sys.argv[1])))
