"""Compilers: ``torch.compile``, ``torch.jit`` and CUDA graphs give programs another way to run; here they run as they are.

What is compiled for an accelerator has no place on a CPU, and compiled for the CPU would not be checked. Numbers
are therefore those of eager execution. A refusal inside a compiled function is raised as the compiler's own
error, as it would be while it traces.
"""

from __future__ import annotations

import functools
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import PathFinder
from pickle import PicklingError
from typing import Any, Callable, Optional

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.jit import _state
from torch.jit._trace import _clone_inputs

from .. import deferred_compiler
from ..machine import Machine
from ..patching import Patcher
from ..refusals import not_simulated, refusal_of


def install(patcher: Patcher, machine: Machine) -> None:
    """Pass compiled code through."""
    patcher.set(torch, "compile", compile_eagerly)
    patcher.set(_state._enabled, "enabled", False)
    for name, first in (("script", None), ("trace", _trace), ("trace_module", _trace_methods)):
        original = getattr(torch.jit, name)
        patcher.everywhere(torch, name, original, _passing(patcher, original, first))
    for name in ("freeze", "optimize_for_inference", "script_if_tracing"):
        patcher.wrap(torch.jit, name, _unchanged)
    patcher.set(torch.jit, "save", _save)
    patcher.wrap(torch.jit, "load", _loading)
    finder = _Unpatched(patcher)
    sys.meta_path.insert(0, finder)
    patcher.finally_call(lambda: sys.meta_path.remove(finder))
    # Asked before that one: who does not want the compiler itself does not get it.
    patcher.finally_call(deferred_compiler.defer())
    patcher.wrap(FakeTensor, "__new__", lambda original: _without_data(machine, original))
    if machine.count and hasattr(getattr(torch, "accelerator", None), "Graph"):
        patcher.set(torch.accelerator, "Graph", _Refused)
    if machine.kind == "cuda":
        _graphs(patcher)


class _Unpatched(MetaPathFinder):
    """Imports torch's compiler, which keeps much of what it finds and compares signatures, in a torch as it was."""

    def __init__(self, patcher: Patcher) -> None:
        self._patcher = patcher

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        """Find the compiler alone."""
        if fullname != "torch._dynamo":
            return None
        found = PathFinder.find_spec(fullname, path, target)
        if found is not None and found.loader is not None:
            found.loader = _UnpatchedLoader(found.loader, self._patcher)
        return found


class _UnpatchedLoader(Loader):
    def __init__(self, loader: Any, patcher: Patcher) -> None:
        self._loader, self._patcher = loader, patcher

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def exec_module(self, module: Any) -> None:
        """Run the module's code, and with it that of all it imports."""
        with self._patcher.suspended():
            self._loader.exec_module(module)


def compile_eagerly(model: Any = None, **options: Any) -> Any:
    """``torch.compile``: the same model or function, wrapped as torch wraps it, but never compiled.

    Raises TypeError for what cannot be called.
    """
    if model is None:
        return functools.partial(compile_eagerly, **options)
    run = _Eager(raises_its_own=not options.get("disable", False))
    if isinstance(model, torch.nn.Module):
        return _optimized_module(model, run)
    if not callable(model):
        raise TypeError(f"torch.compile() expects a callable, got {type(model).__name__}")
    return run(model)


def _optimized_module(model: torch.nn.Module, run: _Eager) -> Any:
    """The wrapper that torch makes, whose parameters are called ``_orig_mod.*`` in checkpoints."""
    from torch._dynamo.eval_frame import OptimizedModule  # noqa: PLC0415 - takes a second to import

    return OptimizedModule(model, run)  # type: ignore[arg-type]


class _Eager:
    """Stands where the compiler's context would be: runs functions as they are."""

    def __init__(self, *, raises_its_own: bool) -> None:
        self._raises_its_own = raises_its_own

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except Exception as error:
                if self._raises_its_own and refusal_of(error) is not None:
                    raise _tracing_error(error) from error
                raise

        run._torchdynamo_orig_callable = function  # type: ignore[attr-defined]
        return run


def _tracing_error(error: Exception) -> Exception:
    """What the compiler raises when it traces an operation that the device refuses."""
    from torch._dynamo.exc import TorchRuntimeError  # noqa: PLC0415 - takes a second to import

    text = (
        "RuntimeError when making fake tensor call\n  Explanation: Dynamo failed to run FX node with fake tensors: "
        f"got {type(error).__name__}({str(error)!r})"
    )
    return TorchRuntimeError(text)


def _passing(patcher: Patcher, original: Any, first: Optional[Callable[..., None]] = None) -> Any:
    """``torch.jit.script`` and ``trace``: what they are given comes back, unless torch itself wants a graph.

    ``first`` does what the original does with what it is given before a graph is there.
    """

    @functools.wraps(original)
    def passed(obj: Any = None, *args: Any, **kwargs: Any) -> Any:
        if obj is None:
            return functools.partial(passed, *args, **kwargs)
        if not isinstance(obj, torch.nn.Module) and str(obj.__module__).startswith("torch."):
            # What torch scripts for itself: derivatives (torch/_decomp/decompositions_for_jvp.py), and optimizers
            # (torch/distributed/optim), whose names are those of the frame above.
            if isinstance(obj, type):
                kwargs["_frames_up"] = kwargs.get("_frames_up", 0) + 1
            with patcher.suspended():
                return original(obj, *args, **kwargs)
        if str(sys._getframe(1).f_globals.get("__name__")).startswith("torch."):
            with _compiling():
                return original(obj, *args, **kwargs)
        if first is not None:
            first(obj, *args, **kwargs)
        if not isinstance(obj, type):
            obj.save = functools.partial(_save, obj)
        return obj

    return passed


