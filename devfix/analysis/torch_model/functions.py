"""Calls of functions and classes from outside the project, by canonical name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import FLOATS
from devfix.analysis.domain.values import UNKNOWN, Tensor, Value, without_none
from devfix.analysis.language import callbacks, construction, named_tuples, unknown_code
from devfix.analysis.language.frames import CallSite
from devfix.analysis.torch_model import names
from devfix.analysis.torch_model.arrays import (
    learners,
    network_graphs,
    numpy_model,
    pictures,
    plots,
    saved_files,
    scipy_results,
    tables,
)
from devfix.analysis.torch_model.concurrency import coroutines, parallel_calls, processes, threads
from devfix.analysis.torch_model.devices import (
    choices,
    default_choices,
    device_settings,
    dispatching,
    function_modes,
    grad_mode,
    scattering,
)
from devfix.analysis.torch_model.libraries import (
    apex_precision,
    box_operations,
    differential_equations,
    example_runs,
    frameworks,
    graphs,
    hub_datasets,
    ignite_engines,
    metrics,
    picture_makers,
    rearrangements,
    sentence_encoders,
    vision,
)
from devfix.analysis.torch_model.loading import data, scripted_files, trees
from devfix.analysis.torch_model.modules import layers, quantization, reparametrizations, super_calls
from devfix.analysis.torch_model.python import (
    attribute_checks,
    context_variables,
    dates,
    default_dicts,
    evaluated_text,
    exceptions,
    function_commands,
    getters,
    heaps,
    instance_checks,
    iteration_tools,
    json_texts,
    made_dicts,
    made_types,
    member_names,
    number_limits,
    patterns_of_text,
    pickled_texts,
    python_builtins,
    python_random,
    quantifiers,
    records,
    reflection,
    selections,
    signatures,
    standard_library,
    text_files,
    value_classes,
    weak_references,
)
from devfix.analysis.torch_model.tensors import (
    arguments,
    distributions,
    einsums,
    factories,
    flexible_attention,
    float_draws,
    foreach_operations,
    functional,
    generator_states,
    generators,
    host_memory,
    legacy_constructors,
    nested_tensors,
    operations,
    replaced_data,
    results,
    sobol,
    tensor_methods,
)
from devfix.analysis.torch_model.training import (
    averages,
    checkpoint,
    function_transforms,
    gradient_scaling,
    gradients,
    optim,
)

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

Handler = Callable[["Interpreter", str, CallSite], Value]

HANDLERS: dict[str, Handler] = {
    **factories.HANDLERS,
    **{
        f"torch.{name}": lambda i, n, s: factories.make(i, n.rpartition(".")[2], s)
        for name in factories.FACTORIES
    },
    **legacy_constructors.HANDLERS,
    **choices.HANDLERS,
    **device_settings.HANDLERS,
    **data.HANDLERS,
    **picture_makers.HANDLERS,
    **sentence_encoders.HANDLERS,
    **ignite_engines.HANDLERS,
    **flexible_attention.HANDLERS,
    **checkpoint.HANDLERS,
    "torch.jit.load": scripted_files.load,
    **saved_files.HANDLERS,
    **made_dicts.HANDLERS,
    **python_builtins.HANDLERS,
    **exceptions.HANDLERS,
    **text_files.HANDLERS,
    **patterns_of_text.HANDLERS,
    **instance_checks.HANDLERS,
    **attribute_checks.HANDLERS,
    **value_classes.HANDLERS,
    **member_names.HANDLERS,
    **reflection.HANDLERS,
    **records.HANDLERS,
    **getters.HANDLERS,
    **signatures.HANDLERS,
    **evaluated_text.HANDLERS,
    **reparametrizations.HANDLERS,
    **standard_library.HANDLERS,
    **dates.HANDLERS,
    **iteration_tools.HANDLERS,
    **python_random.HANDLERS,
    **quantifiers.HANDLERS,
    **default_dicts.HANDLERS,
    **heaps.HANDLERS,
    **gradient_scaling.HANDLERS,
    **gradients.HANDLERS,
    **number_limits.HANDLERS,
    **functional.HANDLERS,
    **float_draws.HANDLERS,
    **nested_tensors.HANDLERS,
    **einsums.HANDLERS,
    **frameworks.HANDLERS,
    **apex_precision.HANDLERS,
    **dispatching.HANDLERS,
    **grad_mode.HANDLERS,
    **tensor_methods.HANDLERS,
    **generator_states.HANDLERS,
    **generators.HANDLERS,
    sobol.NAME: sobol.make,
    **named_tuples.HANDLERS,
    **function_commands.HANDLERS,
    **function_transforms.HANDLERS,
    **example_runs.HANDLERS,
    **vision.HANDLERS,
    **hub_datasets.HANDLERS,
    **json_texts.HANDLERS,
    **graphs.HANDLERS,
    **rearrangements.HANDLERS,
    **differential_equations.HANDLERS,
    **threads.HANDLERS,
    **coroutines.HANDLERS,
    **parallel_calls.HANDLERS,
    **pickled_texts.HANDLERS,
    **quantization.HANDLERS,
    **weak_references.HANDLERS,
    **context_variables.HANDLERS,
    **selections.HANDLERS,
    **trees.HANDLERS,
    **foreach_operations.HANDLERS,
    **plots.HANDLERS,
    **processes.HANDLERS,
    **replaced_data.HANDLERS,
    "torch.nn.parallel.data_parallel": scattering.data_parallel,
    **dict.fromkeys(
        ("builtins.object.__new__", "builtins.tuple.__new__"),
        lambda interp, _name, site: construction.of_super(interp, site),
    ),
    "builtins.type": made_types.type_,
    "dataclasses.make_dataclass": made_types.make_dataclass,
    "builtins.type.__new__": lambda interp, _name, site: construction.of_metaclass(interp, site),
}


def call(interp: Interpreter, name: str, site: CallSite) -> Value:
    """The result of calling ``name``; code that nobody knows may do anything to modules."""
    default_choices.note_called(interp, name, site.node)
    return function_modes.made(interp, name, site, _called(interp, name, site))


def _called(interp: Interpreter, name: str, site: CallSite) -> Value:
    if site.spread and name.startswith("torch."):
        site = arguments.with_choices(site)
    handler = HANDLERS.get(name)
    if handler is not None:
        return handler(interp, name, site)
    package, _, last = name.rpartition(".")
    found = _by_package(interp, name, package, last, site)
    if found is not None:
        return found
    found = super_calls.call_unbound(interp, package, last, site)
    if found is not None:
        return found
    if host_memory.converts(name):
        return host_memory.reads(interp, name, site)
    callbacks.run(interp, site)
    if names.is_harmless(name):
        return UNKNOWN
    return unknown_code.call(interp, site)


def _numpy(interp: Interpreter, name: str, site: CallSite) -> Value | None:
    """A function of NumPy, of which some leave a tensor to its own method: what that gives is a tensor, where the other is."""
    given = without_none(site.args[0].value) if site.args else None
    if name in host_memory.LEFT_TO_METHODS and isinstance(given, Tensor):
        return operations.apply(interp, name.rpartition(".")[2], site)
    return numpy_model.call(interp, name, site)


#: What makes sense of all names of a package that have no handler of their own.
_BY_PREFIX: dict[str, Callable[[Interpreter, str, CallSite], Value | None]] = {
    "scipy.": scipy_results.call,
    "numpy": _numpy,
    "torch.optim.lr_scheduler.": optim.scheduler,
    "torch.distributions.": distributions.construct,
    "torchvision.transforms.": vision.transform,
    **dict.fromkeys(graphs.PACKAGES, graphs.call),
}


#: What knows some names of a library.
_LIBRARIES: dict[str, Callable[[Interpreter, str, CallSite], Value | None]] = {
    "pandas": tables.call,
    "sklearn": learners.call,
    "networkx": network_graphs.call,
    "torchmetrics": metrics.function,
    **dict.fromkeys(("PIL", "cv2"), pictures.call),
}


def _of_sparse(interp: Interpreter, made: Tensor) -> Tensor:
    """A result of ``torch.sparse``, which autocast leaves alone, and in which small integers are not always counted in int64."""
    return made if interp.autocast is None and made.dtype in FLOATS else replace(made, dtype=None)


def _by_package(interp: Interpreter, name: str, package: str, last: str, site: CallSite) -> Value | None:
    if package == "torch" and last in results.NAMESPACED:
        return UNKNOWN
    if package in ("torch", "torch.linalg", "torch.special", "torch.fft", "torch.sparse"):
        found = operations.apply(interp, last, site)
        if package == "torch.sparse" and isinstance(found, Tensor):
            return _of_sparse(interp, found)
        return found if found is not None else tensor_methods.as_function(interp, last, site)
    if package == "torch.Tensor":
        return operations.apply(interp, last, site)
    if package == "torch.nn.functional":
        return functional.call(interp, last, site)
    if package in box_operations.PACKAGES and (found := box_operations.call(interp, last, site)) is not None:
        return found
    library = _LIBRARIES.get(package.partition(".")[0])
    if library is not None:
        found = library(interp, name, site)
        if found is not None:
            return found
    if package == "torch.optim" and last[:1].isupper():
        return optim.construct(interp, name, site)
    for prefix, handler in _BY_PREFIX.items():
        if name.startswith(prefix):
            return handler(interp, name, site)
    if package == averages.PACKAGE:
        return averages.call(interp, last, site)
    return layers.construct(interp, name, site)
