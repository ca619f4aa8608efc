"""What is made in C++ without a word on where lies where what it is made of lies."""

from __future__ import annotations

import pytest
import torch

from devfix.simulator import simulated_accelerator


def test_what_a_sobol_engine_draws_is_on_the_host() -> None:
    with simulated_accelerator():
        engine = torch.quasirandom.SobolEngine(2, scramble=True, seed=1)  # type: ignore[no-untyped-call]
        layer = torch.nn.Linear(2, 1).cuda()
        for points in (engine.draw(4), engine.draw(4)):
            assert points.device.type == "cpu"
            with pytest.raises(RuntimeError, match="same device"):
                layer(points)
            assert layer(points.cuda()).is_cuda


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_results_lie_where_the_operand_does(device: str) -> None:
    other = {"cpu": "cuda", "cuda": "cpu"}[device]
    with simulated_accelerator():
        matrix = torch.eye(3, device=device)
        for result in (torch.logdet(matrix), matrix.logdet(), torch.linalg.matrix_rank(matrix)):
            elsewhere = torch.ones(2, device=other)
            with pytest.raises(RuntimeError, match="same device"):
                torch.stack([result.float(), elsewhere[0]])
            assert result.device.type == device


def test_a_build_for_cuda_keeps_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    with simulated_accelerator():
        assert torch.version.cuda == "13.0"
    with simulated_accelerator("none"):
        assert torch.version.cuda is None
    assert torch.version.cuda == "13.0"
