"""Signatures: which operand an operator's argument is in the call that somebody wrote.

Two tables. ``OPERATORS`` has the tensor arguments of PyTorch's operators in the order in which their devices
are compared (that of the schema): when the text names ``mat1`` of ``addmm``, then ``self`` was on another
device. ``CALLS`` has the parameters of the functions people call; a method's receiver is the first.
"""

from __future__ import annotations

#: Operator -> tensor arguments, in the order of the schema.
OPERATORS: dict[str, tuple[str, ...]] = {
    name: tuple(arguments.split())
    for name, arguments in {
        "addmm": "self mat1 mat2", "addmv": "self mat vec", "addr": "self vec1 vec2", "mm": "self mat2", "bmm": "self mat2",
        "baddbmm": "self batch1 batch2", "addbmm": "self batch1 batch2", "mv": "self vec", "dot": "self tensor", "vdot": "self other",
        "linear": "input weight bias", "index_select": "self index", "gather": "self index", "scatter": "self index src",
        "scatter_add": "self index src", "scatter_reduce": "self index src", "index_add": "self index source",
        "index_copy": "self index source", "index_fill": "self index value", "index_reduce": "self index source", "take": "self index",
        "put": "self index source", "masked_fill": "self mask value", "masked_select": "self mask",
        "masked_scatter": "self mask source", "where": "condition self other", "cat": "tensors",
        "nll_loss_forward": "self target weight", "nll_loss2d_forward": "self target weight", "nll_loss": "self target weight",
        "multi_margin_loss": "self target weight", "multilabel_margin_loss_forward": "self target",
        "binary_cross_entropy": "self target weight", "huber_loss": "self target", "smooth_l1_loss": "self target", "mse_loss": "self target",
        "native_layer_norm": "input weight bias", "native_batch_norm": "input weight bias running_mean running_var",
        "cudnn_batch_norm": "input weight bias running_mean running_var",
        "miopen_batch_norm": "input weight bias running_mean running_var", "native_group_norm": "input weight bias",
        "batch_norm_elemt": "input weight bias mean invstd", "fused_rms_norm": "input weight",
        "slow_conv2d_forward": "self weight bias", "conv_depthwise2d": "self weight bias", "conv_depthwise3d": "self weight bias",
        "slow_conv3d_forward": "self weight bias", "slow_conv_transpose2d": "self weight bias",
        "slow_conv_transpose3d": "self weight bias", "slow_conv_dilated2d": "self weight bias",
        "slow_conv_dilated3d": "self weight bias", "cudnn_convolution": "self weight", "convolution": "input weight bias",
        "convolution_overrideable": "input weight bias", "mps_convolution": "self weight bias",
        "thnn_conv2d_forward": "self weight bias",
        "embedding": "weight indices", "embedding_bag": "weight indices offsets per_sample_weights",
        "embedding_bag_forward_only": "weight indices offsets per_sample_weights", "embedding_renorm": "self indices",
        "grid_sampler_2d": "input grid", "grid_sampler_3d": "input grid", "grid_sampler": "input grid", "cudnn_grid_sampler": "self grid",
        "cdist_forward": "x1 x2", "bucketize": "self boundaries", "searchsorted": "sorted_sequence self sorter",
        "clamp": "self min max", "clamp_min": "self min", "clamp_max": "self max", "prelu_kernel": "self weight", "prelu": "self weight",
        "linalg_solve_ex": "A B", "linalg_lstsq": "self b", "linalg_lu_solve": "LU pivots B", "linalg_solve_triangular": "self B",
        "cholesky_solve": "self input2", "triangular_solve": "self A", "cudnn_rnn": "input weight weight_buf hx cx", "miopen_rnn": "input weight hx cx",
        "thnn_fused_lstm_cell": "input_gates hidden_gates cx input_bias hidden_bias",
        "thnn_fused_gru_cell": "input_gates hidden_gates hx input_bias hidden_bias",
        "scaled_dot_product_efficient_attention": "query key value attn_bias",
        "scaled_dot_product_flash_attention": "query key value", "scaled_dot_product_cudnn_attention": "query key value attn_bias",
        "scaled_dot_product_attention": "query key value attn_mask", "fused_adam": "self grads exp_avgs exp_avg_sqs max_exp_avg_sqs state_steps",
        "fused_adamw": "self grads exp_avgs exp_avg_sqs max_exp_avg_sqs state_steps", "fused_sgd": "self grads momentum_buffer_list",
        "ctc_loss": "log_probs targets", "lerp": "self end weight", "addcmul": "self tensor1 tensor2", "addcdiv": "self tensor1 tensor2", "bincount": "self weights",
        "cross": "self other", "linalg_cross": "self other", "atan2": "self other", "index": "self indices", "index_put": "self indices values",
        "weight_norm_interface": "v g", "segment_reduce": "data lengths indices offsets", "fractional_max_pool2d": "self random_samples",
        "max_unpool2d": "self indices", "max_unpool3d": "self indices", "ormqr": "self input2 input3",
        "linalg_householder_product": "input tau", "lu_unpack": "LU_data LU_pivots", "histc": "self", "repeat_interleave": "repeats",
        "sparse.addmm": "self mat1 mat2", "sparse.mm": "self mat2", "equal": "self other", "isin": "elements test_elements",
        "histogram": "self bins weight", "polygamma": "self", "multinomial": "self", "nested_tensor_from_mask": "t mask",
    }.items()
}  # fmt: skip

