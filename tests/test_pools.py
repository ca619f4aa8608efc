"""Pools that fill up: what comes out of them is on the device that it was put there from, or not."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import random
import torch

class Pool:
    def __init__(self, size):
        self.size, self.images = size, []

    def query(self, images):
        out = []
        for image in images:
            if len(self.images) < self.size:
                self.images.append(image{kept})
                out.append(image)
            elif {test}:
                old = self.images[0].clone()
                self.images[0] = image{kept}
                out.append(old{taken})
            else:
                out.append(image)
        return torch.stack(out)

pool = Pool(4)
for _ in range(8):
    pool.query(torch.rand(3, 2, device="cuda"))
"""


@pytest.mark.parametrize(
    "test", ["random.uniform(0, 1) > 0.5", "random.random() < 0.5", "image.mean() > 0.1"]
)
def test_old_images_meet_new_ones(test: str) -> None:
    assert set(clashes(PROGRAM.format(kept=".cpu()", test=test, taken=""))) == {"21: device"}


@pytest.mark.parametrize(("kept", "taken"), [("", ""), (".cpu()", ".cuda()"), (".detach()", "")])
def test_images_that_stay_or_return(kept: str, taken: str) -> None:
    assert clashes(PROGRAM.format(kept=kept, test="random.random() < 0.5", taken=taken)) == []
