"""What ``DataParallel`` and ``DistributedDataParallel`` have themselves: the methods of what they wrap are not theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from devfix.analysis.domain import classes
from devfix.analysis.domain.values import Class, External, Function, Obj
from devfix.analysis.torch_model.modules import module_methods

if TYPE_CHECKING:
    from devfix.analysis.interpreter import Interpreter

#: The public names of every module.
OF_MODULES = frozenset(
    "T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval "
    "extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu load_state_dict modules mtia "
    "named_buffers named_children named_modules named_parameters parameters register_backward_hook register_buffer "
    "register_forward_hook register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook "
    "register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module register_parameter "
    "register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule share_memory "
    "state_dict to to_empty train training type xpu zero_grad".split()
)
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
