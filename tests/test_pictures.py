"""What OpenCV and Pillow read is bytes: numbers that come of them are float64 unless something says otherwise."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import cv2
import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

class Pictures(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        {read}
        return torch.from_numpy({array}).permute(2, 0, 1)

net = torch.nn.Conv2d(3, 4, 3)
for x in DataLoader(Pictures(["a.png"]), batch_size=2):
    print(net(x).sum())
"""
OPENED = 'picture = Image.open(self.paths[index]).convert("RGB")'
READ = "picture = cv2.imread(self.paths[index])"


def _program(read: str, array: str) -> str:
    return PROGRAM.format(read=read, array=array)


@pytest.mark.parametrize(
    ("read", "array"),
    [
        (OPENED, "np.array(picture) / 255"),
        (OPENED, "np.asarray(picture.resize((32, 32)).crop((0, 0, 8, 8))) * (1 / 255.0)"),
        (
            f"with Image.open(self.paths[index]) as file:\n            {OPENED}",
            "np.array(picture) / 255.0 - 0.5",
        ),
        (READ, "picture / 255"),
        (
            READ + "\n        picture = cv2.resize(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), (8, 8))",
            "picture / 255.0",
        ),
        ("picture = cv2.imread(self.paths[index], cv2.IMREAD_COLOR)", "picture / 255"),
    ],
)
def test_a_share_of_bytes_is_float64(read: str, array: str) -> None:
    text = _program(read, array)
    assert [each.rpartition(" ")[2] for each in clashes(text)] == ["dtype"]
    fixed = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert fixed.count("float") == 1
    assert not clashes(fixed)


@pytest.mark.parametrize(
    ("read", "array"),
    [
        (OPENED, "np.array(picture, dtype=np.float32) / 255"),
        (OPENED, "np.array(picture).astype(np.float32) / 255"),
        (OPENED.replace("RGB", "F"), "np.array(picture) / 255"),
        (OPENED.replace('.convert("RGB")', ""), "np.array(picture) / 255"),
        (OPENED.replace('"RGB"', "self.mode"), "np.array(picture) / 255"),
        ("picture = cv2.imread(self.paths[index], cv2.IMREAD_UNCHANGED)", "picture / 255"),
        ("picture = cv2.imread(self.paths[index], -1)", "picture / 255"),
        (READ + "\n        picture = cv2.resize(picture.astype(np.float32), (8, 8))", "picture / 255"),
        (READ + "\n        picture = cv2.normalize(picture, None)", "picture / 255"),
    ],
)
def test_other_modes_and_flags_may_be_float32(read: str, array: str) -> None:
    assert not clashes(_program(read, array))


@pytest.mark.parametrize("given", ["picture", "picture.resize((8, 8))", "np.array(picture)"])
def test_a_transform_makes_float32_of_a_picture(given: str) -> None:
    head = "from torchvision import transforms\nturn = transforms.Compose([transforms.ToTensor()])\n"
    text = head + _program(OPENED, "").replace("torch.from_numpy().permute(2, 0, 1)", f"turn({given})")
    assert not clashes(text)
    assert clashes(text.replace("net(x)", "net(x.double())"))


def test_what_is_told_of_a_picture_is_no_tensor() -> None:
    size = "\n        width, height = picture.size\n        label = torch.tensor(width * picture.height)"
    text = _program(OPENED + size, "np.array(picture, np.float32)")
    assert not clashes(text)
