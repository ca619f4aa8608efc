"""How the language server ends: soon, with all that it started, whatever ends it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lsp_editor import ROOT
from lsp_programs import BROKEN

from devfix.alive import is_running

#: Nothing of this takes so long, in seconds, unless it never comes.
_GIVE_UP = 60.0
_WAITS = "import os, time\nfrom pathlib import Path\nPath('number').write_text(str(os.getpid()))\ntime.sleep(600)\n"


class Talk:
    """A server, and what its client says to it; it waits for no answer that it has not asked for."""

    def __init__(self, folder: Path, client: int | None) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "codemods")])}
        self.server = subprocess.Popen(
            [sys.executable, "-m", "devfix", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            cwd=folder,
        )
        self._number = 0
        self.ask("initialize", processId=client, rootUri=folder.as_uri(), capabilities={})
        self.tell("initialized")

    def tell(self, method: str, **params: Any) -> None:
        self._send({"method": method, "params": params})

    def order(self, method: str, **params: Any) -> int:
        """Ask and do not wait."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params or None})
        return self._number

    def ask(self, method: str, **params: Any) -> Any:
        number = self.order(method, **params)
        while (message := self._receive()).get("id") != number:
            pass
        return message["result"]

    def open(self, path: Path, text: str) -> None:
        item = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
        self.tell("textDocument/didOpen", textDocument=item)

    def worker(self) -> int:
        """The process that analyses, once it is there."""
        until(lambda: self._worker() is not None)
        return int(self._worker() or 0)

    def _worker(self) -> int | None:
        told = self.ask("workspace/executeCommand", command="devfix.debugInformation")
        worker = told["worker"]
        return None if worker is None else int(worker)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.server.stdin is not None
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.server.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self.server.stdout is not None
        size = 0
        while line := self.server.stdout.readline().strip():
            name, _, value = line.partition(b":")
            size = int(value) if name == b"Content-Length" else size
        message: dict[str, Any] = json.loads(self.server.stdout.read(size))
        return message

    def close(self) -> None:
        """The client closes its end."""
        assert self.server.stdin is not None
        self.server.stdin.close()


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + _GIVE_UP
    while not condition():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.02)


@pytest.fixture
def client() -> Iterator[subprocess.Popen[bytes]]:
    """A process that stands for the editor; it says nothing, so it may end without the pipe's being closed."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    yield process
    process.kill()
    process.wait()


@pytest.fixture
def talk(tmp_path: Path, client: subprocess.Popen[bytes]) -> Iterator[Talk]:
    made = Talk(tmp_path, client.pid)
    with made.server:
        yield made
        made.server.kill()


def _is_killed(client: subprocess.Popen[bytes]) -> None:
    client.kill()
    client.wait()


_WAYS: dict[str, Callable[[Talk, subprocess.Popen[bytes]], object]] = {
    "end of input": lambda talk, _client: talk.close(),
    "exit": lambda talk, _client: talk.tell("exit"),
    "terminated": lambda talk, _client: talk.server.send_signal(signal.SIGTERM),
    "client gone": lambda _talk, client: _is_killed(client),
}


@pytest.fixture(params=_WAYS)
def end(request: pytest.FixtureRequest, talk: Talk, client: subprocess.Popen[bytes]) -> Callable[[], object]:
    return lambda: _WAYS[request.param](talk, client)


def test_it_ends_with_its_process(talk: Talk, end: Callable[[], object]) -> None:
    worker = talk.worker()
    end()
    assert talk.server.wait(_GIVE_UP) == 1
    until(lambda: not is_running(worker))


def test_it_ends_during_an_analysis(talk: Talk, end: Callable[[], object], tmp_path: Path) -> None:
    worker = talk.worker()
    functions = (f"def f{number}(x):\n    return f{number + 1}(x) + x.to('cuda')\n" for number in range(2000))
    talk.open(tmp_path / "long.py", f"import torch\n{''.join(functions)}{BROKEN}")
    talk.order("textDocument/hover", textDocument={"uri": (tmp_path / "long.py").as_uri()}, position=_START)
    end()
    assert talk.server.wait(_GIVE_UP) == 1
    until(lambda: not is_running(worker))


_START = {"line": 0, "character": 0}


def test_a_program_that_it_runs_ends_with_it(talk: Talk, tmp_path: Path) -> None:
    script, number = tmp_path / "waits.py", tmp_path / "number"
    script.write_text(_WAITS)
    talk.order("workspace/executeCommand", command="devfix.run", arguments=[script.as_uri()])
    until(lambda: number.exists() and bool(number.read_text()))
    talk.close()
    assert talk.server.wait(_GIVE_UP) == 1
    until(lambda: not is_running(int(number.read_text())))


@pytest.mark.parametrize("last", ["exit", "end of input", "terminated"])
def test_after_a_request_to_shut_down_all_is_well(
    last: str, talk: Talk, client: subprocess.Popen[bytes]
) -> None:
    worker = talk.worker()
    assert talk.ask("shutdown") is None
    _WAYS[last](talk, client)
    assert talk.server.wait(_GIVE_UP) == 0
    until(lambda: not is_running(worker))


def test_it_ends_before_anybody_said_hello(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "devfix", "lsp"]
    done = subprocess.run(
        command, input=b"", cwd=tmp_path, timeout=_GIVE_UP, check=False, capture_output=True
    )
    assert (done.returncode, done.stdout) == (1, b"")


def test_a_client_that_is_not_there_is_counted_elsewhere(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    talk = Talk(tmp_path, gone.pid)
    with talk.server:
        assert is_running(talk.worker())
        talk.ask("shutdown")
        talk.tell("exit")
        assert talk.server.wait(_GIVE_UP) == 0
