"""What is written to at indices: they may be on an accelerator where the tensor is on the CPU, as the values may not."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """\
    import torch

    kept = torch.zeros(4, dtype=torch.long)
    seen = torch.rand(4, device="cuda")
    {}
    """


@pytest.mark.parametrize(
    "line",
    [
        "kept[seen > 0.5] = 1",
        "kept[(seen > 0.5) | (seen < 0.1)] = 1",
        "kept[torch.tensor([0, 1], device='cuda')] = 1",
        "kept[torch.tensor([0, 1], device='cuda')] = torch.ones(2, dtype=torch.long)",
    ],
)
def test_indices_of_the_accelerator_are_taken_along_where_something_is_written(line: str) -> None:
    assert clashes(PROGRAM.format(line)) == []


@pytest.mark.parametrize(
    "line",
    [
        "kept[seen > 0.5]",
        "kept[seen > 0.5] += 1",
        "kept[torch.tensor([0, 1], device='cuda')].sum()",
        "kept[torch.tensor([0, 1])] = torch.ones(2, dtype=torch.long, device='cuda')",
    ],
)
def test_what_is_read_at_them_and_the_values_must_fit(line: str) -> None:
    assert set(clashes(PROGRAM.format(line))) == {"5: device"}