#: What people call -> its parameters. Those of losses, layers and products first.
CALLS: dict[str, tuple[str, ...]] = {
    name: tuple(parameters.split())
    for names, parameters in {
        "linear": "input weight bias", "bilinear": "input1 input2 weight bias",
        "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d": "input weight bias",
        "embedding": "input weight", "embedding_bag": "input weight offsets",
        "cross_entropy nll_loss binary_cross_entropy": "input target weight",
        "multi_margin_loss": "input target p margin weight",
        "binary_cross_entropy_with_logits": "input target weight size_average reduce reduction pos_weight",
        "mse_loss l1_loss smooth_l1_loss huber_loss kl_div soft_margin_loss poisson_nll_loss hinge_embedding_loss multilabel_soft_margin_loss": "input target",
        "gaussian_nll_loss": "input target var", "cosine_embedding_loss margin_ranking_loss": "input1 input2 target",
        "triplet_margin_loss": "anchor positive negative", "ctc_loss": "log_probs targets input_lengths target_lengths",
        "layer_norm": "input normalized_shape weight bias", "batch_norm": "input running_mean running_var weight bias",
        "group_norm": "input num_groups weight bias", "instance_norm": "input running_mean running_var weight bias", "rms_norm": "input normalized_shape weight",
        "prelu": "input weight", "grid_sample": "input grid", "scaled_dot_product_attention": "query key value attn_mask",
        "where": "condition input other", "multi_head_attention_forward": "query key value", "cosine_similarity pairwise_distance cdist dist": "x1 x2",
        "matmul mul add sub div true_divide floor_divide pow eq ne lt le gt ge maximum minimum fmax fmin fmod remainder atan2 logaddexp kron inner": "input other",
        "logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor multiply subtract divide copysign hypot xlogy isclose allclose equal cross": "input other",
        "add_ sub_ mul_ div_ pow_ eq_ ne_ logical_and_ logical_or_ copysign_ fmod_ remainder_ bitwise_and_ bitwise_or_": "input other",
        "mm bmm": "input mat2", "mv": "input vec", "dot vdot": "input tensor", "outer ger": "input vec2", "addmm": "input mat1 mat2",
        "baddbmm addbmm": "input batch1 batch2", "addmv": "input mat vec", "einsum": "equation operands",
        "gather": "input dim index", "scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_": "input dim index src",
        "index_select": "input dim index", "index_add index_add_ index_copy index_copy_": "input dim index source",
        "index_fill index_fill_": "input dim index value", "take": "input index", "put put_": "input index source",
        "take_along_dim": "input indices", "masked_fill masked_fill_": "input mask value", "masked_select": "input mask",
        "masked_scatter masked_scatter_": "input mask source", "index_put index_put_": "input indices values",
        "cat concat concatenate stack hstack vstack dstack column_stack block_diag meshgrid broadcast_tensors": "tensors",
        "clamp clamp_ clip clip_": "input min max", "clamp_min clamp_min_": "input min", "clamp_max clamp_max_": "input max",
        "bucketize": "input boundaries", "searchsorted": "sorted_sequence input", "quantile nanquantile": "input q",
        "stft": "input n_fft hop_length win_length window", "istft": "input n_fft hop_length win_length window",
        "lerp lerp_": "input end weight", "addcmul addcmul_ addcdiv addcdiv_": "input tensor1 tensor2",
        "solve": "A B", "lstsq": "A B", "cholesky_solve": "input input2", "tensor_split": "input indices_or_sections",
        "pack_padded_sequence": "input lengths", "one_hot": "input", "bincount": "input weights", "log_prob cdf icdf": "distribution value",
        "kl_divergence": "p q", "backward": "output gradient", "multinomial": "input num_samples", "isin": "elements test_elements",
        "mean sum std var norm softmax log_softmax": "input dim", "interpolate": "input",
        "lstm gru rnn_tanh rnn_relu": "input hidden", "asarray array": "input", "numpy": "input", "pin_memory": "input", "repeat_interleave": "input repeats",
    }.items()
    for name in names.split()
}  # fmt: skip

