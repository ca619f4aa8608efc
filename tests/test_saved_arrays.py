"""What a program writes to files of NumPy, pickle and joblib, it reads from there."""

from __future__ import annotations

from pathlib import Path

import pytest
from reality import lies
from text_program import clashes, fix_texts

from devfix.findings import Applicability

WRITTEN = """
import io
import os
import pickle
from pathlib import Path

import numpy as np
import torch

class Store:
    def __init__(self, folder):
        self.folder = folder
        self.path = os.path.join(folder, "own.npy")

    def write(self, rows):
        np.save(self.path, rows)
        np.savez(os.path.join(self.folder, "two.npz"), rows=rows, kinds=rows.astype(np.int32))

    def read(self):
        two = np.load(os.path.join(self.folder, "two.npz"))
        return np.load(self.path), two["rows"], two["kinds"]

def through(path, value):
    with open(path, "wb") as file:
        pickle.dump(value, file)
    with open(path, "rb") as file:
        return pickle.load(file)

np.save("wide", np.zeros((2, 3)))
wide = np.load("wide.npy")
np.save(Path("folder") / "narrow.npy", wide.astype(np.float32))
narrow = np.load(os.path.join("folder", "narrow.npy"))
np.savez_compressed("several.npz", wide, half=wide.astype(np.float16), counts=[1, 2])
several = np.load("several.npz")
first, half, counts = several["arr_0"], several["half"], several["counts"]
with np.load("several.npz") as again:
    once_more = again["half"]
store = Store("folder")
store.write(wide)
own, rows, kinds = store.read()
mapping = through("mapping.pkl", {"x": wide, "t": torch.ones(2, dtype=torch.float16), "n": [1.5]})
x, t = mapping["x"], mapping["t"]
pair = through("pair.pkl", (narrow, {"x": wide}))
inner = pair[1]["x"]
del several, again
buffer = io.BytesIO()
np.savez(buffer, rows=wide, kinds=wide.astype(np.int32))
buffer.seek(0)
in_memory = np.load(buffer)
wide_rows, int_kinds = in_memory["rows"], in_memory["kinds"]
copied = io.BytesIO()
torch.save({"t": torch.ones(2, dtype=torch.float16)}, copied)
half_tensor = torch.load(io.BytesIO(copied.getvalue()))["t"]
overwritten = io.BytesIO()
np.save(overwritten, wide)
overwritten.seek(0)
np.save(overwritten, narrow)
overwritten.seek(0)
later = np.load(overwritten)
del buffer, in_memory, copied, overwritten
"""


def test_what_is_read_is_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    assert lies(WRITTEN) == []


HEAD = """\
import io, os
import pickle
import numpy as np
import torch

net = torch.nn.Linear(3, 2).cuda()


def run(rows):
    net(torch.from_numpy(rows).cuda())


class Store:
    def __init__(self, folder):
        self.folder = folder

    def write(self, rows):
        np.save(self.folder + "/rows.npy", rows)

    def read(self):
        return np.load(os.path.join(self.folder, "rows.npy"))


def find(name):
    return os.environ[name]


"""
CLASHES = [
    'np.save("a", np.zeros((2, 3)))\nrun(np.load("./a.npy"))\n',
    'np.savez("a", rows=np.zeros((2, 3)))\nrun(np.load("a.npz")["rows"])\n',
    'path = find("A")\nnp.save(path, np.zeros((2, 3)))\nrun(np.load(path))\n',
    'np.save("a.npy", np.zeros((2, 3)))\nnp.save("b.npy", np.zeros(3, "float32"))\nrun(np.load("a.npy"))\n',
    'store = Store(find("A"))\nstore.write(np.zeros((2, 3)))\nrun(store.read())\n',
    'import joblib\njoblib.dump([np.zeros((2, 3))], "a")\nrun(joblib.load("a")[0])\n',
    "file = io.BytesIO()\nnp.save(file, np.zeros((2, 3)))\nfile.seek(0)\nrun(np.load(file))\n",
    "file = io.BytesIO()\nnp.save(file, np.zeros((2, 3)))\nrun(np.load(io.BytesIO(file.getvalue())))\n",
    'torch.save((np.zeros((2, 3)), {}), "a.pt")\nrun(torch.load("a.pt", weights_only=False)[0])\n',
]


@pytest.mark.parametrize("text", CLASHES)
def test_a_file_has_the_dtype_that_was_written(text: str) -> None:
    assert clashes(HEAD + text) == ["10: dtype"]


@pytest.mark.parametrize(
    "text",
    [
        'run(np.load("a.npy"))\nnp.save("a.npy", np.zeros((2, 3)))\n',
        'np.save("a.npy", np.zeros((2, 3)))\nrun(np.load("b/a.npy"))\n',
        'np.save("a.npy", np.zeros((2, 3)))\nnp.save("a.npy", np.zeros(3, "float32"))\nrun(np.load("a.npy"))\n',
        'np.save("a.npy", np.zeros((2, 3)))\nrun(np.load("a.npy").astype("float32"))\n',
        'np.save(find("A"), np.zeros((2, 3)))\nrun(np.load(find("A")))\n',
        'one, two = Store(find("A")), Store(find("B"))\none.write(np.zeros((2, 3)))\nrun(two.read())\n',
        'np.savez("a", rows=np.zeros((2, 3)))\nrun(np.load("a.npz")["other"])\n',
        'np.save("a.npy", np.zeros((2, 3)))\nrun(pickle.load(open("a.npy", "rb")))\n',
        'np.save("a.npy", np.zeros((2, 3)))\nos.replace("b.npy", "a.npy")\nrun(np.load("a.npy"))\n',
        'np.save("a.npy", np.zeros((2, 3)))\nos.chdir("elsewhere")\nrun(np.load("a.npy"))\n',
    ],
)
def test_another_file_or_an_older_one_says_nothing(text: str) -> None:
    assert clashes(HEAD + text) == []


def test_a_name_that_others_have_later_names_no_file() -> None:
    text = """
    def convert(path):
        run(np.load(path))
        np.save(path, np.zeros((2, 3)))

    convert(find("A"))
    convert(find("B"))
    for name in os.listdir():
        path = os.path.join("rows", name)
        run(np.load(path))
        np.save(path, np.zeros((2, 3)))
    for name in os.listdir():
        run(np.load(name))
        np.save(f"{name}", np.zeros((2, 3)))
    """
    assert clashes(HEAD + "\n".join(line[4:] for line in text.splitlines())) == []


def test_the_cast_is_made_where_the_array_enters_torch() -> None:
    text = """\
import pickle
import numpy as np
import torch

with open("data.pkl", "wb") as file:
    pickle.dump({"rows": np.zeros((2, 3)), "mean": torch.zeros(3).double()}, file)
with open("data.pkl", "rb") as file:
    data = pickle.load(file)
net = torch.nn.Linear(3, 2)
net(torch.from_numpy(data["rows"]))
net(data["mean"])
"""
    fixed, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert fixed["main.py"].splitlines()[-2:] == [
        'net(torch.from_numpy(data["rows"]).float())',
        'net(data["mean"].float())',
    ]


def test_a_file_that_numpy_wrote_is_none_that_torch_reads() -> None:
    text = """
    import numpy as np
    import torch

    def load(path):
        return torch.load(path)

    torch.save({"x": torch.ones(3)}, "a.pt")
    np.save("b.npy", np.zeros(3))
    torch.ones(3, device="cuda") + load(input())["x"]
    """
    assert clashes(text) == ["10: device"]
