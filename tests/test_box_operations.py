"""Functions of ``torchvision.ops``: boxes meet boxes and scores, and what comes out is where they are."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """import torch
from torchvision import ops
from torchvision.ops import batched_nms, box_iou, nms
from torchvision.ops.boxes import box_area

boxes, there = torch.rand(4, 4), torch.rand(3, 4, device="cuda")
scores, labels = torch.rand(3, device="cuda"), torch.zeros(3, dtype=torch.int64)
"""


@pytest.mark.parametrize(
    "line",
    [
        "box_iou(boxes, there)",
        "ops.generalized_box_iou_loss(there, boxes)",
        "ops.sigmoid_focal_loss(there, torch.zeros(3, 4))",
        "nms(torch.rand(3, 4), scores, 0.5)",
        "batched_nms(torch.rand(3, 4), scores, labels, 0.5)",
        "ops.roi_align(torch.rand(1, 3, 8, 8, device='cuda'), [boxes], 2)",
        "there[:, 0] + box_area(torch.rand(3, 4))",
        "there + ops.box_convert(boxes[:3], 'xyxy', 'xywh')",
    ],
)
def test_what_meets(line: str) -> None:
    assert len(clashes(f"{HEAD}print({line})\n")) == 1


@pytest.mark.parametrize(
    "line",
    [
        "box_iou(boxes, boxes)",
        "boxes[nms(boxes, torch.rand(4), 0.5)]",
        # The classes are brought to the boxes, and a list may hold what nobody knows.
        "batched_nms(there, scores, labels, 0.5)",
        "there + ops.box_iou(there, there).mean() + ops.sigmoid_focal_loss(boxes, boxes, reduction='mean')",
        "ops.roi_align(torch.rand(1, 3, 8, 8, device='cuda'), input(), 2)",
        "ops.unknown(boxes, there)",
    ],
)
def test_what_is_right_stays_so(line: str) -> None:
    assert not clashes(f"{HEAD}print({line})\n")


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("nms(there.half(), scores, 0.5)", []),
        ("nms(there.double(), scores, 0.5)", []),
        ("nms(boxes.half(), torch.rand(4), 0.5)", ["dtype"]),
        ("ops.ps_roi_align(torch.rand(1, 4, 8, 8, device='cuda'), [there.half()], 2)", ["dtype"]),
        (
            "ops.sigmoid_focal_loss(there, torch.zeros(3, 4, dtype=torch.int64, device='cuda'))",
            ["target-dtype"],
        ),
        ("torch.rand(3, 3) @ box_iou(boxes.half(), boxes.half())", []),
        ("torch.rand(4, 4).half() @ ops.box_convert(boxes.long(), 'xyxy', 'cxcywh')", []),
        ("torch.rand(4, 4).half() @ box_iou(boxes, boxes)", ["dtype"]),
    ],
)
def test_dtypes_that_an_h200_was_asked_of(line: str, kinds: list[str]) -> None:
    assert [clash.partition(": ")[2] for clash in clashes(f"{HEAD}print({line})\n")] == kinds
