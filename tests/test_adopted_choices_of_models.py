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
    assert "(Discrete() if discrete else Continuous()).to(self.device)" in after


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


KIN = """
import torch
from policies import Continuous, Discrete, Table


class Agent:
    def __init__(self):
        self.policy = None

    def act(self, x):
        return self.policy(x).sum().item()


class First(Agent):
    def __init__(self):
        super().__init__()
        self.policy = Discrete()


class Second({base}):
    'Is for other runs.'

    def __init__(self):
        super().__init__()
        self.policy = {other}
{more}

agent = First()
print(agent.act(torch.ones(3, 4)))
"""


def _second(other: str = "Continuous()", base: str = "Agent", more: str = "") -> str:
    text = KIN.format(other=other, base=base, more=more)
    return main_after(files(text, policies=POLICIES))


def test_the_model_of_a_class_that_shares_all_but_its_constructor_moves_as_well() -> None:
    after = _second()
    assert "self.policy = Discrete().to(device)" in after
    assert "self.policy = Continuous().to(device)" in after


@pytest.mark.parametrize(
    ("other", "base", "more"),
    [
        ("Table()", "Agent", ""),
        ("Continuous()", "object", ""),
        ("Continuous()", "Agent", "\n    def act(self, x):\n        return self.policy(torch.ones(1, 4))\n"),
    ],
)
def test_the_model_of_a_class_with_ways_of_its_own_is_left_alone(other: str, base: str, more: str) -> None:
    after = _second(other, base, more)
    assert "self.policy = Discrete().to(device)" in after
    assert f"self.policy = {other}\n" in after
