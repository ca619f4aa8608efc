"""What is made alike in one place gets its device in one way."""

from __future__ import annotations

import pytest
from test_adoption import CHOICE, adopted
from text_program import files, fix_texts

from devfix.findings import Applicability

READER = """
import torch
from torch import nn

class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, 2)
        self.rnn = nn.LSTM(2, 4, batch_first=True)

    def forward(self, x):
        h = torch.zeros(1, x.size(0), 4{told})
        c = torch.zeros(1, x.size(0), {width}{other})
        out, _ = self.rnn(self.embed(x), (h, c))
        return out

reader = Reader(){moved}
print(reader(torch.ones(2, 5, 3{given})).sum())
"""


def reader(
    told: str = "", other: str | None = None, moved: str = "", given: str = "", width: str = "4"
) -> str:
    other = told if other is None else other
    return READER.format(told=told, other=other, moved=moved, given=given, width=width)


def test_both_states_are_where_the_input_is() -> None:
    on = {"moved": ".cuda()", "given": ', device="cuda"'}
    after, done = fix_texts(files(reader(**on)), Applicability.UNSAFE)
    assert after == files(reader(", device=x.device", **on))
    assert len(done[0].fixed) == 1


def test_inputs_tell_the_device_once_they_have_moved() -> None:
    parts = reader().split("\nreader = ")
    script = f"import torch\nfrom net import Reader\n\nreader = {parts[1]}"
    after = adopted(files(script, net=parts[0]))["net.py"]
    assert after.count("device=x.device") == 2
    assert "next(" not in after


def test_what_is_made_otherwise_has_its_own_turn() -> None:
    on = {"moved": ".cuda()", "given": ', device="cuda"'}
    after, done = fix_texts(files(reader(**on, width="2 * 2")), Applicability.UNSAFE)
    assert after == files(reader(", device=x.device", **on, width="2 * 2"))
    assert len(done[0].fixed) == 2


ALIKE = """
import torch

def returns(rewards, values):
    made = torch.{made}
    made[0] = rewards[0]
    return made - values

x = torch.ones(4).cuda()
rewards = torch.cat([torch.ones(1) for _ in range(4)])
print(returns(rewards, x * 2).sum())
"""


@pytest.mark.parametrize(
    ("made", "after"),
    [
        ("empty_like(rewards)", "empty_like(rewards, device=values.device)"),
        ("full_like(rewards, 2.0)", "full_like(rewards, 2.0, device=values.device)"),
        # What is drawn there differs from what is drawn here.
        ("rand_like(rewards)", "rand_like(rewards).to(values.device)"),
    ],
)
def test_what_has_the_size_of_another_is_made_elsewhere(made: str, after: str) -> None:
    text, _ = fix_texts(files(ALIKE.format(made=made)), Applicability.UNSAFE)
    assert f"made = torch.{after}\n" in text["main.py"]


AGENT = """
import torch
from torch import nn

class Agent:
    def __init__(self):
        self.policy = nn.Linear(3, 2){kept}
        self.optimizer = torch.optim.SGD(self.policy.parameters(), lr=0.1)

    def learn(self, state):
        loss = self.policy(torch.tensor(state)).sum()
        loss.backward()
        self.optimizer.step()

Agent().learn([1.0, 2.0, 3.0])
"""


def test_a_model_that_was_left_on_the_cpu_in_words_moves_instead() -> None:
    after = adopted(files(AGENT.format(kept=".cpu()")))
    assert after == adopted(files(AGENT.format(kept="")))
    assert f"self.device = {CHOICE}" in after["main.py"]


def test_a_model_that_is_copied_to_the_cpu_later_still_is() -> None:
    text = AGENT.format(kept="") + "torch.save(Agent().policy.cpu().state_dict(), 'policy.pt')\n"
    assert ".policy.cpu().state_dict()" in adopted(files(text))["main.py"]
