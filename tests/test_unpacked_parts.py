"""What is unpacked into several names moves where it is made, or each name after that."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

PROGRAM = """import random
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rows = [(torch.rand(3), torch.tensor(i % 2), torch.tensor(0.5)) for i in range(20)]


class Learner:
    def __init__(self, device):
        self.device = device
        self.net = nn.Linear(3, 2).to(device)

    def learn(self):
        obs, act, rew = UNPACKED
        q = self.net(obs).gather(1, act.unsqueeze(1)).squeeze(1)
        return (q - rew).pow(2).mean()


print(Learner(device).learn())
"""


def fixed(text: str) -> str:
    """The program in the end, in which nothing is left to fix."""
    texts, (report,) = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert not report.findings
    return texts["main.py"]


@pytest.mark.usefixtures("long_lines")
@pytest.mark.parametrize("form", ["({})", "[{}]"])
def test_a_comprehension_moves_what_it_makes_for_names_that_are_all_refused(form: str) -> None:
    made = form.format("torch.stack(c) for c in zip(*random.sample(rows, 8))")
    text = PROGRAM.replace("UNPACKED", made)
    assert fixed(text) == text.replace("torch.stack(c)", "torch.stack(c).to(self.device)")


@pytest.mark.parametrize(
    "made", ["map(torch.stack, zip(*random.sample(rows, 8)))", "tuple(map(torch.stack, zip(*rows)))"]
)
def test_a_view_of_a_name_moves_as_that_name_beside_the_others(made: str) -> None:
    text = PROGRAM.replace("UNPACKED", made)
    line = f"        obs, act, rew = {made}\n"
    moves = "        obs, act, rew = obs.to(self.device), act.to(self.device), rew.to(self.device)\n"
    assert fixed(text) == text.replace(line, line + moves)


def test_a_comprehension_that_also_makes_what_stays_on_the_host_is_left_as_it_is() -> None:
    text = PROGRAM.replace("UNPACKED", "(torch.stack(c) for c in zip(*random.sample(rows, 8)))")
    text = text.replace("(q - rew).pow(2).mean()", "q.mean().item() - float(rew.numpy().mean())")
    after = fixed(text)
    assert "(torch.stack(c) for c in" in after
    assert "rew.to(" not in after


def test_a_comprehension_of_which_one_name_is_refused_is_left_as_it_is() -> None:
    text = PROGRAM.replace("UNPACKED", "(torch.stack(c) for c in zip(*random.sample(rows, 8)))")
    text = text.replace(
        "self.net(obs).gather(1, act.unsqueeze(1)).squeeze(1)", "self.net(obs).cpu()[:, 0] * act"
    )
    assert "(torch.stack(c) for c in" in fixed(text)


COLUMNS = """import torch
from torch import nn


class Assigner:
    def assign(self, points, boxes):
        if boxes.numel() == 0:
            return self.nothing(len(points))
        return points.sum(1).long(), points * 2

    def nothing(self, n):
        return torch.full((n,), 3), torch.zeros(n, 4)

    def __call__(self, points, boxes):
        classes, sides = zip(*(self.assign(points, each) for each in boxes))
        return torch.stack(classes), torch.stack(sides)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    points = nn.Linear(4, 4).to(device)(torch.rand(7, 4, device=device))
    print(Assigner()(points, [torch.zeros(k, device=device) for k in range(9)]))
"""


def test_columns_of_tensors_have_no_method_that_moves_them() -> None:
    """Names that ``zip`` gives tuples: their parts move, or what is made."""
    text = fixed(COLUMNS)
    assert "classes.to(" not in text
    assert "sides.to(" not in text
    exec(compile(text, "main.py", "exec"), {"__name__": "__main__"})
