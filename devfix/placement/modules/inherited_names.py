"""Inherited names: attributes that objects have from the classes above theirs, which nothing can be registered as."""

from __future__ import annotations

import ast

from devfix.analysis.record.facts import Facts
from devfix.analysis.text.syntax import in_rows
from devfix.placement.devices import constructed

#: Classes that give their objects none of the attributes that follow.
_PLAIN = frozenset(
    {
        "object", "ABC", "Generic", "Protocol", "Module", "Sequential", "ModuleList", "ModuleDict",
        "LightningModule", "PreTrainedModel", "MessagePassing",
    }
)  # fmt: skip
#: What the constructors of the layers of ``torch.nn`` set.
OF_LAYERS = frozenset(
    """
activation activation_relu_or_gelu add_zero_attn affine align_corners alpha approximate batch_first beta bias bias_hh bias_ih
bias_k bias_v bidirectional blank ceil_mode chunking_method count_include_pad cutoffs d_model decoder delta dilation dim
distance_function div_value divisor_override downscale_factor dropout dropout1 dropout2 dropout3 elementwise_affine embed_dim
embedding_dim enable_nested_tensor encoder end_dim eps full groups head head_bias head_dim head_size hidden_size ignore_index
in1_features in2_features in_channels in_features in_proj_bias in_proj_weight include_last_offset init inplace input_size k
k_proj_weight kdim keepdim kernel_size label_smoothing lambd layers linear1 linear2 log_input log_target lower margin
mask_check max_norm max_val min_val mode momentum multihead_attn n_classes n_clusters name negative_slope nhead nonlinearity
norm norm1 norm2 norm3 norm_first norm_type normalized_shape num_batches_tracked num_channels num_embeddings num_features
num_groups num_heads num_layers num_parameters out_channels out_features out_proj output_padding output_ratio output_size p
padding padding_idx padding_mode pos_weight process_group proj_size q_proj_weight recompute_scale_factor reduction
return_indices running_mean running_var scale_factor scale_grad_by_freq self_attn shortlist_size size sparse start_dim stride
swap tail threshold track_running_stats transposed unflattened_size upper upscale_factor use_nested_tensor v_proj_weight value
vdim weight weight_hh weight_ih zero_infinity
""".split()
)


def has(facts: Facts, cls: ast.ClassDef, name: str) -> bool:
    """Whether a class of the program above this one, or a layer of a package's, gives its objects an attribute."""
    above = list(constructed.bases(facts, cls))
    if any(_gives(each, name) for each in above):
        return True
    others = {base for each in (cls, *above) for base in constructed.base_names(each)}
    return name in OF_LAYERS and not others <= _PLAIN | {each.name for each in above}


def _gives(cls: ast.ClassDef, name: str) -> bool:
    """Whether a class, or a method of it, assigns to a name, or defines something of that name."""
    if any(getattr(part, "name", None) == name or assigns(part, name) for part in cls.body):
        return True
    return any(constructed.sets(node, name) for node in in_rows(cls))


def assigns(part: ast.stmt, name: str) -> bool:
    """Whether a statement of a class body makes a class attribute (an annotation alone does not)."""
    targets = part.targets if isinstance(part, ast.Assign) else []
    if isinstance(part, ast.AnnAssign) and part.value is not None:
        targets = [part.target]
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)
