"""Launch: runs a program in the user's interpreter, watched, and reports what was seen.

    PYTHON launch.py --mode strict|heal|insist|plain --report FILE [options] (SCRIPT | -m MODULE) [ARGS...]

This file is run by its path, where devfix need not be installed. It makes its own folder a package under
a private name, so that nothing the program imports is mistaken for it.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from types import ModuleType

#: What the package of this folder is called in the user's interpreter.
PACKAGE = "_devfix_simulator"


def package() -> ModuleType:
    """The package of this folder, not yet executed: that would import torch, which has to wait for the options."""
    known = sys.modules.get(PACKAGE)
    if known is None:
        folder = os.path.dirname(os.path.abspath(__file__))
        spec = importlib.util.spec_from_file_location(
            PACKAGE, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
        )
        assert spec is not None  # noqa: S101 - the file lies beside this one
        known = sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
    return known


if __name__ == "__main__":
    if not getattr(sys.flags, "safe_path", False):
        # Python put the folder of this file there; the program's own takes its place.
        del sys.path[0]
    importlib.import_module(f"{package().__name__}.launching").main(sys.argv[1:])