#: Parameters of ``forward`` by class, where it is more than ``input``.
FORWARD: dict[str, tuple[str, ...]] = {
    name: tuple(parameters.split())
    for names, parameters in {
        "Bilinear": "input1 input2", "CosineSimilarity PairwiseDistance": "x1 x2", "EmbeddingBag": "input offsets per_sample_weights",
        "CosineEmbeddingLoss MarginRankingLoss": "input1 input2 target", "TripletMarginLoss TripletMarginWithDistanceLoss": "anchor positive negative",
        "CTCLoss": "log_probs targets input_lengths target_lengths", "GaussianNLLLoss": "input target var",
        "MultiheadAttention": "query key value", "Transformer": "src tgt", "TransformerDecoder TransformerDecoderLayer": "tgt memory",
        "LSTM GRU RNN LSTMCell GRUCell RNNCell": "input hidden",
    }.items()
    for name in names.split()
}  # fmt: skip

_LINEAR = {
    "addmm": ("bias", "input", "weight"), "mm": ("input", "weight"), "bmm": ("input", "weight"), "addmv": ("bias", "weight", "input"),
    "baddbmm": ("bias", "input", "weight"), "sparse.addmm": ("bias", "input", "weight"),
}  # fmt: skip
_CONV = ("input", "weight", "bias")
_PRODUCT = {
    "mm": ("input", "other"), "bmm": ("input", "other"), "mv": ("input", "other"), "dot": ("input", "other"),
    # The sum that starts as zeros is made where the vector is.
    "addmv": ("other", "input", "other"), "addmm": ("other", "input", "other"), "sparse.addmm": ("other", "input", "other"),
    "sparse.mm": ("input", "other"),
}  # fmt: skip
_ATTENTION = {
    "baddbmm": ("attn_mask", "query", "key"), "addmm": ("bias", "query", "weight"), "bmm": ("query", "key"), "mm": ("query", "weight"),
    "scaled_dot_product_efficient_attention": ("query", "key", "value", "attn_mask"),
    "scaled_dot_product_flash_attention": ("query", "key", "value"),
    "scaled_dot_product_cudnn_attention": ("query", "key", "value", "attn_mask"),
}  # fmt: skip
_CELL = {
    "mm": ("hidden", "weight"),
    "addmm": ("bias", "input", "weight"),
    "linear": ("input", "weight", "bias"),
}

#: In these calls an operator's arguments have other roles than their names say: call -> operator -> roles.
ROLES: dict[str, dict[str, tuple[str, ...]]] = {
    "linear": _LINEAR,
    **{name: {"addmm": ("bias", "input", "weight")} for name in ("conv1d", "conv2d", "conv3d")},
    "embedding": {"index_select": ("weight", "input"), "embedding": ("weight", "input"), "embedding_bag": ("weight", "input")},
    "embedding_bag": {"embedding_bag": ("weight", "input", "offsets", "per_sample_weights"), "embedding": ("weight", "input"),
                      "index_select": ("weight", "input")},
    **dict.fromkeys(("matmul", "einsum", "tensordot", "inner", "chain_matmul", "multi_dot", "spmm"), _PRODUCT),
    "mm": {name: tuple("mat2" if role == "other" else role for role in roles) for name, roles in _PRODUCT.items()},
    "mv": {name: tuple("vec" if role == "other" else role for role in roles) for name, roles in _PRODUCT.items()},
    **dict.fromkeys(("multi_head_attention_forward", "scaled_dot_product_attention"), _ATTENTION),
    "log_prob": {"gather": ("distribution", "value"), "index_select": ("distribution", "value")},
    **dict.fromkeys(("lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell"), _CELL),
    **{name: {"cat": ("tensors",)} for name in ("stack", "hstack", "vstack", "dstack", "column_stack", "concat")},
    "bilinear": {"bmm": ("input1", "weight")},
    "searchsorted": {"searchsorted": ("sorted_sequence", "input", "sorter")},
    "take_along_dim": {"gather": ("input", "indices")},
    "where": {"where": ("condition", "input", "other")},
}  # fmt: skip

