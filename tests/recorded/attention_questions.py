"""Masks of attention: which are compared with the inputs' device, and which are dropped before."""

from __future__ import annotations

from typing import Any

import torch
from recorded.questions import Questions
from torch import nn

QUESTIONS = Questions()


def causal(size: int = 3) -> torch.Tensor:
    """A float mask of what comes later."""
    return torch.full((size, size), float("-inf")).triu(diagonal=1)


def later(size: int = 3) -> torch.Tensor:
    """The same as booleans."""
    return torch.ones(size, size).triu(diagonal=1).bool()


def other(size: int = 3) -> torch.Tensor:
    """A mask that is not causal."""
    return torch.zeros(size, size)


def padding() -> torch.Tensor:
    """Nothing is padded."""
    return torch.zeros(2, 3, dtype=torch.bool)


def _encoder(layers: int = 1, **options: Any) -> nn.TransformerEncoder:
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True, **options)
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False).cuda()


def _decoder() -> nn.TransformerDecoder:
    return nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0, batch_first=True), 1).cuda()


def _layer() -> nn.TransformerEncoderLayer:
    return nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True).cuda()


def _attention() -> nn.MultiheadAttention:
    return nn.MultiheadAttention(4, 2, batch_first=True).cuda()


def _whole() -> nn.Transformer:
    return nn.Transformer(4, 2, 1, 1, 8, dropout=0.0, batch_first=True).cuda()


def without_grad(action: Any) -> Any:
    """What an action comes to where no gradients are recorded."""
    with torch.no_grad():
        return action()


QUESTIONS.lines(
    {
        "torch": torch,
        "nn": nn,
        "F": nn.functional,
        "causal": causal,
        "later": later,
        "other": other,
        "padding": padding,
        "g": lambda: torch.ones(2, 3, 4, device="cuda"),
        "q": lambda: torch.ones(2, 2, 3, 2, device="cuda"),
        "encoder": _encoder,
        "decoder": _decoder,
        "layer": _layer,
        "attention": _attention,
        "whole": _whole,
        "Quiet": without_grad,
        "Encoder": _encoder,
        "Layer": _layer,
        "Decoder": _decoder,
        "Whole": _whole,
        "G": torch.ones,
        "Causal": causal,
        "Later": later,
        "Other": other,
        "Square": nn.Transformer.generate_square_subsequent_mask,
    },
    """
    encoder(g, causal).shape
    encoder(g, mask=Square(3)).shape
    encoder(g, later).shape
    encoder(g, other).shape
    encoder(g, causal, is_causal=True).shape
    encoder(g, other, is_causal=True).shape
    encoder(g, causal, is_causal=False).shape
    encoder(g, causal.double()).shape
    encoder(g, causal, src_key_padding_mask=padding).shape
    encoder(g, causal, src_key_padding_mask=padding.cuda()).shape
    encoder(g, later, src_key_padding_mask=padding.cuda()).shape
    encoder(g, src_key_padding_mask=padding).shape
    encoder.eval()(g, causal).shape
    encoder.eval()(g, later).shape
    encoder.eval()(g, other).shape
    Quiet(lambda: Encoder().eval()(torch.ones(2, 3, 4, device="cuda"), Causal())).shape
    Quiet(lambda: Encoder().eval()(torch.ones(2, 3, 4, device="cuda"), Later())).shape
    Quiet(lambda: Encoder().eval()(torch.ones(2, 3, 4, device="cuda"), Other())).shape
    Quiet(lambda: Encoder()(torch.ones(2, 3, 4, device="cuda"), Causal())).shape
    Quiet(lambda: Layer().eval()(torch.ones(2, 3, 4, device="cuda"), Causal())).shape
    Quiet(lambda: Layer().eval()(torch.ones(2, 3, 4, device="cuda"), Causal(), is_causal=True)).shape
    Encoder(norm_first=True)(g, causal).shape
    Encoder(2)(g, causal).shape
    encoder(g[:, :0], causal[:0, :0]).shape
    layer(g, causal).shape
    layer(g, later).shape
    layer(g, causal, is_causal=True).shape
    layer(g, other, is_causal=True).shape
    layer(g, src_key_padding_mask=padding).shape
    attention(g, g, g, attn_mask=causal)[0].shape
    attention(g, g, g, attn_mask=causal, is_causal=True)[0].shape
    attention(g, g, g, attn_mask=causal, need_weights=False)[0].shape
    attention(g, g, g, attn_mask=causal, need_weights=False, is_causal=True)[0].shape
    attention(g, g, g, attn_mask=later, need_weights=False)[0].shape
    attention(g, g, g, key_padding_mask=padding)[0].shape
    decoder(g, g, causal).shape
    decoder(g, g, tgt_mask=Square(3)).shape
    decoder(g, g, later).shape
    decoder(g, g, other).shape
    decoder(g, g, causal, tgt_is_causal=True).shape
    decoder(g, g, causal, causal).shape
    decoder(g, g, memory_mask=causal).shape
    decoder(g, g, memory_mask=causal, memory_is_causal=True).shape
    decoder(g, g, causal, tgt_key_padding_mask=padding.cuda()).shape
    decoder(g, g, memory_key_padding_mask=padding).shape
    decoder.eval()(g, g, causal).shape
    Quiet(lambda: Decoder().eval()(G(2, 3, 4, device="cuda"), G(2, 3, 4, device="cuda"), Causal())).shape
    Quiet(lambda: Decoder().eval()(G(2, 3, 4, device="cuda"), G(2, 3, 4, device="cuda"), Later())).shape
    Quiet(lambda: Decoder().eval()(G(2, 3, 4, device="cuda"), G(2, 3, 4, device="cuda"), memory_mask=Later(), memory_is_causal=True)).shape
    Quiet(lambda: Whole().eval()(G(2, 3, 4, device="cuda"), G(2, 3, 4, device="cuda"), tgt_mask=Later())).shape
    Quiet(lambda: Decoder()(G(2, 3, 4, device="cuda"), G(2, 3, 4, device="cuda"), Causal())).shape
    Quiet(lambda: Decoder().eval()(G(2, 3, 4, device="cuda"), G(2, 3, 4, device="cuda"), memory_mask=Causal(), memory_is_causal=True)).shape
    Quiet(lambda: Whole().eval()(G(2, 3, 4, device="cuda"), G(2, 3, 4, device="cuda"), tgt_mask=Causal())).shape
    Quiet(lambda: Whole().eval()(G(2, 3, 4, device="cuda"), G(2, 3, 4, device="cuda"), src_mask=Causal())).shape
    whole(g, g, tgt_mask=causal).shape
    whole(g, g, src_mask=causal).shape
    whole(g, g, src_mask=causal, tgt_mask=causal).shape
    whole(g, g, tgt_mask=other).shape
    whole(g, g, memory_mask=causal).shape
    whole.eval()(g, g, tgt_mask=causal).shape
    whole(g, g, tgt_mask=whole.generate_square_subsequent_mask(3)).shape
    F.scaled_dot_product_attention(q, q, q, attn_mask=causal).shape
    F.scaled_dot_product_attention(q, q, q, attn_mask=later).shape
    F.scaled_dot_product_attention(q, q, q, attn_mask=later.triu(5)).shape
    """,
)
