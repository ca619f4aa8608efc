"""Models that are made instead of each other move alike, whichever of them the program makes as it is run."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import Texts, files

POLICIES = """
import torch.nn as nn


class Base(nn.Module):
    pass


class Discrete(Base):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)


class Continuous(Base):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x).tanh()


class Table:
    def __call__(self, x):
        return x
"""


def main_after(texts: Texts) -> str:
    return adopted(texts)["main.py"]


def agent(*choice: str) -> str:
    body = "\n".join(f"        {line}" for line in choice)
    return f"""
import torch
from policies import Continuous, Discrete, Table


class Agent:
    def __init__(self, discrete=True):
{body}

    def act(self, x):
        return self.policy(x).sum().item()


agent = Agent(True)
print(agent.act(torch.ones(3, 4)))
"""


CHOICE = ("if discrete:", "    self.policy = Discrete()", "else:", "    self.policy = {other}")


def test_a_model_that_another_run_makes_instead_moves_as_well() -> None:
    after = main_after(files(agent(*CHOICE).format(other="Continuous()"), policies=POLICIES))
    assert "self.policy = Discrete().to(self.device)" in after
    assert "self.policy = Continuous().to(self.device)" in after


@pytest.mark.parametrize("other", ["Table()", "Continuous", "unknown()", "None"])
def test_what_may_be_no_module_is_left_where_it_is(other: str) -> None:
    after = main_after(files(agent(*CHOICE).format(other=other), policies=POLICIES))
    assert "self.policy = Discrete().to(self.device)" in after
    assert f"self.policy = {other}\n" in after


def test_of_a_longer_choice_each_model_moves() -> None:
    choice = (*CHOICE[:2], "elif discrete is None:", "    self.policy = Table()", *CHOICE[2:])
    after = main_after(files(agent(*choice).format(other="Continuous()"), policies=POLICIES))
    assert "self.policy = Continuous().to(self.device)" in after
    assert "self.policy = Table()\n" in after


def test_both_arms_of_a_conditional_expression_move() -> None:
    after = main_after(
        files(agent("self.policy = Discrete() if discrete else Continuous()"), policies=POLICIES)
    )
    assert "Discrete().to(self.device) if discrete else Continuous().to(self.device)" in after


def test_what_a_function_returns_in_another_case_moves_as_well() -> None:
    after = main_after(
        files("""
        import torch
        import torch.nn as nn


        def build(deep):
            if deep:
                return nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
            return nn.Linear(4, 2)


        print(build(False)(torch.ones(3, 4)).sum().item())
        """)
    )
    assert "return nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2)).to(device)" in after
    assert "return nn.Linear(4, 2).to(device)" in after


def test_a_class_whose_name_stands_for_something_else_later_is_not_known() -> None:
    text = (
        agent(*CHOICE).format(other="Continuous()").replace("\n\nclass", "\nContinuous = make()\n\nclass", 1)
    )
    after = main_after(files(text, policies=POLICIES))
    assert "self.policy = Continuous()\n" in after
