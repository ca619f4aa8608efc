"""Objects from outside the project that are no modules: optimizers, loaders, tokenizers, options."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from devfix.analysis.domain.copying import replace
from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import (
    UNKNOWN,
    Class,
    Const,
    External,
    Function,
    Obj,
    Ref,
    Sequence,
    Tensor,
    TupleValue,
    Value,
)
from devfix.analysis.language import contexts, iteration, iterators, unknown_code
from devfix.analysis.language.frames import CallSite
from devfix.analysis.nn import modules
from devfix.analysis.torch_model.arrays import (
    learners,
    numpy_model,
    numpy_random,
    picture_types,
    pictures,
    plots,
    saved_files,
    sparse_matrices,
    table_dates,
    table_methods,
    table_types,
    tables,
)
from devfix.analysis.torch_model.concurrency import (
    connections,
    coroutines,
    parallel_calls,
    process_queues,
    processes,
    shared_objects,
    threads,
)
from devfix.analysis.torch_model.devices import default_choices, grad_mode
from devfix.analysis.torch_model.libraries import (
    example_runs,
    frameworks,
    graphs,
    hub_datasets,
    ignite_engines,
    label_kinds,
    model_outputs,
    movables,
    own_transforms,
    tokenizers,
    transform_classes,
    vision,
)
from devfix.analysis.torch_model.loading import collation, data
from devfix.analysis.torch_model.modules import hooks
from devfix.analysis.torch_model.python import (
    command_line,
    container_bases,
    context_variables,
    dates,
    mappings,
    number_limits,
    python_random,
    single_dispatch,
    text_files,
    weak_references,
)
from devfix.analysis.torch_model.tensors import distributions, generator_states, moves, sobol
from devfix.analysis.torch_model.training import autograd_functions, checkpoint, gradient_scaling, optim

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: What reads the attributes of objects of a class.
_ATTRIBUTES: dict[External, Callable[[Interpreter, Ref, Obj, str, ast.expr], Value | None]] = {
    table_types.TABLE: tables.attribute,
    table_dates.INDEX: table_dates.attribute,
    table_dates.ACCESS: table_dates.told,
    sparse_matrices.MATRIX: sparse_matrices.attribute,
    External(plots.AXES): plots.attribute,
    label_kinds.CONFIG: label_kinds.attribute,
    picture_types.PICTURE: pictures.attribute,
    **dict.fromkeys(vision.CHAINS, vision.attribute),
    **dates.ATTRIBUTES,
}
_HARMLESS_METHODS = frozenset(
    "add_scalar add_scalars add_histogram add_graph add_image info debug warning error log write print "
    "set_postfix set_description update manual_seed seed initial_seed get_state set_state".split()
)


def attribute(interp: Interpreter, ref: Ref, obj: Obj, name: str, node: ast.expr) -> Value | None:
    """A data attribute of an object; None when it is (or may be) a method."""
    if obj.kind == "loader" or (data.descends(obj) and name in obj.facts):
        return data.loader_attribute(interp, ref, obj, name)
    if obj.kind == "dataset" or data.is_of_part(interp, obj, name):
        return data.dataset_attribute(interp, ref, obj, name, node)
    if obj.kind == "optimizer" or optim.is_optimizer(interp, ref):
        return optim.attribute(interp, ref, obj, name)
    if obj.cls == model_outputs.CLASS:
        return model_outputs.entry(obj, name)
    if obj.cls == External(movables.BATCH) and name not in ("to", "items", "keys", "values", "get"):
        return tokenizers.entry(obj, Const(name))
    if movables.is_graph(obj):
        return graphs.attribute(obj, name)
    if obj.cls in number_limits.CLASSES:
        return number_limits.attribute(obj, name)
    of_class = _ATTRIBUTES.get(obj.cls) if isinstance(obj.cls, External) else None
    if of_class is not None:
        return of_class(interp, ref, obj, name, node)
    if obj.cls == External("argparse.Namespace"):
        return command_line.undeclared(interp, obj, name)
    if obj.cls == External("torch.Generator") and name == "device":
        return obj.facts.get("device", UNKNOWN)
    if distributions.is_one(obj):
        return distributions.attribute(interp, ref, name, node)
    own = distributions.within(interp, obj)
    if own is not None:
        return distributions.attribute(interp, own, name, node)
    return frameworks.attribute(interp, ref, obj, name)


def item(interp: Interpreter, ref: Ref, obj: Obj, key: Value, node: ast.expr) -> Value | None:
    """``object[key]``."""
    if obj.cls == model_outputs.CLASS:
        return model_outputs.item(obj, key)
    if obj.cls == External(movables.BATCH):
        return tokenizers.entry(obj, key)
    if obj.cls == checkpoint.LOADED:
        return checkpoint.item(interp, obj)
    if obj.kind == "dataset":
        return data.sample(interp, ref, node)
    if hub_datasets.is_one(obj):
        return collation.from_loader(interp, hub_datasets.item(interp, ref, obj, key), node)
    if graphs.is_dataset(obj):
        return collation.from_loader(interp, graphs.item(interp, ref, key, node), node)
    if obj.kind == "instance" and any(map(graphs.describes, modules.external_bases(interp, obj.cls))):
        chosen = graphs.item(interp, ref, key, node)
        return chosen if chosen in (ref, UNKNOWN) else data.sample(interp, ref, node)
    if obj.cls in tables.CLASSES:
        return tables.item(interp, ref, obj, key, node)
    if obj.cls == sparse_matrices.MATRIX:
        return sparse_matrices.item(interp, obj, key)
    if learners.is_data(obj):
        return learners.item(obj, key)
    return ref if obj.cls == External(plots.AXES) else None


def call(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``object.name(...)``."""
    own = distributions.within(interp, obj)
    if own is not None:
        return distributions.method(interp, own, interp.obj(own), name, site)
    cls = obj.cls.name if isinstance(obj.cls, External) else ""
    default_choices.note_called(interp, cls, site.node)
    handler = _BY_CLASS.get(cls)
    if handler is not None:
        return handler(interp, ref, obj, name, site)
    if obj.kind == "optimizer" or optim.is_optimizer(interp, ref):
        return optim.method(interp, ref, obj, name, site)
    if distributions.is_one(obj):
        return distributions.method(interp, ref, obj, name, site)
    if transform_classes.is_one(obj):
        return vision.apply(interp, ref, obj, name, site)
    if obj.kind in ("loader", "dataset", "sampler"):
        return data.method(interp, ref, obj, name, site)
    if threads.is_thread(interp, obj):
        return threads.method(interp, ref, obj, name, site)
    if processes.is_process(interp, obj):
        return processes.method(interp, ref, obj, name, site)
    if command_line.is_parser(interp, obj):
        return command_line.parser_method(interp, ref, obj, name, site)
    if mappings.is_mapping(interp, obj):
        return mappings.method(interp, ref, obj, name, site)
    if name == "__call__" and contexts.decorates(interp, obj):
        return _manager(interp, ref, obj, name, site)
    found = container_bases.method(interp, ref, name, site) if obj.kind == "instance" else None
    if found is None:
        found = frameworks.method(interp, ref, obj, name, site)
    return found if found is not None else _unknown_method(interp, ref, obj, name, site)


