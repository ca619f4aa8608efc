"""torchvision's detectors take lists of images and of dicts; only what they compute with has to be beside them."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

SETUP = """
import torch
from torch.utils.data import DataLoader, Dataset
from torchvision.models.detection import fasterrcnn_resnet50_fpn
class Boxes(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, i):
        target = {"boxes": torch.tensor([[0.0, 0.0, 9.0, 9.0]]), "labels": torch.tensor([1]), "image_id": torch.tensor(i)}
        return torch.rand(3, 64, 64), target
def collate(batch):
    return tuple(zip(*batch))
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = fasterrcnn_resnet50_fpn(weights=None).to(device)
loader = DataLoader(Boxes(), 2, collate_fn=collate)
"""
TRAIN = """
for images, targets in loader:
    images = [image.to(device) for image in images]
    losses = model(images, targets)
    sum(losses.values()).backward()
"""
EVALUATE = """
model.eval()
for images, targets in loader:
    found = model(images)
    print(found[0]["boxes"].cpu())
"""


def test_targets_on_the_cpu_meet_a_trained_detector() -> None:
    assert clashes(SETUP + TRAIN) == ["19: device"]
    after = fix_texts({"train.py": SETUP + TRAIN})[0]["train.py"]
    assert "    targets = [{k: v.to(device) for k, v in t.items()} for t in targets]\n" in after


def test_images_on_the_cpu_meet_it_too_and_targets_nobody_reads_stay() -> None:
    assert clashes(SETUP + EVALUATE) == ["19: device"]
    after = fix_texts({"train.py": SETUP + EVALUATE})[0]["train.py"]
    assert "    images = [t.to(device) for t in images]\n" in after
    assert "targets = " not in after


@pytest.mark.parametrize(
    "targets",
    [
        "[{k: v.to(device) for k, v in t.items()} for t in targets]",
        '[{"boxes": t["boxes"].to(device), "labels": t["labels"].to(device), "image_id": t["image_id"]} for t in targets]',
    ],
)
def test_moved_targets_are_left_alone_wherever_their_other_entries_are(targets: str) -> None:
    program = TRAIN.replace("    losses", f"    targets = {targets}\n    losses")
    assert clashes(SETUP + program) == []


def test_a_detector_that_is_evaluated_reads_no_targets() -> None:
    program = "model.eval()\n" + TRAIN.replace("sum(losses.values()).backward()", "print(len(losses))")
    assert clashes(SETUP + program) == []


def test_what_it_finds_is_beside_it() -> None:
    program = EVALUATE.replace("model(images)", "model([image.to(device) for image in images])")
    assert clashes(SETUP + program) == []
    assert clashes(SETUP + program.replace(".cpu()", ".numpy()")) == ["20: numpy"]


KEPT = """
class Kept(Dataset):
    def __init__(self):
        self.items = []
        for i in range(4):
            target = {"boxes": torch.rand(1, 4)WHERE, "labels": torch.tensor([1])WHERE}
            self.items.append((torch.rand(3, 64, 64), target))
    def __len__(self):
        return 4
    def __getitem__(self, i):
        return self.items[i]
loader = DataLoader(Kept(), 2, collate_fn=collate)
"""


def test_targets_that_a_loop_made_are_known_whichever_it_is() -> None:
    assert clashes(SETUP + KEPT.replace("WHERE", "") + TRAIN) == ["31: device"]
    assert clashes(SETUP + KEPT.replace("WHERE", ".to(device)") + TRAIN) == []