#: Roles that belong to a module itself and go where the module goes.
OF_MODULE = frozenset(
    "weight bias running_mean running_var parameter weight_buf input_bias hidden_bias module".split()
)


def usual_call(operator: str) -> str:
    """What people call that most often ends in an operator; "" when nothing stands out."""
    known = operator_key(operator, tuple(_USUALLY))
    return _USUALLY.get(known, "")


_USUALLY = {
    "addmm": "linear",
    "index_select": "embedding",
    "embedding": "embedding",
    "nll_loss_forward": "cross_entropy",
    "nll_loss2d_forward": "cross_entropy",
    "native_layer_norm": "layer_norm",
    "native_batch_norm": "batch_norm",
    "cudnn_batch_norm": "batch_norm",
    "native_group_norm": "group_norm",
    "slow_conv2d_forward": "conv2d",
    "cudnn_convolution": "conv2d",
    "convolution": "conv2d",
    "cat": "cat",
    "mm": "matmul",
    "bmm": "matmul",
}


def is_natural(call: str, operator: str) -> bool:
    """Whether an operator works on just what the call was given, and not on something made of it."""
    if call not in CALLS and call not in ROLES:
        return True
    if operator_key(operator, tuple(ROLES.get(call, {}))):
        return True
    bare, known = call.rstrip("_"), operator_key(operator, tuple(OPERATORS))
    kin = _KIN.get(bare.rstrip("123d"), ())
    return known.startswith((bare, *kin)) or bare.startswith(known) or ("norm" in bare and "norm" in known)


#: Calls that end in operators of another name.
_KIN: dict[str, tuple[str, ...]] = {
    "cross_entropy": ("nll_loss",),
    "conv": ("conv", "slow_conv", "cudnn_conv", "thnn_conv", "mps_conv"),
    "conv_transpose": ("conv", "slow_conv", "cudnn_conv"),
    "grid_sample": ("grid_sampler", "cudnn_grid"),
    "solve": ("linalg_solve", "linalg_lu_solve", "triangular_solve"),
    "lstsq": ("linalg_lstsq",),
    "concatenate": ("cat",),
}


def roles(call: str, operator: str) -> tuple[str, ...]:
    """The roles of an operator's arguments, in their order, in a call of ``call``; () when unknown."""
    special = ROLES.get(call, {})
    key = operator_key(operator, tuple(special))
    if key:
        return special[key]
    known = operator_key(operator, tuple(OPERATORS))
    return tuple(_role(call, name) for name in OPERATORS[known]) if known else ()


def argument_role(call: str, operator: str, argument: str) -> str:
    """The role of the argument that a text names."""
    known = operator_key(operator, tuple(OPERATORS))
    order, found = (OPERATORS[known] if known else ()), roles(call, operator)
    if argument in order and len(found) == len(order):
        return found[order.index(argument)]
    return _role(call, argument)


def before(call: str, operator: str, argument: str) -> tuple[str, ...]:
    """The roles of the arguments that were compared before ``argument``: they share the other device."""
    known = operator_key(operator, tuple(OPERATORS))
    order, found = (OPERATORS[known] if known else ()), roles(call, operator)
    if argument not in order:
        return ()
    position = order.index(argument)
    if len(found) != len(order):
        return tuple(_role(call, name) for name in order[:position])
    own = found[position]
    return tuple(dict.fromkeys(role for role in found[:position] if role != own))


def operator_key(operator: str, known: tuple[str, ...]) -> str:
    """The operator's name in a table: the text's name may carry an overload before or behind it."""
    if operator in known:
        return operator
    fitting = [
        name
        for name in known
        if operator.startswith((f"{name}_", f"{name}.")) or operator.endswith(f"_{name}")
    ]
    return max(fitting, key=len, default="")


def _role(call: str, argument: str) -> str:
    parameters = CALLS.get(call, ())
    if argument == "self":
        return parameters[0] if parameters else "input"
    renamed = {"indices": "index", "attn_bias": "attn_mask", "values": "value", "output": "input"}
    role = renamed.get(argument, argument)
    if argument in parameters or role not in parameters:
        return argument if argument in parameters else role
    return role
