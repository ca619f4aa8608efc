"""Index types: which integers an operation looks up places by, asked of PyTorch itself."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

HEAD = """\
import torch
import torch.nn.functional as F

table = torch.randn(4, 3)
places = torch.zeros(4, 1, dtype=torch.{dtype})
"""
LOOKUPS = [
    "table.gather(1, places)",
    "torch.scatter(table, 1, places, 1.0)",
    "table.scatter_add(1, places, torch.ones(4, 1))",
    "table.index_select(0, places.view(-1))",
    "table.index_add(0, places.view(-1), table)",
    "table.index_copy(0, places.view(-1), table)",
    "table.index_fill(0, places.view(-1), 0.0)",
    "table.take(places)",
    "torch.take_along_dim(table, places, 1)",
    "F.one_hot(places.view(-1), 3)",
    "F.embedding(places, table)",
    "torch.nn.Embedding(4, 3)(places)",
]
DTYPES = ["uint8", "bool", "int8", "int16", "int32", "int64", "float32", "float64", "uint16"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lookup", LOOKUPS)
def test_what_pytorch_refuses_is_found_and_nothing_else(lookup: str, dtype: str) -> None:
    text = f"{HEAD.format(dtype=dtype)}{lookup}\n"
    try:
        exec(compile(text, "main.py", "exec"), {})
        refused = False
    except (RuntimeError, IndexError):
        refused = True
    assert clashes(text) == (["6: index-dtype"] if refused else [])


def test_an_index_of_bytes_is_cast_where_it_is_used() -> None:
    text = """\
import numpy as np
import torch

kept = np.empty(10, dtype=np.uint8)
chosen = torch.from_numpy(kept[[1, 2]]).view(-1, 1)
print(torch.randn(2, 4).gather(1, chosen))
"""
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert after["main.py"].splitlines()[-1] == "print(torch.randn(2, 4).gather(1, chosen.long()))"
    assert fix_texts(after, Applicability.UNSAFE)[0] == after


@pytest.mark.parametrize("stored", ["np.uint16", "'uint16'", "np.dtype('<u2')"])
def test_tokens_that_a_file_stores_as_two_bytes_are_cast_for_an_embedding(stored: str) -> None:
    text = f"""\
import numpy as np
import torch

data = np.memmap("train.bin", dtype={stored}, mode="r")
starts = torch.randint(len(data) - 9, (4,))
x = torch.stack([torch.from_numpy(data[i : i + 8]) for i in starts])
model = torch.nn.Embedding(20, 3)
print(model(x))
"""
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert clashes(text) == ["8: index-dtype"]
    assert clashes(after["main.py"]) == []


@pytest.mark.parametrize("use", ["(data + 1)", "data.astype(np.int64)", "np.maximum(data, 0)"])
def test_what_is_computed_of_stored_tokens_may_be_an_index(use: str) -> None:
    text = f"""\
import numpy as np
import torch

data = np.memmap("train.bin", dtype=np.uint16, mode="r")
print(torch.nn.Embedding(20, 3)(torch.from_numpy({use}[:4])))
"""
    assert clashes(text) == []


def test_an_index_of_a_type_that_nobody_knows_is_left_alone() -> None:
    text = "import torch\n\n\ndef pick(table, places):\n    return table.gather(1, places)\n"
    assert clashes(text) == []


@pytest.mark.parametrize(
    ("mask", "index", "found"),
    [
        ("x > 2", "mask.cumsum(1) - 1", []),
        ("x > 2", "torch.cumsum(mask, dim=1) - 1", []),
        ("(x > 2).to(torch.uint8)", "mask.cumprod(1)", []),
        ("x", "x.cumsum(1)", ["6: index-dtype"]),
        ("x > 2", "mask.flip(1)", ["6: index-dtype"]),
    ],
)
def test_what_counts_along_a_dimension_counts_in_whole_numbers(
    mask: str, index: str, found: list[str]
) -> None:
    text = f"""import torch

x = torch.rand(3, 4)
mask = {mask}
index = {index}
x.gather(1, index)
"""
    assert clashes(text) == found


@pytest.mark.parametrize(
    ("number", "fits"),
    [
        ("149 << 23", True),
        ("(1 << 8) - 1", True),
        ("0x7F & 3", True),
        ("1 << 1000", True),
        ("2 ** -1", False),
        ("149 / 23", False),
    ],
)
def test_what_is_made_of_bits_is_a_whole_number(number: str, fits: bool) -> None:
    text = f"""import torch

x = torch.ones(3, dtype=torch.int32)
x -= {number}
"""
    assert clashes(text) == ([] if fits else ["4: in-place-dtype"])
