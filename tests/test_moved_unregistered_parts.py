"""What a module does not register is where the module's own methods bring it, which nobody can tell before they are called."""

from __future__ import annotations

import pytest
from text_program import check_texts, names

PROGRAM = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, kinds):
        super().__init__()
        self.body = nn.Linear(3, 3)
        {made}

{method}
    def forward(self, x, kind):
        return {used}
"""
MAPPED = "self.heads = {kind: nn.Linear(3, 1) for kind in kinds}"
LISTED = "self.heads = [nn.Linear(3, 1) for _ in range(2)]"
DRAWN = "self.noise = torch.distributions.Normal(0.0, 1.0)"
OF_MAPPED, OF_LISTED = "self.heads[kind](self.body(x))", "[head(self.body(x)) for head in self.heads]"
OF_DRAWN = "self.body(x) + self.noise.sample(x.shape)"


def _method(name: str, *lines: str) -> str:
    head = f"    def {name}(self, *args, **kwargs):\n"
    return (
        head
        + "".join(f"        {line}\n" for line in lines)
        + f"        return super().{name}(*args, **kwargs)\n"
    )


MOVED = [
    (MAPPED, OF_MAPPED, _method("cuda", "for kind in self.heads:", "    self.heads[kind].cuda(*args)")),
    (MAPPED, OF_MAPPED, _method("to", "for head in self.heads.values():", "    head.to(*args, **kwargs)")),
    (MAPPED, OF_MAPPED, _method("to", "for _, head in self.heads.items():", "    head.to(*args, **kwargs)")),
    (
        LISTED,
        OF_LISTED,
        _method("to", "for i, head in enumerate(self.heads):", "    head.to(*args, **kwargs)"),
    ),
    (LISTED, OF_LISTED, _method("to", "self.heads = [head.to(*args, **kwargs) for head in self.heads]")),
    (
        DRAWN,
        OF_DRAWN,
        _method(
            "cuda",
            "self.noise.loc = self.noise.loc.cuda(*args)",
            "self.noise.scale = self.noise.scale.cuda(*args)",
        ),
    ),
]
UNMOVED = [
    (MAPPED, OF_MAPPED, ""),
    (LISTED, OF_LISTED, ""),
    (DRAWN, OF_DRAWN, ""),
    (MAPPED, OF_MAPPED, _method("to", "self.body.to(*args, **kwargs)")),
    (LISTED, OF_LISTED, _method("cuda", "for head in self.heads:", "    head.train()")),
]


def _found(made: str, used: str, method: str) -> set[str]:
    return names(check_texts({"main.py": PROGRAM.format(made=made, used=used, method=method)}))


@pytest.mark.parametrize(("made", "used", "method"), MOVED)
def test_parts_that_a_method_moves_are_left_alone(made: str, used: str, method: str) -> None:
    assert _found(made, used, method) == set()


@pytest.mark.parametrize(("made", "used", "method"), UNMOVED)
def test_parts_that_nothing_moves_are_found(made: str, used: str, method: str) -> None:
    assert _found(made, used, method) & {"unregistered-module", "operand-not-moved", "created-on-cpu"}
