"""Program: a script, folder, archive or module, run as ``__main__`` the way Python itself runs it."""

from __future__ import annotations

import importlib.machinery
import io
import os
import runpy
import sys
import zipfile
from types import CodeType, ModuleType
from typing import Any, NamedTuple, Optional

_private: Any = runpy


class Program(NamedTuple):
    """The code to run, and what its ``__main__`` module is told about itself."""

    code: CodeType
    name: str
    spec: Optional[importlib.machinery.ModuleSpec]
    loader: Any
    cached: Optional[str] = None


def load(program: str, arguments: tuple[str, ...], *, is_module: bool) -> Program:
    """Find and compile a program; ``sys.argv`` and ``sys.path`` become what it expects.

    Raises what Python shows when a program cannot be found or compiled.
    """
    sys.argv[:] = ["-m" if is_module else program, *arguments]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[:] = [sys.executable, *(["-m"] if is_module else []), program, *arguments]
    if is_module:
        sys.path.insert(0, os.getcwd())
        return _module(program)
    if os.path.isdir(program) or zipfile.is_zipfile(program):
        sys.path.insert(0, program)
        _name, spec, code = _private._get_main_module_details()
        return Program(code, spec.origin, spec, spec.loader)
    sys.path.insert(0, os.path.dirname(os.path.realpath(program)))
    path = os.path.abspath(program)
    with io.open_code(path) as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    return Program(code, path, None, importlib.machinery.SourceFileLoader("__main__", path))


def _module(name: str) -> Program:
    try:
        _name, spec, code = _private._get_module_details(name, ImportError)
    except ImportError as error:
        sys.stderr.write(f"{sys.executable}: {error}\n")
        raise SystemExit(1) from None
    sys.argv[0] = spec.origin
    return Program(code, spec.origin, spec, spec.loader, spec.cached)


def run(program: Program) -> None:
    """Execute a program as ``__main__``; what it raises comes out."""
    main = ModuleType("__main__")
    held = vars(main)
    held.update(
        __file__=program.name, __builtins__=__builtins__, __loader__=program.loader, __spec__=program.spec
    )
    held.update(__package__=None if program.spec is None else program.spec.parent, __cached__=program.cached)
    held["__annotations__"] = {}
    # multiprocessing finds the program by this entry when it starts processes anew.
    sys.modules["__main__"] = main
    exec(program.code, held)  # noqa: S102 - running the program is what it is for
