"""What Python imports at its start where a simulated program started it; torch, once imported, is simulated.

The ``sitecustomize`` that this one hides is imported in its place.
"""

import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_PACKAGE = "_devfix_simulator"


class _Waiting:
    """Finds torch as it would be found anyway, and begins the simulation when torch has been imported."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(_Waiting)
        spec = _found(name, path, target)
        if spec is not None and spec.loader is not None:
            _follow(spec.loader)
        return spec


def _found(name, path, target):
    for finder in list(sys.meta_path):
        spec = finder.find_spec(name, path, target)
        if spec is not None:
            return spec
    return None


def _follow(loader):
    execute = loader.exec_module

    def exec_module(module):
        del loader.exec_module
        execute(module)
        _begin()

    loader.exec_module = exec_module


def _begin():
    import importlib
    from importlib.util import module_from_spec, spec_from_file_location

    if "DEVFIX_SIMULATED_MACHINE" not in os.environ:
        return
    if _PACKAGE not in sys.modules:
        folder = os.path.dirname(_FOLDER)
        file = os.path.join(folder, "__init__.py")
        spec = spec_from_file_location(_PACKAGE, file, submodule_search_locations=[folder])
        sys.modules[_PACKAGE] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[_PACKAGE])
    importlib.import_module(_PACKAGE + ".startup").begin()


def _hidden():
    """Import the sitecustomize that would have been imported without this one."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", [path for path in sys.path if os.path.abspath(path) != _FOLDER])
    if spec is not None and spec.loader is not None:
        sys.modules["sitecustomize"] = module = module_from_spec(spec)
        spec.loader.exec_module(module)


if "DEVFIX_SIMULATED_MACHINE" in os.environ and "torch" not in sys.modules:
    sys.meta_path.insert(0, _Waiting)
_hidden()
