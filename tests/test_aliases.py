"""What is kept is never copied before something is written to it: what is written comes to where it is kept."""

import pytest
from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

AVERAGE = """
import torch
from torch import nn

class Average:
    def __init__(self, model):
        self.shadow = {{k: v.detach().clone() for k, v in model.state_dict().items()}}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.state_dict().items():
{update}

    def load_state_dict(self, state):
        self.shadow = dict(state["shadow"])

def resume(average):
    average.load_state_dict(torch.load("average.pt", map_location="cpu"))

def main():
    model = nn.Linear(2, 2).cuda()
    average = Average(model)
    torch.save({{"shadow": average.shadow}}, "average.pt")
    resume(average)
    for _ in range(3):
        average.update(model)

main()
"""


def lines_added(*update: str) -> list[str]:
    texts = files(AVERAGE.format(update="\n".join(" " * 12 + line for line in update)))
    after = fix_texts(texts, Applicability.UNSAFE)[0]["main.py"]
    assert clashes(after) == []
    return [line.strip() for line in after.splitlines() if line not in texts["main.py"].splitlines()]


@pytest.mark.parametrize(
    ("update", "after"),
    [
        (["self.shadow[k].lerp_(v, 0.1)"], "self.shadow[k].lerp_(v.to(self.shadow[k].device), 0.1)"),
        (
            ["self.shadow[k].mul_(0.9).add_(v, alpha=0.1)"],
            "self.shadow[k].mul_(0.9).add_(v.to(self.shadow[k].device), alpha=0.1)",
        ),
        (
            ["s = self.shadow[k]", "s.mul_(0.9).add_(v, alpha=0.1)"],
            "s.mul_(0.9).add_(v.to(s.device), alpha=0.1)",
        ),
        (["s = self.shadow[k]", "s -= 0.1 * s", "s += 0.1 * v"], "s += (0.1 * v).to(s.device)"),
    ],
)
def test_what_is_added_goes_to_what_is_kept(update: list[str], after: str) -> None:
    assert lines_added(*update) == [after]


@pytest.mark.parametrize(
    "write",
    [
        "s.sub_(0.1 * d)",
        "s -= 0.1 * d",
        "s[:] = s - 0.1 * d",
        "s[0] -= 0.1 * d[0]",
        "s.view(-1).sub_(0.1 * d.view(-1))",
    ],
)
@pytest.mark.parametrize("kept", ["self.shadow[k]", "self.shadow[k].detach()"])
def test_a_name_for_what_is_written_to_stays(kept: str, write: str) -> None:
    assert not any(line.startswith("s = ") for line in lines_added(f"s = {kept}", "d = s - v", write))


def test_a_name_that_is_only_read_moves() -> None:
    update = ("s = self.shadow[k]", "print((s - v).abs().mean())")
    assert lines_added(*update) == ["s = self.shadow[k].to(v.device)"]
