"""Models of sentence-transformers go to the accelerator by themselves, and answer with arrays or with tensors there."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import numpy as np
import torch
from sentence_transformers import SentenceTransformer, util

model = SentenceTransformer("small"{told})
found = model.{encoded}
head = torch.nn.Linear(9, 2).{placed}()
{used}
"""
_TENSOR = "encode(['a', 'b'], convert_to_tensor=True)"


def _program(used: str, encoded: str = _TENSOR, told: str = "", placed: str = "cuda") -> str:
    return PROGRAM.format(used=used, encoded=encoded, told=told, placed=placed)


@pytest.mark.parametrize("encoded", [_TENSOR, "encode_query('a', convert_to_tensor=True, batch_size=4)"])
@pytest.mark.parametrize("told", ["", ", device='cuda'", ", None, 'cuda'", ", device=None"])
def test_tensors_are_beside_the_model(encoded: str, told: str) -> None:
    text = _program("rows = found.numpy()", encoded, told)
    assert fix_texts({"main.py": text})[0]["main.py"] == _program("rows = found.cpu().numpy()", encoded, told)
    assert clashes(_program("head(found)", encoded, told)) == []


def test_a_model_on_the_host_answers_there() -> None:
    assert clashes(_program("rows = found.numpy()", told=", device='cpu'")) == []
    assert clashes(_program("head(found)", told=", device='cpu'"))
    moved = _program("head(model.to('cuda').encode('a', convert_to_tensor=True))", told=", device='cpu'")
    assert clashes(moved) == []


def test_arrays_are_on_the_host() -> None:
    text = _program("head(torch.from_numpy(found))", "encode(['a'])")
    assert clashes(text) == ["9: device"]
    assert clashes(_program("head(torch.from_numpy(found).cuda())", "encode(['a'])")) == []
    assert clashes(_program("rows = np.stack([found, found])", "encode(['a'])")) == []


@pytest.mark.parametrize("compared", ["util.cos_sim({})", "util.dot_score({})", "model.similarity({})"])
def test_what_is_compared_is_in_one_place(compared: str) -> None:
    assert clashes(_program(compared.format("found, found.cpu()")))
    assert clashes(_program(compared.format("found, found[:1]"))) == []
    assert clashes(_program(compared.format("found, found.cpu().numpy()"))) == []


@pytest.mark.parametrize(
    "used",
    [
        "rows = model.encode('a', convert_to_tensor=True, device='cpu').numpy()",
        "rows = model.encode('a', convert_to_numpy=False)",
        "rows = model.encode('a', output_value='token_embeddings', convert_to_tensor=True)[0].numpy()",
        # What the fourth is depends on the version of the library.
        "rows = model.encode('a', 8, False, 'token_embeddings', convert_to_tensor=True)[0].numpy()",
        "rows = model({'input_ids': found})['sentence_embedding'].numpy()",
    ],
)
def test_of_other_answers_nothing_is_known(used: str) -> None:
    assert clashes(_program(used)) == []


def test_nobody_knows_where_else_a_model_is_placed() -> None:
    told = ", model_kwargs={'device_map': 'auto'}"
    assert clashes(_program("rows = found.numpy()", told=told)) == []
