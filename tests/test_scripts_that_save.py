"""A file that goes by another name is the only one that is saved where no script is still to be run that saves one, too."""

from __future__ import annotations

import pytest
from text_program import check_texts, names

HEAD = """import numpy as np
import torch
from torch import nn

from common import device
"""
COMMON = """import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
TRAINED = f"""{HEAD}
model = nn.Linear(4, 1).to(device)
path = open("runs.txt").readline()
torch.save({{"mean": model.weight.detach()}}, path)
"""
READS = f"""{HEAD}
path = open("best.txt").readline()
found = torch.load(path, map_location=device, weights_only=False)
print(np.asarray(found["mean"], dtype=np.float32))
"""
SAVES = """import numpy as np
import torch

from common import device

path = open("best.txt").readline()
torch.save({"mean": np.zeros(3)}, path)
"""


def test_the_only_file_is_the_one_that_is_read() -> None:
    texts = {"common.py": COMMON, "a_trains.py": TRAINED, "b_reads.py": READS}
    assert "numpy-of-device-tensor" in names(check_texts(texts))


@pytest.mark.parametrize("path", ["c_saves.py", "a_saves.py", "tools/saves.py"])
def test_another_script_may_have_written_what_is_read(path: str) -> None:
    texts = {"common.py": COMMON, "a_trains.py": TRAINED, "b_reads.py": READS, path: SAVES}
    assert "numpy-of-device-tensor" not in names(check_texts(texts))
