"""Operators of torchvision on the simulated accelerator; they are declared here where torchvision is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from devfix.simulator import simulated_accelerator

BOXES = torch.tensor([[0.0, 0.0, 0.0, 4.0, 4.0]])


@pytest.fixture(scope="module", autouse=True)
def operators() -> Iterator[None]:
    """Operators with the signatures of torchvision's, which need no more than these to be told apart."""
    library: Any = torch.library.Library("torchvision", "FRAGMENT")  # type: ignore[no-untyped-call]
    library.define("roi_pool(Tensor input, Tensor rois, float spatial_scale) -> Tensor")
    library.impl("roi_pool", lambda image, rois, scale: image.new_zeros(len(rois), image.shape[1]), "CPU")
    library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    library.impl("nms", _sorted, "CPU")
    yield
    library._destroy()


def _sorted(boxes: torch.Tensor, scores: torch.Tensor, _threshold: float) -> torch.Tensor:
    """What the CPU says of boxes and scores, without a look at how they overlap."""
    if boxes.dtype != scores.dtype:
        raise RuntimeError("dets should have the same type as scores")
    return scores.argsort(descending=True)


def test_a_box_on_the_cpu_is_refused_in_its_words() -> None:
    with simulated_accelerator("cuda"):
        image = torch.zeros(1, 2, 8, 8, device="cuda")
        with pytest.raises(RuntimeError, match="rois must be a CUDA tensor"):
            torch.ops.torchvision.roi_pool(image, BOXES, 1.0)
        with pytest.raises(RuntimeError, match="input must be a CUDA tensor"):
            torch.ops.torchvision.roi_pool(image.cpu(), BOXES.cuda(), 1.0)


def test_what_is_in_one_place_is_computed_there() -> None:
    with simulated_accelerator("cuda"):
        image = torch.zeros(1, 2, 8, 8, device="cuda")
        assert torch.ops.torchvision.roi_pool(image, BOXES.cuda(), 1.0).device.type == "cuda"
        assert torch.ops.torchvision.roi_pool(image.cpu(), BOXES, 1.0).device.type == "cpu"


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_boxes_are_sorted_by_scores_of_another_dtype_on_an_accelerator_alone(dtype: torch.dtype) -> None:
    boxes, scores = torch.rand(3, 4, dtype=dtype), torch.tensor([0.1, 0.3, 0.2], dtype=torch.float32)
    with simulated_accelerator("cuda"):
        kept = torch.ops.torchvision.nms(boxes.cuda(), scores.cuda(), 0.5)
        assert (kept.device.type, kept.tolist()) == ("cuda", [1, 2, 0])
        with pytest.raises(RuntimeError, match="same type"):
            torch.ops.torchvision.nms(boxes.long().cuda(), scores.cuda(), 0.5)
        if dtype != scores.dtype:
            with pytest.raises(RuntimeError, match="same type"):
                torch.ops.torchvision.nms(boxes, scores, 0.5)
