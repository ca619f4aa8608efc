"""Life: how long the server serves, and how it ends: with all that it started, whatever ends it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async

from devfix.alive import is_running

if TYPE_CHECKING:
    from devfix.lsp.server import DevfixServer

log = logging.getLogger(__name__)

_ENDING = ("SIGTERM", "SIGINT", "SIGHUP")
#: How often is looked whether the client is there, and how long the end may take, in seconds.
_PULSE, _GRACE = 0.5, 5.0


def live(server: DevfixServer, stdin: BinaryIO, stdout: BinaryIO) -> NoReturn:
    """Serve until the client says so, closes its end or is gone, or a signal comes; then end the process.

    Its status is 0 after a request to shut down, and 1 without one.
    """
    try:
        asyncio.run(_serve(server, stdin, stdout))
    except (Exception, KeyboardInterrupt):
        log.exception("the server did not end in order")
    # The thread that waits for the client's next message would not let the interpreter end.
    os._exit(_status(server))


def _status(server: DevfixServer) -> int:
    return 0 if server.was_shut_down else 1


async def _serve(server: DevfixServer, stdin: BinaryIO, stdout: BinaryIO) -> None:
    end = _End(server)
    for name in _ENDING:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda _number, _frame: end.come())
    threading.Thread(target=end.watch, daemon=True).start()
    server.protocol.set_writer(StdoutWriter(stdout))
    reader = StdinAsyncReader(stdin, server.thread_pool)
    talking = asyncio.create_task(
        run_async(server.last_message, reader, server.protocol, log, server.report_server_error)
    )
    ended = asyncio.create_task(end.came.wait())
    await asyncio.wait((talking, ended), return_when=asyncio.FIRST_COMPLETED)
    end.come()
    talking.cancel()
    await server.close()
    # Nobody is left to be told what comes of calling off the rest.
    asyncio.get_running_loop().set_exception_handler(lambda _loop, _told: None)


class _End:
    """The end, which a signal or another thread may bring about."""

    def __init__(self, server: DevfixServer) -> None:
        self.came = asyncio.Event()
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._is_near = False

    def come(self) -> None:
        """The server is to end."""
        self._is_near = True
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self.came.set)

    def watch(self) -> NoReturn:
        """Bring about the end when the client's process is gone, and see to it that it comes.

        It does not by itself where the server waits for a client that does not read.
        """
        while not self._is_near:
            time.sleep(_PULSE)
            client = self._server.client_process
            if client is not None and not is_running(client):
                self.come()
        time.sleep(_GRACE)
        os._exit(_status(self._server))
