"""The table of tensor operations: operands, what must agree, and what comes out.

Each entry serves ``torch.name(...)`` and ``tensor.name(...)`` alike; the first operand is the
tensor itself in the method form. Which operations accept a 0-dim CPU operand was asked of an H200
(PyTorch's operator database, one operand displaced at a time).
"""

from __future__ import annotations

from devfix.records import frozen


@frozen
class Op:
    """One operation.

    ``operands`` are parameter names in order. ``scalars``: a 0-dim CPU tensor may meet an
    accelerator's. ``same_dtype``: no promotion, pivots aside. ``dtype`` of the result: ``promote``, ``first``,
    ``bool``, ``int64``, ``float`` (integers become the default float), ``spectrum`` (complex when
    the call says so), ``complex``, ``counted`` (int64 without weights), ``place`` (int64, or what ``out_int32``
    says), ``wide`` (float64 at least), or empty for unknown.
    ``rank``: ``broadcast``, ``less`` (one less than that), ``product`` (of matrices), ``first``, ``last`` (of the last
    operand), ``zero``, ``reduce`` (0 without ``dim``), ``some`` (at least 1), a number of dimensions, or empty.
    ``sequence``: the first operand is a list or tuple of tensors. ``excused``: the one operand that may be a number of the CPU.
    """

    operands: tuple[str, ...]
    scalars: bool = True
    same_dtype: bool = False
    dtype: str = "promote"
    rank: str = "broadcast"
    sequence: bool = False
    excused: str = ""


def _table(names: str, op: Op) -> dict[str, Op]:
    return dict.fromkeys(names.split(), op)


_POINTWISE = Op(("input", "other"))
_QUOTIENT = Op(("input", "other"), dtype="float")
_UNSCALED = Op(("input", "other"), scalars=False)
_STRICT = Op(("input", "other"), scalars=False, same_dtype=True, rank="")

