"""Autocast rules: what each operator does to its operands under ``torch.autocast("cuda")``.

The lists are those of ATen/autocast_mode.h (torch 2.13); a test holds their names against the operators
for which torch itself has a kernel under the AutocastCUDA key.
"""

from __future__ import annotations

#: Cast to the lower precision.
LOWER = """
    _convolution _convolution.deprecated conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d.input
    conv_transpose3d.input convolution prelu addmm addmv addr matmul einsum mm mv linalg_vecdot linear addbmm baddbmm
    bmm chain_matmul linalg_multi_dot _thnn_fused_lstm_cell _thnn_fused_gru_cell lstm_cell gru_cell rnn_tanh_cell
    rnn_relu_cell _scaled_dot_product_flash_attention scaled_dot_product_attention
""".split()

#: Whole recurrent networks, which cuDNN casts as one operator (aten/src/ATen/native/cudnn/RNN.cpp).
RECURRENT = """
    lstm.input lstm.data gru.input gru.data rnn_tanh.input rnn_tanh.data rnn_relu.input rnn_relu.data
""".split()

#: Cast to float32.
FULL = """
    acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow.Tensor_Scalar pow.Tensor_Tensor
    pow.Scalar softplus layer_norm native_layer_norm rms_norm group_norm frobenius_norm.dim nuclear_norm
    nuclear_norm.dim cosine_similarity poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss
    kl_div l1_loss smooth_l1_loss huber_loss mse_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss
    triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits dist pdist cdist renorm logsumexp
    upsample_nearest1d _upsample_nearest_exact1d upsample_nearest2d _upsample_nearest_exact2d upsample_nearest3d
    _upsample_nearest_exact3d upsample_linear1d upsample_bilinear2d _upsample_bilinear2d_aa upsample_trilinear3d
    upsample_bicubic2d _upsample_bicubic2d_aa
""".split()

#: Left as they are, but told to give float32 unless told otherwise.
FULL_RESULT = """
    prod prod.dim_int softmax.int log_softmax.int cumprod cumsum linalg_vector_norm linalg_matrix_norm
    linalg_matrix_norm.str_ord sum sum.dim_IntList
""".split()

#: The same for those that need another overload to be told.
FULL_RESULT_OVERLOADS = {
    "norm.Scalar": "norm.ScalarOpt_dtype",
    "norm.ScalarOpt_dim": "norm.ScalarOpt_dim_dtype",
}

#: Cast to the widest dtype among the operands.
WIDEST = """
    addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add
""".split()

#: Told nothing, but added up by their kernels on CUDA, which autocast widens (asked of an H200): what has the sum as its result,
#: and what goes on with it beside halves.
ADDED_UP = "trace"
ADDED_UP_BESIDE = "_sample_dirichlet"
#: A product with a sparse matrix, which comes to be one of those above inside (native/sparse/SparseTensorMath.cpp).
OF_SPARSE = "_sparse_addmm"
#: Those for which torch has no kernel under autocast's own key.
ON_CUDA = (*RECURRENT, ADDED_UP, ADDED_UP_BESIDE, OF_SPARSE)

#: What CUDA refuses under autocast (aten/src/ATen/autocast_mode.cpp).
BANNED = "binary_cross_entropy"
BANNED_TEXT = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
    "safe to autocast."
)
