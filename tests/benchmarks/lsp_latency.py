"""What an editor waits for: the language server on a training file of a thousand lines, as a client sees it.

    python tests/benchmarks/lsp_latency.py [FILE] [--edits 40] [--debounce 100] [--memory 0] [--files 300]

Prints numbers and judges nothing: what they are worth depends on the machine and on what else it does.
A check begins while the pause in typing lasts, so that less is left beyond a longer one: ``--debounce 20`` shows
what lies behind the default.
``--memory 10000`` types so many edits and prints what the server's processes hold meanwhile.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lsp_editor import Editor, editor, neovim
from training_file import training_file


async def main(options: argparse.Namespace) -> None:
    text = training_file() if options.file is None else options.file.read_text(encoding="utf-8")
    print(f"{text.count(chr(10))} lines; ast.parse takes {parse_time(text) * 1e3:.1f} ms")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "train.py").write_text(text, encoding="utf-8")
        async with editor(neovim(), folder, options={"debounce": options.debounce}) as made:
            start = time.perf_counter()
            uri = made.open(folder / "train.py")
            await made.diagnostics(uri)
            print(
                f"open to first diagnostics: {time.perf_counter() - start:.2f} s, with the start of the process"
            )
            pause = options.debounce / 1e3
            await changes(made, uri, options.edits, text, "value_{} = {}", pause)
            await changes(made, uri, options.edits, text, "return {1}", pause)
            await blank_lines(made, uri, options.edits, text, pause)
            await actions(made, uri, options.edits, text)
            if options.memory:
                await memory(made, uri, options.memory)
    if options.files:
        await project(options.files, options.debounce)


def parse_time(text: str) -> float:
    times = []
    for _ in range(9):
        start = time.perf_counter()
        ast.parse(text)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


async def changes(made: Editor, uri: str, count: int, text: str, statement: str, pause: float) -> None:
    """Statements typed at places all over the file, each waited for."""
    made.change(uri, 0, len(made.texts[uri]), text)
    await made.diagnostics(uri)
    places = Places(text)
    worker = (await made.command("devfix.debugInformation"))["worker"]
    times, spent = [], []
    for number in range(count):
        start, before = time.perf_counter(), processor_time(worker)
        places.type(made, uri, statement.format(number, number))
        await made.diagnostics(uri)
        times.append(time.perf_counter() - start - pause)
        spent.append(processor_time(worker) - before)
    show(f"`{statement.format('n', 'n')}` to diagnostics, beyond the debounce of {pause * 1e3:.0f} ms", times)
    show("    processor time of the analysis", spent)
    print(f"    its median / ast.parse: {statistics.median(spent) / parse_time(text):.1f}")


def processor_time(process: int) -> float:
    """The seconds that a process has taken, where the system tells; they come in hundredths."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def blank_lines(made: Editor, uri: str, count: int, text: str, pause: float) -> None:
    """The enter key, before one function after the other."""
    made.change(uri, 0, len(made.texts[uri]), text)
    await made.diagnostics(uri)
    times = []
    for number in range(count):
        offsets = [found.start() for found in re.finditer(r"^def ", made.texts[uri], re.MULTILINE)]
        start = time.perf_counter()
        made.change(uri, offsets[number % len(offsets)], offsets[number % len(offsets)], "\n")
        await made.diagnostics(uri)
        times.append(time.perf_counter() - start - pause)
    show(f"an empty line to diagnostics, beyond the debounce of {pause * 1e3:.0f} ms", times)
    made.change(uri, 0, len(made.texts[uri]), text)


class Places:
    """Where a statement can stand: before those of functions."""

    def __init__(self, text: str) -> None:
        functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
        self._lines = [function.body[-1].lineno - 1 for function in functions]
        self._random = random.Random(0)
        self._last: tuple[int, int] | None = None
        self._text = text

    def type(self, made: Editor, uri: str, statement: str) -> None:
        """Put a statement somewhere, and take away the one before."""
        if self._last is not None:
            made.change(uri, *self._last, "")
        elif made.texts[uri] != self._text:
            made.change(uri, 0, len(made.texts[uri]), self._text)
        lines = made.texts[uri].splitlines(keepends=True)
        number = self._random.choice(self._lines)
        indent = lines[number][: len(lines[number]) - len(lines[number].lstrip())]
        offset = sum(map(len, lines[:number]))
        typed = f"{indent}{statement}\n"
        made.change(uri, offset, offset, typed)
        self._last = (offset, offset + len(typed))


