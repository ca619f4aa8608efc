"""Masks of attention on the CPU: compared with the inputs, or dropped because they say no more than "causal"."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

_PROGRAM = """
import torch
from torch import nn

device = torch.device("cuda")
mask = torch.full((5, 5), float("-inf")).triu(1)
later = mask < 0
padding = torch.zeros(2, 5, dtype=torch.bool, device=device)
layer = nn.TransformerEncoderLayer(8, {heads}, batch_first=True).to(device)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, {heads}, batch_first=True), 2).to(device)
decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, batch_first=True), 2).to(device)
whole = nn.Transformer(8, 2, batch_first=True).to(device)
attention = nn.MultiheadAttention(8, 2, batch_first=True).to(device)
x = torch.ones(2, 5, 8, device=device)
{lines}
"""


def _found(lines: str, heads: int = 2) -> list[str]:
    return clashes(_PROGRAM.format(lines=lines, heads=heads))


@pytest.mark.parametrize(
    "lines",
    [
        "encoder(x, mask)",
        "encoder(x, mask=mask)",
        "encoder(x, mask, is_causal=True)",
        "encoder(x, mask, None)",
        "decoder(x, x, mask)",
        "decoder(x, x, tgt_mask=mask, memory_mask=None)",
        "whole(x, x, tgt_mask=mask)",
        "whole(x, x, whole.generate_square_subsequent_mask(5), mask)",
        "layer(x, mask, is_causal=True)",
        "attention(x, x, x, attn_mask=mask, need_weights=False, is_causal=True)",
        "encoder.eval()\nencoder(x, mask)",
        "with torch.no_grad():\n    encoder(x, mask)",
        "with torch.no_grad():\n    decoder(x, x, mask)",
        "decoder.eval()\nwith torch.no_grad():\n    decoder(x, x, mask)",
        "decoder.eval()\nwith torch.no_grad():\n    decoder(x, x, memory_mask=later, memory_is_causal=True)",
    ],
)
def test_a_mask_that_may_be_dropped_is_left_alone(lines: str) -> None:
    assert _found(lines) == []


@pytest.mark.parametrize(
    "lines",
    [
        "layer(x, mask)",
        "layer(x, src_mask=mask)",
        "encoder(x, mask, is_causal=False)",
        "encoder(x, mask, padding)",
        "encoder(x, src_key_padding_mask=padding.cpu())",
        "decoder(x, x, mask, tgt_key_padding_mask=padding)",
        "decoder(x, x, memory_mask=mask)",
        "whole(x, x, memory_mask=mask)",
        "attention(x, x, x, attn_mask=mask)",
        "attention(x, x, x, attn_mask=mask, is_causal=True)",
        "attention(x, x, x, attn_mask=mask, need_weights=False)",
        "encoder.eval()\nwith torch.no_grad():\n    encoder(x, mask)",
        "whole.eval()\nwith torch.no_grad():\n    whole(x, x, mask)",
        "decoder.eval()\nwith torch.no_grad():\n    decoder(x, x, later)",
        "whole.eval()\nwith torch.no_grad():\n    whole(x, x, tgt_mask=later)",
    ],
)
def test_a_mask_that_is_compared_is_found(lines: str) -> None:
    assert len(_found(lines)) == 1


def test_an_odd_number_of_heads_has_no_fast_path() -> None:
    assert _found("encoder.eval()\nwith torch.no_grad():\n    encoder(x, mask)", heads=1) == []


def test_a_program_that_is_adopted_moves_its_masks() -> None:
    text = """
    import torch
    from torch import nn

    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 1)
    optimizer = torch.optim.SGD(encoder.parameters(), 0.1)
    for step in range(3):
        mask = torch.full((5, 5), float("-inf")).triu(1)
        loss = encoder(torch.ones(5, 2, 8), mask).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """
    after = fix_texts(files(text), Applicability.UNSAFE, adopt=True)[0]["main.py"]
    assert 'torch.full((5, 5), float("-inf"), device=device)' in after
