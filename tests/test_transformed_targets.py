"""A picture and its targets go through torchvision's second transforms together: a dict keeps its form, and its tensors their device."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

_TEXT = """
import torch
from torch.utils.data import DataLoader, Dataset
from torchvision import tv_tensors
from torchvision.models.detection import fcos_resnet50_fpn
from torchvision.transforms import v2


class Cells(Dataset):
    def __init__(self, augment):
        steps = [v2.RandomHorizontalFlip(0.5)] if augment else []
        steps += [v2.ToDtype(torch.float32, scale=True)]
        self.transforms = v2.Compose(steps)

    def __len__(self):
        return 4

    def __getitem__(self, i):
        picture = torch.zeros(3, 64, 64, dtype=torch.uint8)
        target = {{"boxes": {boxes}, "labels": torch.tensor([1])}}
        {given}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = fcos_resnet50_fpn(weights=None, weights_backbone=None).to(device)
for images, targets in DataLoader(Cells(True), 2, collate_fn=lambda samples: tuple(zip(*samples))):
    images = [t.to(device) for t in images]
    {moved}
    sum(model(images, targets).values()).backward()
"""
_BOXES = 'tv_tensors.BoundingBoxes([[1, 2, 5, 6]], format="XYXY", canvas_size=(64, 64), dtype=torch.float32)'
_MOVED = "targets = [{k: v.to(device) for k, v in t.items()} for t in targets]"
_GIVEN = [
    "return self.transforms(picture, target)",
    "return self.transforms((picture, target))",
    'sample = self.transforms({"picture": picture, "target": target})\n        return sample["picture"], sample["target"]',
    'boxes = self.transforms([target["boxes"], target["labels"]])\n        return picture, {"boxes": boxes[0], "labels": boxes[1]}',
]


@pytest.mark.parametrize("boxes", [_BOXES, "torch.tensor([[1.0, 2, 5, 6]])"])
@pytest.mark.parametrize("given", _GIVEN)
def test_targets_move_where_a_loop_takes_them(given: str, boxes: str) -> None:
    text = _TEXT.format(boxes=boxes, given=given, moved="pass")
    fixed = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert _MOVED in fixed
    assert not clashes(fixed)


@pytest.mark.parametrize("given", _GIVEN)
def test_targets_that_are_moved_stay(given: str) -> None:
    assert clashes(_TEXT.format(boxes=_BOXES, given=given, moved=_MOVED)) == []


@pytest.mark.parametrize(
    ("made", "meets"),
    [
        ("tv_tensors.BoundingBoxes(rows, format='XYXY', canvas_size=(8, 8))", True),
        ("tv_tensors.KeyPoints(rows, canvas_size=(8, 8))", True),
        ("tv_tensors.Mask(np.zeros((4, 4)))", True),
        ("tv_tensors.Mask(torch.zeros(4, 4, device='cuda'))", False),
        ("tv_tensors.BoundingBoxes(rows, format='XYXY', canvas_size=(8, 8), device='cuda')", False),
        ("tv_tensors.BoundingBoxes(rows, format='XYXY', canvas_size=(8, 8)).to('cuda')", False),
    ],
)
def test_what_holds_boxes_is_a_tensor_of_its_data(made: str, meets: bool) -> None:
    text = f"""
        import numpy as np
        import torch
        from torchvision import tv_tensors
        rows = [[1, 2, 3, 4]]
        held = {made}
        print(held * torch.rand(4, device="cuda"))
    """
    assert bool(clashes(text)) is meets


def test_a_number_beside_a_picture_is_handed_on_and_what_nobody_knows_stays_unknown() -> None:
    text = """
        import torch
        from torchvision.transforms import v2
        flip = v2.RandomHorizontalFlip(0.5)
        sample = flip({"x": torch.rand(3, 4, 4), "label": 3, "other": unknown()})
        weights = torch.rand(4, device="cuda")
        print(weights * sample["label"], weights * sample["other"])
        print(weights * sample["x"])
    """
    assert clashes(text) == ["8: device"]
