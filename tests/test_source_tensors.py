"""What a function makes of the numbers of a tensor is made where that tensor is."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import files, fix_texts

SCORES = """
import torch

SCORERS = {}


def scorer(fn):
    SCORERS[fn.__name__] = fn
    return fn


@scorer
def length(ids, eos):
    return (ids != eos).float().mean(-1)


@scorer
def distinct(ids, eos):
HERE
    return torch.tensor(scores)


def total(ids, weight):
    parts = {name: weight * fn(ids, 0) for name, fn in SCORERS.items()}
    return torch.stack(list(parts.values())).sum(0)
"""

MAIN = """
import torch
from scores import total

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
ids = torch.arange(12).view(3, 4).to(device)
print(total(ids, 0.5))
"""


def _fixed(body: str, main: str = MAIN) -> dict[str, str]:
    scores = SCORES.replace("HERE", body)
    return fix_texts(files(main, scores=scores))[0]


@pytest.mark.parametrize(
    "body",
    [
        "    scores = [len(set(row)) for row in ids.tolist()]",
        "    scores = []\n    for row in ids.tolist():\n        scores.append(len(set(row)))",
        "    rows = ids.cpu().numpy()\n    scores = list(map(len, map(set, rows)))",
        "    found = {}\n    for row in ids.tolist():\n        found[len(found)] = len(row)\n    scores = [*found.values()]",
    ],
)
def test_what_a_registered_function_makes_of_a_tensor_is_made_where_that_is(body: str) -> None:
    assert "    return torch.tensor(scores, device=ids.device)\n" in _fixed(body)["scores.py"]


@pytest.mark.parametrize(
    "body",
    [
        "    scores = [1.0, 2.0, 3.0]",
        "    ids = [[1, 2], [3, 3], [4, 5]]\n    scores = [len(set(row)) for row in ids]",
    ],
)
def test_what_is_made_of_something_else_tells_no_device(body: str) -> None:
    assert "ids.device" not in _fixed(body)["scores.py"]


def test_what_is_made_of_two_tensors_in_turn_goes_where_the_nearest_is() -> None:
    text = """
        import torch

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


        class Metric:
            def __call__(self, logits, labels):
                counts = {}
                for value in labels.tolist():
                    counts[value] = counts.get(value, 0) + 1
                share = torch.tensor([1.0 / counts[value] for value in labels.tolist()])
                return (logits.logsumexp(-1) * share).sum()


        print(Metric()(torch.randn(4, 3).to(device), torch.tensor([0, 1, 1, 2]).to(device)))
    """
    after = fix_texts({"main.py": dedent(text)})[0]["main.py"]
    assert "for value in labels.tolist()], device=labels.device)\n" in after


def test_what_the_host_reads_stays() -> None:
    main = MAIN.replace("print(total(ids, 0.5))", "print(total(ids.cpu(), 0.5).numpy())")
    body = "    scores = [len(set(row)) for row in ids.tolist()]"
    assert _fixed(body, main)["scores.py"] == SCORES.replace("HERE", body)