OPS: dict[str, Op] = {
    # pointwise: promotion and 0-dim CPU operands
    **_table(
        "add sub subtract mul multiply floor_divide remainder fmod pow maximum minimum fmax fmin hypot "
        "bitwise_and bitwise_or bitwise_xor rsub bitwise_left_shift bitwise_right_shift",
        _POINTWISE,
    ),
    **_table("div divide true_divide atan2 arctan2 copysign xlogy xlog1py ldexp", _QUOTIENT),
    "float_power": Op(("input", "other"), dtype="wide"),
    **_table("logaddexp logaddexp2 gcd lcm nextafter igamma igammac gammainc gammaincc", _UNSCALED),
    **_table(
        "zeta chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w "
        "hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p "
        "shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v "
        "shifted_chebyshev_polynomial_w",
        Op(("input", "other"), dtype="float"),
    ),
    "heaviside": Op(("input", "values"), same_dtype=True),
    "complex": Op(("real", "imag"), scalars=False, same_dtype=True, dtype="complex"),
    "polar": Op(("abs", "angle"), scalars=False, same_dtype=True, dtype="complex"),
    **_table(
        "eq ne lt le gt ge not_equal less greater less_equal greater_equal logical_and "
        "logical_or logical_xor",
        Op(("input", "other"), dtype="bool"),
    ),
    "isclose": Op(("input", "other"), same_dtype=True, dtype="bool"),
    "lerp": Op(("input", "end", "weight"), scalars=False, excused="weight"),
    "addcmul": Op(("input", "tensor1", "tensor2"), scalars=False, excused="tensor2"),
    "addcdiv": Op(("input", "tensor1", "tensor2"), scalars=False),
    "where": Op(("condition", "input", "other")),
    "clamp": Op(("input", "min", "max"), scalars=False, dtype="promote", rank="first"),
    "clip": Op(("input", "min", "max"), scalars=False, dtype="promote", rank="first"),
    "clamp_min": Op(("input", "min"), scalars=False, rank="first"),
    "clamp_max": Op(("input", "max"), scalars=False, rank="first"),
    "masked_fill": Op(("input", "mask", "value"), dtype="first"),
    "masked_select": Op(("input", "mask"), dtype="first", rank="1"),
    "masked_scatter": Op(("input", "mask", "source"), scalars=False, dtype="first", rank="some"),
    "allclose": Op(("input", "other"), same_dtype=True, dtype="", rank=""),
    "equal": Op(("input", "other"), scalars=False, dtype="", rank=""),
    # matrix products: one device, one dtype
    "matmul": Op(("input", "other"), scalars=False, same_dtype=True, rank="product"),
    **_table("mm chain_matmul", Op(("input", "other"), scalars=False, same_dtype=True, rank="2")),
    "bmm": Op(("input", "other"), scalars=False, same_dtype=True, rank="3"),
    "mv": Op(("input", "other"), scalars=False, same_dtype=True, rank="1"),
    "inner": _STRICT,
    **_table("dot vdot", Op(("input", "other"), scalars=False, same_dtype=True, rank="zero")),
    "addmm": Op(("input", "mat1", "mat2"), scalars=False, same_dtype=True, rank="2"),
    "addbmm": Op(("input", "batch1", "batch2"), scalars=False, same_dtype=True, rank="2"),
    "baddbmm": Op(("input", "batch1", "batch2"), scalars=False, same_dtype=True, rank="3"),
    "addmv": Op(("input", "mat", "vec"), scalars=False, same_dtype=True, dtype="", rank="1"),
    "addr": Op(("input", "vec1", "vec2"), scalars=False, rank="2"),
    "spmm": Op(("input", "mat2"), scalars=False, same_dtype=True, rank="2"),
    "smm": Op(("input", "mat2"), scalars=False, same_dtype=True, rank="2"),
    **dict.fromkeys(("outer", "ger"), Op(("input", "other"), scalars=False, rank="2")),
    "kron": Op(("input", "other"), scalars=False),
    "cross": Op(("input", "other"), scalars=False, same_dtype=True, rank="first"),
    "tensordot": Op(("a", "b"), scalars=False, same_dtype=True, rank=""),
    "cdist": Op(("x1", "x2"), scalars=False, same_dtype=True, rank="some"),
    "dist": Op(("input", "other"), rank="zero"),
    # indexing functions: one device; the dtype is the data's
    "gather": Op(("input", "#dim", "index"), scalars=False, dtype="first", rank="first"),
    "scatter": Op(("input", "#dim", "index", "src"), scalars=False, dtype="first", rank="first"),
    "scatter_add": Op(("input", "#dim", "index", "src"), scalars=False, dtype="first", rank="first"),
    "scatter_reduce": Op(("input", "#dim", "index", "src"), scalars=False, dtype="first", rank="first"),
    "index_select": Op(("input", "#dim", "index"), scalars=False, dtype="first", rank="first"),
    "index_add": Op(("input", "#dim", "index", "source"), scalars=False, dtype="first", rank="first"),
    "index_reduce": Op(("input", "#dim", "index", "source"), scalars=False, dtype="first", rank="first"),
    "index_put": Op(("input", "#indices", "values"), dtype="first", rank="first"),
    "put": Op(("input", "index", "source"), scalars=False, dtype="first", rank="first"),
    "repeat_interleave": Op(("input", "repeats"), scalars=False, dtype="first", rank="some"),
    **_table(
        "max_unpool1d max_unpool2d max_unpool3d",
        Op(("input", "indices"), scalars=False, dtype="first", rank="first"),
    ),
    "index_copy": Op(("input", "#dim", "index", "source"), scalars=False, dtype="first", rank="first"),
    "index_fill": Op(("input", "#dim", "index"), dtype="first", rank="first"),
    "take": Op(("input", "index"), scalars=False, dtype="first", rank="last"),
    "take_along_dim": Op(("input", "indices"), scalars=False, dtype="first", rank="first"),
    "bucketize": Op(("input", "boundaries"), scalars=False, dtype="place", rank="first"),
    "searchsorted": Op(("sorted_sequence", "input"), scalars=False, dtype="place", rank="last"),
    "isin": Op(("elements", "test_elements"), scalars=False, dtype="bool", rank="first"),
    **_table(
        "quantile nanquantile",
        Op(("input", "q"), scalars=False, same_dtype=True, dtype="first", rank="quantiles"),
    ),
    **_table("trapezoid trapz", Op(("y", "x"), scalars=False, dtype="float", rank="")),
    "cumulative_trapezoid": Op(("y", "x"), scalars=False, dtype="float", rank="first"),
    "diff": Op(("input", "#n", "#dim", "prepend", "append"), scalars=False, rank="first"),
    "cov": Op(("input", "#correction", "fweights", "aweights"), scalars=False, dtype="float", rank=""),
    "corrcoef": Op(("input",), scalars=False, dtype="float", rank=""),
    "segment_reduce": Op(
        ("data", "#reduce", "lengths", "#indices", "offsets"), scalars=False, dtype="first", rank="first"
    ),
    "bincount": Op(("input", "weights"), scalars=False, dtype="counted", rank="1"),
    # joining
    **_table("cat concat concatenate", Op(("tensors",), scalars=False, rank="first", sequence=True)),
    **_table(
        "stack hstack vstack dstack row_stack column_stack",
        Op(("tensors",), scalars=False, rank="", sequence=True),
    ),
    "block_diag": Op(("tensors",), scalars=False, rank="", sequence=True),
    **_table(
        "meshgrid cartesian_prod multi_dot",
        Op(("tensors",), scalars=False, same_dtype=True, rank="", sequence=True),
    ),
    # signal
    "stft": Op(("input", "#n_fft", "#hop", "#win", "window"), scalars=False, dtype="spectrum", rank="some"),
    "istft": Op(("input", "#n_fft", "#hop", "#win", "window"), scalars=False, dtype="", rank=""),
    # linear algebra
    "lstsq": Op(("input", "b"), scalars=False, same_dtype=True, rank=""),
    **_table(
        "solve solve_ex tensorsolve",
        Op(("A", "B"), scalars=False, same_dtype=True, rank="last"),
    ),
    # What is solved for gets the dtype of the matrix.
    "solve_triangular": Op(("A", "B"), scalars=False, dtype="first", rank="last"),
    **_table(
        "triangular_solve cholesky_solve", Op(("input", "A"), scalars=False, same_dtype=True, rank="first")
    ),
    **_table(
        "lu_solve ldl_solve",
        Op(("LU", "pivots", "B"), scalars=False, same_dtype=True, dtype="first", rank=""),
    ),
    "lu_unpack": Op(("LU_data", "LU_pivots"), scalars=False, dtype="", rank=""),
    "householder_product": Op(("input", "tau"), scalars=False, same_dtype=True, dtype="first", rank="first"),
    "ormqr": Op(("input", "tau", "other"), scalars=False, same_dtype=True, dtype="first", rank=""),
    "vecdot": Op(("x", "y"), scalars=False, same_dtype=True, rank="less"),
    "matrix_rank": Op(("input", "#atol", "rtol"), scalars=False, dtype="int64", rank=""),
    "pinv": Op(("input", "#atol", "rtol"), scalars=False, dtype="first", rank="first"),
    "sparse_mask": Op(("input", "mask"), scalars=False, dtype="first", rank="first"),
    "sampled_addmm": Op(("input", "mat1", "mat2"), scalars=False, same_dtype=True, rank="first"),
    # numbers of eight bits, of which no dtype is known here
    "quantize_per_tensor": Op(("input", "scale", "zero_point"), scalars=False, dtype="", rank="first"),
    "quantize_per_channel": Op(("input", "scales", "zero_points"), scalars=False, dtype="", rank="first"),
    "fake_quantize_per_channel_affine": Op(
        ("input", "scale", "zero_point"), scalars=False, dtype="first", rank="first"
    ),
    "cosine_similarity": Op(("x1", "x2"), dtype="float", rank="less"),
    "pairwise_distance": Op(("x1", "x2"), dtype="float", rank="less"),
    **_table(
        "grid_sampler_2d grid_sampler_3d grid_sampler",
        Op(("input", "grid"), scalars=False, same_dtype=True, rank="first"),
    ),
}