#: How often a fix is chosen after a pause.
_LOOKS = 8


async def actions(made: Editor, uri: str, count: int, text: str) -> None:
    """The light bulb after each of some changes: opened and used at once, and, less often, after a look at the menu."""
    if not await made.diagnostics(uri):
        print("no finding, so no code actions to time")
        return
    places = Places(text)
    worker = (await made.command("devfix.debugInformation"))["worker"]
    for what, pause in (("at once", 0.0), ("after half a second", 0.5), ("after two seconds", 2.0)):
        listing, resolving, spent = [], [], []
        for number in range(_LOOKS if pause else count):
            places.type(made, uri, f"value = {number}")
            found = await made.diagnostics(uri)
            start, before = time.perf_counter(), processor_time(worker)
            offered = await made.actions(uri, found[0])
            listing.append(time.perf_counter() - start)
            await asyncio.sleep(pause)
            start = time.perf_counter()
            await made.client.code_action_resolve_async(offered[0])
            resolving.append(time.perf_counter() - start)
            spent.append(processor_time(worker) - before)
        if not pause:
            show("list of code actions", listing)
        show(f"a quick fix that is chosen {what}", resolving)
        if not pause:
            print(f"    the first of them: {resolving[0] * 1e3:.0f} ms")
            show("    processor time of the analysis for list and fix", spent)


async def memory(made: Editor, uri: str, count: int) -> None:
    """Edits without a pause but for every 25th, which is waited for, with a fix that is looked at and not taken."""
    places = Places(made.texts[uri])
    worker = (await made.command("devfix.debugInformation"))["worker"]
    server = made.client._server.pid if made.client._server is not None else 0
    for number in range(count + 1):
        places.type(made, uri, f"value_{number} = {number}")
        if number % 25 == 0:
            found = await made.diagnostics(uri)
            await made.client.code_action_resolve_async((await made.actions(uri, found[0]))[0])
        if number % max(count // 10, 1) == 0:
            print(f"    after {number} edits: server {resident(server)} MiB, worker {resident(worker)} MiB")


def resident(process: int) -> int:
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 // 2**20


async def project(count: int, debounce: int) -> None:
    """A project of many files is opened and typed in at once; how long does the server take to answer meanwhile?"""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for number in range(count):
            text = training_file(1)
            imported = f"import module_{number - 1}\n" if number % 10 else ""
            (folder / f"module_{number}.py").write_text(
                text.replace("import argparse\n", f"import argparse\n{imported}")
            )
        async with editor(neovim(), folder, options={"debounce": debounce}) as made:
            start = time.perf_counter()
            uri = made.open(folder / "module_5.py")
            waiting = asyncio.ensure_future(made.diagnostics(uri))
            times = []
            while not waiting.done():
                begun = time.perf_counter()
                assert await made.in_step()
                times.append(time.perf_counter() - begun)
                await asyncio.sleep(0.02)
            print(f"{count} files: first diagnostics after {time.perf_counter() - start:.1f} s")
            show("an answer while they are read", times)
            times = []
            for number in range(10):
                begun = time.perf_counter()
                made.change(uri, 0, 0, f"# {number}\n")
                await made.diagnostics(uri)
                times.append(time.perf_counter() - begun - debounce / 1e3)
            show("change to diagnostics in a program of 10 files", times)


def show(what: str, times: Sequence[float]) -> None:
    ordered = sorted(times)
    at95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    print(
        f"{what}: median {statistics.median(times) * 1e3:.0f} ms, p95 {at95 * 1e3:.0f} ms ({len(times)} times)"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--edits", type=int, default=40)
    parser.add_argument("--debounce", type=int, default=100, help="milliseconds")
    parser.add_argument("--memory", type=int, default=0)
    parser.add_argument("--files", type=int, default=300)
    asyncio.run(main(parser.parse_args()))
