"""Program: a script, folder, archive, module or notebook, run as ``__main__`` the way Python itself runs it."""

from __future__ import annotations

import builtins
import importlib.machinery
import inspect
import io
import os
import runpy
import sys
import zipfile
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from . import notebook

_private: Any = runpy


class Program(NamedTuple):
    """The pieces of code to run one after the other, and what ``__main__`` holds before they do."""

    codes: tuple[CodeType, ...]
    names: dict[str, Any]


def load(program: str, arguments: tuple[str, ...], *, is_module: bool) -> Program:
    """Find and compile a program; ``sys.argv`` and ``sys.path`` become what it expects.

    Raises what Python raises or says when a program cannot be found or compiled.
    """
    sys.argv[:] = ["-m" if is_module else program, *arguments]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[:] = [sys.executable, *(["-m"] if is_module else []), program, *arguments]
    if is_module:
        _lead_path(os.getcwd())
        return _found(_private._get_module_details, program)
    if os.path.isdir(program) or zipfile.is_zipfile(program):
        sys.path.insert(0, program)
        return _found(_private._get_main_module_details)
    _lead_path(os.path.dirname(os.path.realpath(program)))
    path = os.path.abspath(program)
    return _notebook(path) if path.endswith(".ipynb") else _script(path)


def _lead_path(folder: str) -> None:
    # Python leaves it out when it is told to (``-P``, PYTHONSAFEPATH, since 3.11).
    if not getattr(sys.flags, "safe_path", False):
        sys.path.insert(0, folder)


def _found(find: Any, *names: str) -> Program:
    try:
        _name, spec, code = find(*names, _private._Error)
    except _private._Error as error:
        # In the words of Python, which shows no traceback either.
        sys.stderr.write(f"{sys.executable}: {error}\n")
        raise SystemExit(1) from None
    if names:
        sys.argv[0] = spec.origin
    told = {"__file__": spec.origin, "__spec__": spec, "__loader__": spec.loader, "__package__": spec.parent}
    return Program((code,), {**told, "__cached__": spec.cached})


def _script(path: str) -> Program:
    with _opened(path) as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    loader = importlib.machinery.SourceFileLoader("__main__", path)
    told = {"__file__": path, "__spec__": None, "__loader__": loader, "__package__": None, "__cached__": None}
    return Program((code,), told)


def _notebook(path: str) -> Program:
    _opened(path).close()
    try:
        codes, skipped = notebook.compile_cells(path)
    except notebook.NotebookError as error:
        sys.stderr.write(f"{sys.executable}: {error}\n")
        raise SystemExit(2) from None
    for line in skipped:
        sys.stderr.write(f"cell {line.cell}, line {line.line} is no Python and is left out: {line.text}\n")
    # Jupyter starts a notebook in its own folder.
    os.chdir(os.path.dirname(path))
    os.environ.setdefault("MPLBACKEND", "Agg")
    told = {"__spec__": None, "__loader__": None, "__package__": None}
    return Program(tuple(codes), {**told, **notebook.names()})


def _opened(path: str) -> Any:
    try:
        return io.open_code(path)
    except OSError as error:
        # In the words of Python, which shows no traceback either.
        reason = f"[Errno {error.errno}] {error.strerror}"
        sys.stderr.write(f"{sys.executable}: can't open file {path!r}: {reason}\n")
        raise SystemExit(2) from None


def run(program: Program) -> None:
    """Execute a program as ``__main__``; what it raises comes out."""
    main = ModuleType("__main__")
    held = vars(main)
    held.update(program.names, __builtins__=builtins, __annotations__={})
    # multiprocessing finds the program by this entry when it starts processes anew.
    sys.modules["__main__"] = main
    for code in program.codes:
        if code.co_flags & inspect.CO_COROUTINE:
            _wait_for(code, held)
        else:
            exec(code, held)  # noqa: S102 - running the program is what this is for


def _wait_for(code: CodeType, held: dict[str, Any]) -> None:
    """Run a cell that waits for something; all of a notebook's cells share one event loop."""
    import asyncio  # noqa: PLC0415 - few programs need it

    loop = held.get("__event_loop__")
    if loop is None:
        loop = held["__event_loop__"] = asyncio.new_event_loop()
    loop.run_until_complete(eval(code, held))  # noqa: S307 - as above
