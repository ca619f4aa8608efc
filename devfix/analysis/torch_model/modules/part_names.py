"""Part names: the texts under which a ``ModuleDict`` or a ``ParameterDict`` keeps something; it refuses those of its own attributes."""

from __future__ import annotations

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
#: What the two have beside the attributes of every module.
OF_DICTS = frozenset("clear copy fromkeys get items keys pop popitem setdefault update values".split())


def is_fit(key: object) -> bool:
    """Whether a key is the name of a part, as far as both containers take it; private names may be theirs."""
    if not isinstance(key, str) or not key or "." in key:
        return False
    return not key.startswith("_") and key not in OF_MODULES and key not in OF_DICTS
