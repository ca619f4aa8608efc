"""Program: devfix's own command line as a child process, for what runs the user's code."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

#: As in ``worker``: the folder of the user's program is no place to import devfix from.
_START = "import sys, json; sys.path[:] = json.loads(sys.argv.pop(1)); from devfix.cli import main; main()"
#: How long a program may take to end when it is called off, in seconds.
_PATIENCE = 10.0


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command printed, and its exit code."""

    status: int
    output: str
    errors: str


async def run_devfix(words: Sequence[str], folder: str, tell: Callable[[str], None]) -> Ended:
    """Run a command in a folder; ``tell`` gets each line of its standard error. Cancelling ends it."""
    path = json.dumps([os.path.abspath(entry) for entry in sys.path if entry])
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-I",
        "-c",
        _START,
        path,
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
    )
    try:
        output, errors = await asyncio.gather(_all_of(process.stdout, None), _all_of(process.stderr, tell))
        return Ended(await process.wait(), output, errors)
    finally:
        if process.returncode is None:
            await _end(process)


async def _all_of(stream: asyncio.StreamReader | None, tell: Callable[[str], None] | None) -> str:
    parts: list[str] = []
    while stream is not None and (data := await stream.read(65_536)):
        text = data.decode(errors="replace")
        parts.append(text)
        if tell is not None and text.strip():
            tell(text.strip().splitlines()[-1])
    return "".join(parts)


async def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(process.wait(), _PATIENCE)
        if process.returncode is None:
            process.kill()
            await process.wait()
