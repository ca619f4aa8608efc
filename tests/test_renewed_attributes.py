"""What an attribute is computed from itself again and again began somewhere: there it is made on the device."""

from __future__ import annotations

import pytest
from text_program import files, fix_texts

PROGRAM = """
    import torch
    from torch import nn

    class Adapted(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = nn.Linear(5, 1)
            self.context = None

        def reset(self):
            self.context = torch.zeros(2, requires_grad=True)

        def forward(self, x):
            return self.net(torch.cat((x, self.context.expand(x.shape[0], -1)), dim=1))

    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = Adapted().to(device)
        x, y = torch.ones(4, 3).to(device), torch.ones(4, 1).to(device)
        for _ in range(2):
            model.reset()
            for _ in range(3):
                loss = (model(x) - y).pow(2).mean()
                step = torch.autograd.grad(loss, model.context, create_graph=True)[0]
                {renewed}
        print(model(x).sum().item())

    main()
"""
MADE, AT_USE = "torch.zeros(2, requires_grad=True)", "self.context.expand(x.shape[0], -1)"


def repaired(renewed: str) -> tuple[str, str]:
    texts = files(PROGRAM.format(renewed=renewed))
    return texts["main.py"], fix_texts(texts)[0]["main.py"]


@pytest.mark.parametrize(
    "renewed",
    [
        "model.context = model.context - 0.1 * step",
        "model.context = (model.context - 0.1 * step).detach().requires_grad_()",
    ],
)
def test_it_is_made_where_the_module_is(renewed: str) -> None:
    before, after = repaired(renewed)
    moved = "torch.zeros(2, requires_grad=True, device=next(self.parameters()).device)"
    assert after == before.replace(MADE, moved)


def test_what_something_else_gives_it_moves_where_it_is_used() -> None:
    before, after = repaired("model.context = torch.rand(2, requires_grad=True) + 0 * step.cpu()")
    assert after != before
    assert f"{AT_USE}.to(x.device)" in after