def _trace(
    func: Any,
    example_inputs: Any = None,
    optimize: Any = None,
    check_trace: bool = True,
    *_others: Any,
    example_kwarg_inputs: Optional[dict[str, Any]] = None,
    **_options: Any,
) -> None:
    """``torch.jit.trace``: runs what it is given with the example, and again to check the graph."""
    if isinstance(func, torch.jit.ScriptModule):
        return
    if example_inputs is None:
        _run_as_traced(func, (), example_kwarg_inputs or {}, check_trace)
    else:
        _run_as_traced(func, _in_a_tuple(example_inputs), {}, check_trace)


def _trace_methods(
    mod: Any,
    inputs: dict[str, Any],
    optimize: Any = None,
    check_trace: bool = True,
    *_others: Any,
    **_options: Any,
) -> None:
    """``torch.jit.trace_module``: the same for each method that has an example."""
    for method, example in inputs.items():
        func = mod if method == "forward" else getattr(mod, method)
        _run_as_traced(func, _in_a_tuple(example), {}, check_trace)


def _in_a_tuple(example: Any) -> tuple[Any, ...]:
    return (example,) if isinstance(example, (torch.Tensor, dict)) else tuple(example)


def _copied(inputs: Any) -> Any:
    return _clone_inputs(inputs)  # type: ignore[no-untyped-call]


def _run_as_traced(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], check: bool) -> None:
    """As often as torch does, so that running means and random numbers go on where they would."""
    func(*args, **kwargs)
    if not check:
        return
    with torch.no_grad():
        # The second trace, the first graph and the function itself; the second graph only if those gave the same.
        for _ in range(3):
            drawn = torch.get_rng_state()
            func(*_copied(args), **_copied(kwargs))
        if torch.equal(drawn, torch.get_rng_state()):
            func(*_copied(args), **_copied(kwargs))


@contextmanager
def _compiling() -> Iterator[None]:
    """Let torch compile, as its exporters do."""
    _state._enabled.enabled = True
    try:
        yield
    finally:
        _state._enabled.enabled = False


def _unchanged(original: Any) -> Any:
    @functools.wraps(original)
    def same(obj: Any, *_args: Any, **_kwargs: Any) -> Any:
        return obj

    return same


def _save(module: Any, file: Any, **_kwargs: Any) -> None:
    """Save what was not scripted in a way that :func:`_loading` reads."""
    own = vars(module).pop("save", None)
    try:
        torch.save(module, file)
    except (AttributeError, PicklingError) as error:
        raise not_simulated(
            f"scripted form of {type(module).__qualname__}, which Python cannot save"
        ) from error
    finally:
        module.save = own


def _loading(original: Any) -> Any:
    """``torch.jit.load``: what was saved above, or a true scripted module."""

    @functools.wraps(original)
    def load(file: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> Any:
        if _is_script(file):
            return original(file, "cpu", *args, **kwargs).to(map_location or "cpu")
        return torch.load(file, map_location=map_location, weights_only=False)

    return load


def _is_script(file: Any) -> bool:
    with zipfile.ZipFile(file) as archive:
        found = any("/code/" in name for name in archive.namelist())
    if hasattr(file, "seek"):
        file.seek(0)
    return found


def _without_data(machine: Machine, original: Any) -> Any:
    """``FakeTensor``: one that says it is on an accelerator makes a build without one abort in autograd."""

    @functools.wraps(original)
    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            if isinstance(value, (torch.device, str)) and torch.device(value).type == machine.kind:
                raise not_simulated("tensors without data on an accelerator (FakeTensorMode, torch.export)")
        return original(cls, *args, **kwargs)

    return new


def _graphs(patcher: Patcher) -> None:
    """CUDA graphs: callables stay as they are; a captured block, which only replays would run, is refused."""
    for name in ("_cuda_CUDAAllocator_AllocatorState", "_set_cached_tensors_enabled"):
        # Imported by name where torch.compile keeps graphs (torch/_inductor/cudagraph_trees.py).
        if not hasattr(torch._C, name):
            patcher.set(torch._C, name, _Refused)
    patcher.set(torch.cuda, "CUDAGraph", _Refused)
    patcher.set(torch.cuda.graphs, "CUDAGraph", _Refused)
    patcher.set(torch.cuda, "graph", _Refused)
    for name, function in (
        ("graph_pool_handle", lambda: (0, 1)),
        ("make_graphed_callables", _graphed),
        ("is_current_stream_capturing", lambda: False),
    ):
        functools.update_wrapper(function, getattr(torch.cuda, name))
        for module in (torch.cuda, torch.cuda.graphs):
            patcher.set(module, name, function)


class _Refused:
    """``torch.cuda.CUDAGraph`` and ``torch.cuda.graph``."""

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        raise not_simulated("CUDA graphs (torch.cuda.CUDAGraph)")


def _graphed(callables: Any, *_args: Any, **_kwargs: Any) -> Any:
    """``torch.cuda.make_graphed_callables``: the callables as they are."""
    return tuple(callables) if isinstance(callables, Sequence) else callables
