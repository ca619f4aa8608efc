"""Deferred compiler: optimizers import torch's compiler only to tell it to keep out, and that import takes seconds.

Until something else imports the compiler there is nothing to keep out, and those two files of torch get a stand-in.
"""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Callable, Optional

_COMPILER = "torch._dynamo"
#: Each of them imports it for one of the two functions of the stand-in, and for nothing else.
_ONLY_TELLING = ("torch.optim.optimizer", "torch._compile")


def defer() -> Callable[[], None]:
    """Let the compiler be imported when it is needed; one that is there already is left alone.

    What comes back ends that: who asks for the compiler afterwards gets it.
    """
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    return lambda: sys.meta_path.remove(finder)


class _StandIn(ModuleType):
    """What the two files see; all else that is asked of it is the compiler's own.

    It stays an attribute of torch until the compiler takes its place, but never in ``sys.modules``, where it would
    be taken for the compiler.
    """

    def graph_break(self, *args: Any, **options: Any) -> None:
        """Break no graph, as there is none; the next import finds the compiler when it has come meanwhile."""
        if not _is_only_telling():
            self._compiler().graph_break(*args, **options)
        self._withdraw()

    def disable(self, *args: Any, **options: Any) -> Callable[..., Any]:
        """Give a function that the compiler keeps out of, once it is there."""
        if not _is_only_telling():
            return self._compiler().disable(*args, **options)  # type: ignore[no-any-return]
        self._withdraw()
        return self._disabled(*args, **options)

    def _disabled(self, function: Callable[..., Any], *args: Any, **options: Any) -> Callable[..., Any]:
        disabled: list[Callable[..., Any]] = []

        def run(*its_args: Any, **its_options: Any) -> Any:
            compiler = sys.modules.get(_COMPILER)
            if compiler is None or isinstance(compiler, _StandIn):
                return function(*its_args, **its_options)
            if not disabled:
                disabled.append(compiler.disable(function, *args, **options))
            return disabled[0](*its_args, **its_options)

        # How the compiler knows what it keeps out of.
        run._torchdynamo_disable = True  # type: ignore[attr-defined]
        return run

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and sys.modules.get(_COMPILER) in (None, self):
            raise AttributeError(name)  # asked while this one is imported
        return getattr(self._compiler(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__"):
            super().__setattr__(name, value)
        else:
            setattr(self._compiler(), name, value)

    def __dir__(self) -> list[str]:
        return dir(self._compiler())

    def _compiler(self) -> Any:
        self._withdraw()
        return importlib.import_module(_COMPILER)

    def _withdraw(self) -> None:
        if sys.modules.get(_COMPILER) is self:
            del sys.modules[_COMPILER]


class _Finder:
    """Gives the stand-in to the files that want no more."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Optional[ModuleSpec]:
        """Find it for them alone."""
        if name != _COMPILER or _importing() not in _ONLY_TELLING:
            return None
        return ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make the stand-in."""
        return _StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to execute."""


def _is_only_telling() -> bool:
    """Whether one of the two files calls the stand-in; a program may have got it from ``torch`` as well."""
    return sys._getframe(2).f_globals.get("__name__") in _ONLY_TELLING


def _importing() -> str:
    """The name of the module whose import statement is being executed."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("importlib."):
        frame = frame.f_back
    return str(frame.f_globals.get("__name__", ""))
