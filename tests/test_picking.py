"""What selects rows of a table on the CPU stays there itself."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

from devfix.findings import Applicability

MAIN = """
    import torch
    from torch import nn
    from shapes import Shapes

    {device}
    def main():
        shapes = Shapes()
        model = nn.Linear(3, 9){to}
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for rows in torch.randperm(9).split(3):
            x = {x}
            loss = {loss}(model(x), rows)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    main()
"""
DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
SHAPES = """
    import torch

    class Shapes:
        def __init__(self):
            self.images = torch.randn(9, 3)

        def __len__(self):
            return 9
"""
LOSS = """
    import torch

    class Loss:
        def __init__(self):
            self.smoothing = 0.1

        def __call__(self, scores, rows):
            return torch.nn.functional.cross_entropy(scores, rows, label_smoothing=self.smoothing)
"""


def added(x: str, loss: str = "nn.functional.cross_entropy", *, adopt: bool = True) -> list[str]:
    """The lines that the repair adds to the program's loop."""
    device, to = ("", "") if adopt else (DEVICE, ".to(device)")
    main = MAIN.format(x=x, loss=loss, device=device, to=to)
    texts = files(
        main.replace("Shapes\n", "Shapes\n    from losses import Loss\n", 1), shapes=SHAPES, losses=LOSS
    )
    after = fix_texts(texts, Applicability.UNSAFE, adopt=adopt)[0]
    lines = after["main.py"].splitlines()
    lines = lines[[line.lstrip().startswith("for ") for line in lines].index(True) :]
    return [line.strip() for line in lines if line not in texts["main.py"].splitlines()]


@pytest.mark.parametrize("adopt", [True, False])
@pytest.mark.parametrize("more", ["", " + 0.1"])
def test_as_a_target_it_moves_there(more: str, adopt: bool) -> None:
    x, loss = added(f"shapes.images[rows]{more}", adopt=adopt)
    assert x in (f"x = shapes.images[rows].to(device){more}", f"x = (shapes.images[rows]{more}).to(device)")
    assert loss == "loss = nn.functional.cross_entropy(model(x), rows.to(device))"


def test_it_moves_where_it_is_handed_to_a_loss() -> None:
    assert added("shapes.images[rows]", "Loss()") == [
        "x = shapes.images[rows].to(device)",
        "loss = Loss()(model(x), rows.to(device))",
    ]


@pytest.mark.parametrize("x", ["shapes.images[:3]", "torch.randn(3, 3)"])
def test_one_that_selects_nothing_moves_at_once(x: str) -> None:
    assert "for rows in torch.randperm(9).to(device).split(3):" in added(x)
