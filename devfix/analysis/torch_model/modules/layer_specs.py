"""The layers of ``torch.nn`` with parameters: their inputs, and what must agree with the weight."""

from __future__ import annotations

from devfix.analysis.torch_model.modules.norms import NORMS
from devfix.records import frozen


@frozen
class LayerSpec:
    """A layer with parameters.

    ``index``: its input is an integer index. ``strict``: what goes in and the weight share one
    dtype. ``normalised``: strict, but what comes out under autocast is a norm's.
    ``recurrent``: (output, state); ``attention``: (output, weights).
    """

    index: bool = False
    strict: bool = True
    normalised: bool = False
    recurrent: bool = False
    attention: bool = False
    inputs: tuple[str, ...] = ("input",)


#: Operands that are data, not masks.
DATA = frozenset({"input", "input1", "input2", "hx", "src", "tgt", "memory", "query", "key", "value"})
_CONVOLUTION = LayerSpec()
WEIGHTED: dict[str, LayerSpec] = {
    **dict.fromkeys("Linear LazyLinear PReLU".split(), LayerSpec()),
    "Bilinear": LayerSpec(inputs=("input1", "input2")),
    **dict.fromkeys(
        "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d LazyConv2d "
        "LazyConv3d LazyConvTranspose1d LazyConvTranspose2d".split(),
        _CONVOLUTION,
    ),
    **dict.fromkeys(NORMS, LayerSpec(strict=False)),
    "Embedding": LayerSpec(index=True, strict=False),
    "EmbeddingBag": LayerSpec(index=True, strict=False, inputs=("input", "offsets", "per_sample_weights")),
    **dict.fromkeys(("LSTM", "GRU", "RNN"), LayerSpec(recurrent=True, inputs=("input", "hx"))),
    **dict.fromkeys(("LSTMCell", "GRUCell", "RNNCell"), LayerSpec(inputs=("input", "hx"))),
    "MultiheadAttention": LayerSpec(
        attention=True, inputs=("query", "key", "value", "key_padding_mask", "#need", "attn_mask")
    ),
    "AdaptiveLogSoftmaxWithLoss": LayerSpec(inputs=("input", "target")),
    "TransformerEncoderLayer": LayerSpec(
        inputs=("src", "src_mask", "src_key_padding_mask"), strict=False, normalised=True
    ),
    "TransformerEncoder": LayerSpec(
        inputs=("src", "mask", "src_key_padding_mask"), strict=False, normalised=True
    ),
    **dict.fromkeys(
        ("TransformerDecoderLayer", "TransformerDecoder"),
        LayerSpec(
            inputs=("tgt", "memory", "tgt_mask", "memory_mask", "tgt_key_padding_mask", "memory_key_padding_mask"),
            strict=False, normalised=True,
        ),
    ),
    "Transformer": LayerSpec(
        inputs=("src", "tgt", "src_mask", "tgt_mask", "memory_mask", "src_key_padding_mask",
                "tgt_key_padding_mask", "memory_key_padding_mask"),
        strict=False, normalised=True,
    ),
}  # fmt: skip
