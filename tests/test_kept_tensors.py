"""Where nothing in sight names the device, a tensor that the object keeps on it does."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

POINTS = """
    import torch

    class Points:
        def __init__(self, n{parameters}):
            self.points = {first}

        {mover}

        def refine(self, score, pool):
            cand = torch.rand(pool, 2)
            worst = score(cand).topk(3).indices
            self.points = torch.cat([self.points[3:], cand[worst]])
"""
MAIN = """
    import torch
    from points import Points

    device = torch.device("cuda")
    points = {made}
    net = torch.nn.Linear(2, 1).to(device)

    def score(p):
        return net(p).squeeze(1).detach()

    points.refine(score, 20)
    print(net(points.points).sum())
"""
TO = "def to(self, device):\n            self.points = self.points.to(device)\n            return self"
CAND = "cand = torch.rand(pool, 2).to(self.points.device)"


def added(**parts: str) -> list[str]:
    """The lines that the repair adds."""
    usual = {"first": "torch.rand(n, 2)", "parameters": "", "mover": TO, "made": "Points(9).to(device)"}
    written = {**usual, **parts}
    texts = files(MAIN.format(**written), points=POINTS.format(**written))
    after = fix_texts(texts)[0]
    lines = [(line, path) for path in texts for line in after[path].splitlines() if line.strip()]
    return [line.strip() for line, path in lines if line not in texts[path].splitlines()]


@pytest.mark.parametrize(
    ("first", "parameters", "mover", "made"),
    [
        ("torch.rand(n, 2)", "", TO, "Points(9).to(device)"),
        ("torch.rand(n, 2)", "", TO.replace("def to(", "def place("), "Points(9).place(device)"),
        ("torch.rand(n, 2).to(place)", ", place", "", "Points(9, device)"),
        ("torch.rand(n, 2)", "", "def cuda(self):\n            self.points = self.points.cuda()\n            return self", "Points(9).cuda()"),
    ],
)  # fmt: skip
def test_what_a_method_draws_goes_where_the_points_are(
    first: str, parameters: str, mover: str, made: str
) -> None:
    lines = added(first=first, parameters=parameters, mover=mover, made=made)
    assert lines == [CAND]


def test_an_object_that_stays_on_the_host_says_nothing() -> None:
    lines = added(made="Points(9)")
    assert not any("self.points.device" in line for line in lines)


def test_what_is_sometimes_no_tensor_says_nothing() -> None:
    mover = f"{TO}\n\n        def drop(self):\n            self.points = None"
    lines = added(mover=mover, made="Points(9).to(device)\n    points.drop() if input() else None")
    assert not any("self.points.device" in line for line in lines)