#: Operations on one tensor whose result has its dtype, device and rank.
SAME = frozenset(
    "abs absolute neg negative sign sgn floor ceil round trunc frac relu relu6 square clone "
    "contiguous detach flip fliplr flipud roll rot90 cumsum cumprod cummax cummin triu tril "
    "bernoulli nan_to_num positive conj conj_physical dropout alpha_dropout feature_dropout "
    "requires_grad_ detach_ as_subclass data movedim moveaxis swapaxes swapdims t transpose transpose_ "
    "T adjoint coalesce resolve_conj resolve_neg pin_memory share_memory_ narrow_copy "
    "normal_ uniform_ zero_ fill_ fill_diagonal_ exponential_ random_ bernoulli_ cauchy_ "
    "log_normal_ geometric_ abs_ neg_ renorm to_dense hardtanh "
    "retain_grad narrow renorm_ relu_ dropout_ leaky_relu_ bitwise_not "
    "threshold msort fix real imag pixel_shuffle pixel_unshuffle interpolate upsample upsample_nearest "
    "upsample_bilinear avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d adaptive_avg_pool1d "
    "adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d pad glu "
    "lp_pool1d lp_pool2d lp_pool3d to_sparse to_sparse_coo to_sparse_csr logcumsumexp channel_shuffle inverse "
    "pinverse cholesky matrix_exp matrix_power feature_alpha_dropout select_scatter "
    "slice_scatter diagonal_scatter as_strided_scatter".split()
)
#: Operations on one tensor that give a float of its device and rank.
FLOATING = frozenset(
    "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh "
    "asinh acosh atanh sigmoid logit erf erfc erfinv reciprocal softmax log_softmax softplus "
    "softsign gelu silu mish elu celu selu leaky_relu logsigmoid lgamma digamma deg2rad rad2deg "
    "softmin hardsigmoid hardswish normalize arctan arcsin arccos arcsinh arccosh arctanh "
    "hardshrink softshrink tanhshrink rrelu local_response_norm dropout1d dropout2d dropout3d "
    "i0 sinc angle polygamma".split()
)
#: Views and reshapes: device and dtype stay, the rank is whatever comes out.
RESHAPES = frozenset(
    "view reshape permute flatten ravel squeeze unsqueeze expand repeat tile unfold diagonal diag "
    "diag_embed as_strided view_as expand_as reshape_as sum_to_size unflatten "
    "select squeeze_ unsqueeze_ resize_ resize broadcast_to affine_grid fold "
    "vander atleast_1d atleast_2d atleast_3d det trace".split()
)
#: Reductions: 0-dim without a ``dim``; result dtype as named.
REDUCTIONS: dict[str, str] = {
    **dict.fromkeys("mean std var nanmean norm logsumexp frobenius_norm vector_norm".split(), "float"),
    **dict.fromkeys("amax amin max min median mode nanmedian".split(), "first"),
    **dict.fromkeys("sum prod nansum".split(), "sum"),
    **dict.fromkeys("argmax argmin count_nonzero".split(), "int64"),
    **dict.fromkeys("all any".split(), "bool"),
}
#: Tests on one tensor: a bool tensor of its shape.
TESTS = frozenset("isnan isinf isfinite isposinf isneginf signbit logical_not isreal".split())
