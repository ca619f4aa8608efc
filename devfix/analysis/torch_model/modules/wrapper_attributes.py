"""What ``DataParallel`` and ``DistributedDataParallel`` have themselves: the methods of what they wrap are not theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import Class, External, Function, Obj
from devfix.analysis.torch_model.modules import module_methods
from devfix.analysis.torch_model.modules.part_names import OF_MODULES

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: Public names of either wrapper.
OF_WRAPPERS = frozenset(
    "broadcast_bucket_size broadcast_buffers bucket_bytes_cap device device_ids device_mesh device_type dim "
    "find_unused_parameters gather gradient_as_bucket_view join join_device join_hook join_process_group logger "
    "mixed_precision module no_sync output_device parallel_apply parameters_to_ignore process_group reducer "
    "register_comm_hook replicate scatter static_graph to_kwargs will_sync_module_buffers".split()
)


def is_of_modules(name: str) -> bool:
    """Whether every module has something of that name, or may have: private names are not known."""
    return name.startswith("_") or name in OF_MODULES or module_methods.is_known(name)


def lacks(interp: Interpreter, obj: Obj, name: str) -> bool:
    """Whether an object is a wrapper of torch's that is asked for a method of what it wraps: an AttributeError."""
    wrapped = obj.facts.get("wrapped")
    if wrapped is None or not isinstance(obj.cls, External) or name in obj.attrs:
        return False
    if is_of_modules(name) or name in OF_WRAPPERS:
        return False
    inner = interp.obj_of(wrapped)
    cls = inner.cls if inner is not None else None
    return isinstance(cls, Class) and isinstance(classes.find(interp, cls, name), Function)
