"""What Python imports at its start where a simulated program started it; torch, once imported, is simulated.

The ``sitecustomize`` that this one hides is imported in its place. No process is to pay for what it does not need,
so nothing is imported before it is used, not even ``typing``.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_MACHINE = "DEVFIX_SIMULATED_MACHINE"
_PACKAGE = "_devfix_simulator"


class _Waiting:
    """Finds torch as it would be found anyway, and begins the simulation when torch has been imported."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if name != "torch":
            return None
        sys.meta_path.remove(_Waiting)
        specs = (finder.find_spec(name, path, target) for finder in list(sys.meta_path))
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is not None and spec.loader is not None:
            _follow(spec.loader)
        return spec


def _follow(loader: Any) -> None:
    execute = loader.exec_module

    def exec_module(module: Any) -> None:
        del loader.exec_module
        if _MACHINE not in os.environ:
            execute(module)
            return
        with _part("lasting").lasting():
            execute(module)
            _begin()

    loader.exec_module = exec_module


def _begin() -> None:
    told = _part("startup").wanted() if _MACHINE in os.environ else None
    if told is not None:
        _part("endless").begin(told)


def _part(name: str) -> Any:
    """A module of the simulator, in the package of its own that it is here."""
    import importlib.util  # noqa: PLC0415 - see above

    if _PACKAGE not in sys.modules:
        folder = os.path.dirname(_FOLDER)
        file = os.path.join(folder, "__init__.py")
        spec = importlib.util.spec_from_file_location(_PACKAGE, file, submodule_search_locations=[folder])
        _execute(_PACKAGE, spec)
    return importlib.import_module(f"{_PACKAGE}.{name}")


def _hidden() -> None:
    """Import the sitecustomize that would have been imported without this one."""
    from importlib.machinery import PathFinder  # noqa: PLC0415 - see above

    others = [path for path in sys.path if os.path.abspath(path) != _FOLDER]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        _execute("sitecustomize", spec)


def _execute(name: str, spec: Any) -> None:
    from importlib.util import module_from_spec  # noqa: PLC0415 - see above

    sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])


if _MACHINE in os.environ and "torch" not in sys.modules:
    sys.meta_path.insert(0, _Waiting)
_hidden()
