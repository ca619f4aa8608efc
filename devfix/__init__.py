"""devfix finds PyTorch code that dies on an accelerator, and fixes it.

``check_source``, ``apply_source``, ``check_paths`` and ``apply_paths`` are the commands as functions. What is
named here is imported when it is first used: the simulator runs as a part of this package in programs that
need nothing else of it.
"""

from __future__ import annotations

import os
import sys

if sys.argv[:1] == ["-m"] and not getattr(sys.flags, "safe_path", False) and sys.path[:1] == [os.getcwd()]:
    # `python -m devfix` looks for modules in the current folder first, which is the project that is checked.
    del sys.path[0]

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from devfix.api import (
        ConfigError,
        PathsResult,
        Settings,
        SourceError,
        SourceResult,
        apply_paths,
        apply_source,
        check_paths,
        check_source,
    )
    from devfix.findings import Applicability, FileEdit, Finding, Fix, Note, Span

__version__ = "0.1.0"

__all__ = [
    "Applicability",
    "ConfigError",
    "FileEdit",
    "Finding",
    "Fix",
    "Note",
    "PathsResult",
    "Settings",
    "SourceError",
    "SourceResult",
    "Span",
    "__version__",
    "apply_paths",
    "apply_source",
    "check_paths",
    "check_source",
]

_PLAIN_DATA = frozenset({"Applicability", "FileEdit", "Finding", "Fix", "Note", "Span"})


if not TYPE_CHECKING:  # a type checker takes any name for one that `__getattr__` knows

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = import_module("devfix.findings" if name in _PLAIN_DATA else "devfix.api")
        value = globals()[name] = getattr(module, name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