def _unknown_method(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    bases = tuple(modules.external_bases(interp, obj.cls))
    if name == "__getitem__" and any(map(vision.describes, bases)):
        return vision.own_sample(interp, obj, site)
    if any(map(graphs.describes, bases)):
        return graphs.dataset_method(interp, ref, obj, name, site)
    if name in ("__call__", "forward") and own_transforms.are_among(bases):
        return own_transforms.apply(interp, ref, obj, site)
    if name in _HARMLESS_METHODS or any(b.startswith(("torch.utils.data", "torchvision.")) for b in bases):
        return UNKNOWN
    if isinstance(obj.cls, Class) and modules.has_strange_base(interp, obj.cls):
        modules.havoc(interp, ref)  # what a class has from elsewhere may move what its object holds
    if isinstance(obj.cls, External):
        made = moves.typed(interp, site) or moves.converted(interp, site)  # of a file, say
        if made is not None:
            return made
    return unknown_code.call(interp, site)


def _generator(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    if name in ("get_state", "set_state"):
        return generator_states.of_generator(interp, name, site)
    return ref if name == "manual_seed" else UNKNOWN


def _file(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    if name in ("get", "pop"):
        return checkpoint.item(interp, obj)
    return _unknown_method(interp, ref, obj, name, site)


def _batch(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    if name in ("to", "cuda"):
        return tokenizers.move(interp, ref, site)
    element = obj.element if obj.element is not None else UNKNOWN
    if name == "items":
        return Sequence(TupleValue((UNKNOWN, element)))
    if name in ("get", "pop"):
        return tokenizers.entry(obj, site.value(0) or UNKNOWN) or element
    return Sequence(element) if name == "values" else UNKNOWN


def _tokenizer(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    if name in ("batch_encode_plus", "encode_plus", "pad", "apply_chat_template", "__call__"):
        return tokenizers.encode(interp, obj, site)
    if name == "encode" and site.value(None, "return_tensors") == Const("pt"):
        trail = (interp.site("tokenizer", site.node),)
        return Tensor(dtype="int64", rank=AT_LEAST_1, grad=False, trail=trail)
    return UNKNOWN


def _config(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    if name == "update":
        label_kinds.update(interp, ref, site)
    return UNKNOWN if name == "update" else _unknown_method(interp, ref, obj, name, site)


def _numpy_generator(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    return numpy_random.draw(interp, name, site)


def _manager(interp: Interpreter, ref: Ref, obj: Obj, name: str, site: CallSite) -> Value:
    """``torch.no_grad()(function)``, or one of the project's own: the function under the manager."""
    given = site.value(0)
    if name != "__call__" or not isinstance(given, Function):
        return UNKNOWN
    return replace(given, within=(*given.within, ref))


_BY_CLASS: dict[str, Callable[[Interpreter, Ref, Obj, str, CallSite], Value]] = {
    example_runs.WRITER: example_runs.of_writer,
    "torch.Generator": _generator,
    weak_references.NAME: weak_references.method,
    context_variables.NAME: context_variables.method,
    context_variables.CONTEXT: context_variables.in_context,
    checkpoint.LOADED.name: _file,
    sobol.NAME: sobol.method,
    python_random.GENERATOR: python_random.method,
    **dates.METHODS,
    single_dispatch.NAME: single_dispatch.method,
    single_dispatch.METHOD: single_dispatch.method,
    grad_mode.NAME: _manager,
    contexts.STACK: contexts.stack_method,
    hooks.HANDLE.name: hooks.of_handle,
    movables.BATCH: _batch,
    tokenizers.TOKENIZER: _tokenizer,
    label_kinds.CONFIG.name: _config,
    gradient_scaling.SCALER: gradient_scaling.method,
    "argparse.ArgumentParser": command_line.parser_method,
    command_line.OLD_PARSER: command_line.old_parser_method,
    command_line.SUBPARSERS: command_line.subparsers_method,
    numpy_model.RNG: _numpy_generator,
    **table_methods.METHODS,
    **learners.METHODS,
    sparse_matrices.MATRIX.name: sparse_matrices.method,
    **plots.METHODS,
    picture_types.PICTURE.name: pictures.method,
    **hub_datasets.METHODS,
    ignite_engines.CLASS: ignite_engines.method,
    **graphs.METHODS,
    saved_files.PICKLER: saved_files.of_pickler,
    text_files.NAME: text_files.method,
    text_files.BYTES: text_files.method_of_bytes,
    iteration.ITERATOR.name: iterators.method,
    threads.QUEUE: threads.queue_method,
    shared_objects.QUEUE.name: process_queues.method,
    connections.NAME: connections.method,
    process_queues.MANAGER: process_queues.of_manager,
    threads.EXECUTOR: threads.executor_method,
    threads.FUTURE: threads.future_method,
    threads.POOL: threads.pool_method,
    **dict.fromkeys((coroutines.LOOP, coroutines.GROUP), coroutines.method),
    processes.POOL: processes.pool_method,
    parallel_calls.NAME: parallel_calls.method,
    autograd_functions.CONTEXT: autograd_functions.context_method,
}
