"""What a function computes on the CPU of a tensor that it is given goes back to where that one is."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

_PROGRAM = """
    import numpy as np
    import torch
    from torch import nn

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


    def smooth(batch):
        host = batch.detach().cpu().numpy()
        host = (host + np.roll(host, 1, -1)) / 2
        return torch.from_numpy(host)


    net = nn.Linear(4, 2).to(device)
    images = torch.rand(3, 4).to(device)
    even = smooth(images)
    print(net(even).sum())
    print(net(smooth(images - 1)).sum())
"""
_RETURN = "return torch.from_numpy(host)"


def _fixed(text: str) -> str:
    texts = files(text)
    once, _ = fix_texts(texts, Applicability.UNSAFE)
    assert fix_texts(once, Applicability.UNSAFE)[0] == once
    return once["main.py"]


def test_the_function_gives_back_what_is_where_its_argument_is() -> None:
    before = dedent(_PROGRAM)
    assert _fixed(before) == before.replace(_RETURN, f"{_RETURN}.to(batch.device)")


def test_so_does_one_that_names_its_result() -> None:
    before = dedent(_PROGRAM).replace(_RETURN, "smoothed = torch.from_numpy(host)\n    return smoothed")
    assert _fixed(before) == before.replace("return smoothed", "return smoothed.to(batch.device)")


def test_so_does_one_that_draws_with_a_generator_of_the_cpu() -> None:
    before = dedent("""
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        rng = torch.Generator().manual_seed(0)


        def draw(weights):
            return torch.multinomial(weights.cpu(), 1, generator=rng)


        ids = torch.zeros(2, dtype=torch.long, device=device)
        ids = torch.cat((ids, draw(torch.rand(8).to(device))))
        print(torch.cat((ids, draw(torch.rand(8).to(device)))))
    """)
    assert _fixed(before) == before.replace("generator=rng)", "generator=rng).to(weights.device)")


@pytest.mark.parametrize(
    "more",
    [
        "print(smooth(images).numpy().max())",  # it is read there as well
        "show = smooth\nshow(images)",  # who knows who calls it
    ],
)
def test_what_is_wanted_on_the_cpu_as_well_moves_where_it_is_used(more: str) -> None:
    before = dedent(_PROGRAM) + more + "\n"
    after = _fixed(before)
    assert f"{_RETURN}\n" in after
    assert after.endswith(f"{more}\n")
    assert "even = smooth(images).to(device)" in after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("host = batch.detach().cpu().numpy()", "batch = batch.cpu()\n    host = batch.numpy()"),
        (_RETURN, f"if not host.any():\n        return batch\n    {_RETURN}"),
        (
            "host = batch.detach().cpu().numpy()",
            "host = np.zeros((3, 4), np.float32)\n    if batch is not None:\n        host = batch.cpu().numpy()",
        ),
    ],
)
def test_what_the_argument_does_not_tell_moves_where_it_is_used(before: str, after: str) -> None:
    fixed = _fixed(dedent(_PROGRAM).replace(before, after))
    assert f"{_RETURN}\n" in fixed
    assert "batch.device" not in fixed
