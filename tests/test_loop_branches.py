"""Branches that only a later round of a loop takes, and what they leave for the one after."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes, fix_texts

from devfix.analysis.domain.values import Const, TupleValue
from devfix.findings import Applicability

GAME = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Game:
    def __init__(self, length):
        self.turn, self.length = 0, length

    def step(self):
        self.turn += 1
        done = self.turn == self.length
        return torch.zeros(1, 4), done

game, cell = Game(3), nn.{cell}(4, 4).to(device)
state, done = game.step()
{start}
for step in range(10):
    {run}
    state, done = game.step()
    if {test}:
        {reset}
"""
GRU = {
    "cell": "GRUCell",
    "start": "h = torch.zeros(1, 4, device=device)",
    "run": "h = cell(state.to(device), h)",
}
LSTM = {
    "cell": "LSTMCell",
    "start": "h = c = torch.zeros(1, 4, device=device)",
    "run": "h, c = cell(state.to(device), (h, c))",
}


@pytest.mark.parametrize("test", ["done", "not done"])
def test_a_state_that_is_made_anew_when_a_game_ends(test: str) -> None:
    assert clashes(GAME.format(**GRU, test=test, reset="h = torch.zeros(1, 4)")) == ["20: device"]


@pytest.mark.parametrize(
    "reset", ["h = torch.zeros(1, 4)", "c = torch.zeros(1, 4)", "h, c = torch.zeros(1, 4), torch.zeros(1, 4)"]
)
def test_either_state_of_a_cell(reset: str) -> None:
    assert clashes(GAME.format(**LSTM, test="done", reset=reset)) == ["20: device"]


@pytest.mark.parametrize(
    ("test", "reset"),
    [
        ("done", "h = torch.zeros(1, 4, device=device)"),
        ("done", "h = torch.zeros_like(h)"),
        ("done", "break"),
    ],
)
def test_what_is_right_is_not_reported(test: str, reset: str) -> None:
    assert clashes(GAME.format(**GRU, test=test, reset=reset)) == []


def test_a_name_that_a_call_told_about_the_machine_is_an_option() -> None:
    text = """
import torch
from setup import choose

w = torch.ones(3).cuda()
for _ in range(3):
    x, use_cuda = choose(torch.cuda.is_available())
    y = torch.ones(3)
    if use_cuda:
        y = y.cuda()
    print(w + y)
"""
    assert clashes(text) == []


CACHE = """
import torch
from torch import nn

class Grid(nn.Module):
    def __init__(self):
        super().__init__()
        self.grid = torch.zeros(1)

    def forward(self, x):
        {refresh}
        return x + self.grid

net = Grid().cuda()
x = torch.ones(2, 4, 4).cuda()
for epoch in range(100):
    if epoch % 10 == 0:
        y = net(x)
"""
FITS = "if self.grid.shape != x.shape:"
MAKE = "self.grid = torch.zeros(x.shape)"


@pytest.mark.parametrize(
    "refresh",
    [
        f"{FITS} {MAKE}.to(x.device)",
        f"{FITS}\n            print(epoch)\n            {MAKE}.cuda()",
        f"if self.grid.numel() < x.numel(): {MAKE}.to(x.device)",
    ],
)
def test_a_cache_that_fits_has_been_filled_before(refresh: str) -> None:
    """Some rounds of the loop fill it and others do not, but none uses what it held at first."""
    assert clashes(CACHE.format(refresh=refresh)) == []


@pytest.mark.parametrize(
    "refresh",
    [
        f"{FITS} {MAKE}",
        f"if x.sum() > 3: {MAKE}.to(x.device)",
        "if self.grid.sum() > 3: self.grid = (2 * self.grid).to(x.device)",
        f"{FITS} y = torch.zeros(x.shape).to(x.device)",
        "pass",
    ],
)
def test_what_is_not_filled_by_its_own_test_is_as_it_was(refresh: str) -> None:
    assert clashes(CACHE.format(refresh=refresh)) != []


PLACES = """
import random
import torch
from torch import nn

class Team:
    def __init__(self):
        self.net, self.place = nn.Linear(3, 3), "cpu"

    def go(self, place):
        move = (lambda net: net.cuda()) if place == "gpu" else (lambda net: net.cpu())
        if self.place != place:
            self.net = move(self.net)
            self.place = place

team = Team()
for step in range(10):
    if random.random() < 0.5:
        team.go("gpu")
        team.net(torch.ones(1, 3).cuda())
        {back}
"""


@pytest.mark.parametrize("back", ["pass", 'team.go("cpu")'])
def test_a_program_that_notes_where_its_model_is_asks_that_before_it_moves_it(back: str) -> None:
    assert clashes(PLACES.format(back=back)) == []


def test_a_model_that_nothing_is_noted_of_may_be_where_the_other_branch_left_it() -> None:
    unnoted = PLACES.replace("if self.place != place:", "if True:").replace('team.go("gpu")', "pass")
    assert clashes(unnoted.format(back="team.net.cuda()")) == ["20: device"]


def test_what_was_moved_the_round_before_is_not_moved_where_it_is_made() -> None:
    """Beside data of the CPU only what is on the CPU, too, makes anything of which to be moved."""
    before = """
import argparse
import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="one")
args = parser.parse_args()
model = nn.Linear(3, 3).cuda()
for step in range(3):
    x = torch.rand(2, 3)
    if args.mode == "one":
        noise = torch.Tensor(2, 3).normal_()
    if args.mode == "many":
        noise = torch.zeros(2, 3)
    y = x + noise
    noise = noise.cuda()
    loss = y - model(y.cuda())
"""
    after = fix_texts({"main.py": before})[0]["main.py"]
    assert "noise = torch.Tensor(2, 3).normal_()\n" in after
    assert "loss = y.cuda() - model(y.cuda())\n" in after


TRAINED = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
best = 1e9
for epoch in range(5):
    x = torch.randn(8, 3).to(device)
    loss = model(x).pow(2).mean().item()
    if {test}:
        best = loss
        torch.save(model.cpu().state_dict(), "best.pt")
"""


@pytest.mark.parametrize(
    "test", ["loss < best", "epoch > 1", "epoch == 3", "loss * 2 < best", "best >= loss"]
)
def test_a_record_that_is_beaten_takes_the_model_to_the_host_for_the_next_round(test: str) -> None:
    before = TRAINED.format(test=test)
    assert clashes(before) == ["10: device"]
    after, _ = fix_texts({"main.py": before}, Applicability.UNSAFE)
    assert after["main.py"] == before + "        model.to(device)\n"


@pytest.mark.parametrize("test", ["loss < best", "epoch > 1", "epoch == 3"])
def test_a_model_that_each_round_takes_back_may_be_left_on_the_host(test: str) -> None:
    assert clashes(TRAINED.format(test=test).replace("    x =", "    model.to(device)\n    x =")) == []


@pytest.mark.parametrize("test", ["n_gpu > 1", "best < 3", "model is None"])
def test_a_test_of_what_no_round_brings_tells_nothing_of_the_next(test: str) -> None:
    assert clashes("n_gpu = int(input())\n" + TRAINED.format(test=test).replace("best = loss", "pass")) == []


SET_UP = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1)
for step in range(50):
    if {test}:
        model.to(device)
        mask = torch.ones(3, 1, device=device)
    if step == 3:
        mask = mask * 2
    print(mask * model(torch.randn(3, 3).to(device)))
"""


@pytest.mark.parametrize("test", ["step == 0", "step < 1", "1 > step"])
def test_what_the_first_round_sets_up_is_there_in_all_others(test: str) -> None:
    assert clashes(SET_UP.format(test=test)) == []


COUNTED = """
import torch
from torch import nn

net = nn.Linear(3, 2).cuda()


class Run:
    steps = 0
    every = 100

    def __init__(self):
        self.steps = 0


def train(rows, run):
    steps = Run.steps
    for x in rows:
        loss = net(x.cuda()).sum()
        steps += 1
        run.steps += 1
        if {test}:
            net(x)


train([torch.ones(3) for _ in range(int(input()))], Run())
"""


@pytest.mark.parametrize("test", ["steps % Run.every == 0", "run.steps % 100 == 0", "steps > 9 and loss > 0"])
def test_a_test_of_a_counter_comes_out_otherwise_in_later_rounds(test: str) -> None:
    assert clashes(COUNTED.format(test=test)) == ["23: device"]


@pytest.mark.parametrize("test", ["Run.every == 1", "len('ab') > 9"])
def test_a_test_of_what_no_round_changes_does_not(test: str) -> None:
    assert clashes(COUNTED.format(test=test)) == []


WARMED = """
import torch
from torch import nn

net = nn.Linear(3, 2).cuda()
steps, warm = 0, 2
for x in torch.utils.data.DataLoader([torch.ones(3)]):
    if {test}:
        loss = (net(x.cuda()) - torch.zeros(2)).sum()
    else:
        loss = torch.zeros(1).cuda()
    steps += 1
"""


@pytest.mark.parametrize("test", ["steps > warm", "warm < steps", "not steps <= warm"])
def test_a_counter_is_no_option_that_chooses_the_branch_with_an_accelerator(test: str) -> None:
    assert clashes(WARMED.format(test=test)) == ["9: device"]


TAKEN_BACK = """
import sys
import torch
from torch import nn
from elsewhere import Agent
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(4, 1)
net.to(device)
def reward(state):
    return net(torch.tensor(state))[0].item()
agent = Agent(sys.argv)
def loop():
    for i in range(3):
        {back}
        out = agent.collect(10)
        net.to(device)
        print(net(torch.ones(2, 4, device=device)).sum().item())
loop()
"""


def test_of_a_model_that_is_here_and_there_nobody_knows_where_uncalled_functions_find_it() -> None:
    assert not clashes(TAKEN_BACK.replace("{back}", 'net.to("cpu")'))
    assert not clashes(TAKEN_BACK.replace("{back}", "net.cpu()"))
    assert clashes(TAKEN_BACK.replace("{back}", "pass"))


RESTS = """
import torch
from torch import nn
batch_size = 4
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(10, 2)), batch_size=batch_size)
net = nn.Linear(2, 1).cuda()
ones = torch.ones(batch_size){before}
for x, in loader:
    {size}
    if {test}:
        ones = torch.ones(n){inside}
    nn.functional.mse_loss(net(x.cuda()).squeeze(), ones)
"""


@pytest.mark.parametrize("size", ["n = x.size(0)", "n = x.size()[0]", "n, m = x.shape", "n = len(x)"])
@pytest.mark.parametrize("test", ["n != batch_size", "batch_size > n", "n < 4"])
def test_the_last_batch_is_smaller_than_the_others(size: str, test: str) -> None:
    whole = {"size": size, "test": test}
    assert clashes(RESTS.format(before=".cuda()", inside="", **whole)) == ["12: device"]
    assert clashes(RESTS.format(before="", inside=".cuda()", **whole)) == ["12: device"]
    assert clashes(RESTS.format(before=".cuda()", inside=".cuda()", **whole)) == []


@pytest.mark.parametrize(
    ("size", "test"),
    [
        ("n = x.size(0)", "n != batch_size or True"),
        ("n = unheard(x)", "n != batch_size"),
        ("n = x.size(0)\n    n = unheard(n)", "n != batch_size"),
        ("n, kept = x.size(0), unheard()", "n != kept"),
    ],
)
def test_another_size_may_be_that_of_no_round(size: str, test: str) -> None:
    assert clashes(RESTS.format(before="", inside=".cuda()", size=size, test=test)) == []


def test_what_fits_the_size_of_the_round_before_is_made_in_the_first_round() -> None:
    text = RESTS.format(
        before="\nkept = 0", inside=".cuda()\n        kept = n", size="n = x.size(0)", test="n != kept"
    )
    assert clashes(text) == []


COUNTING = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

class Schedule:
    def __init__(self, first):
        self.first, self.calls, self.kept = first, 0, torch.ones(3)

    def draw(self):
        {count}
        {test}:
            {begins}
        return {rest}

    def close(self):
        {closes}

net, schedule = nn.Linear(3, 2).to(device), Schedule(2)
for x in torch.utils.data.DataLoader([torch.ones(3)]):
    net(schedule.draw())
    schedule.close()
"""
EARLY = {"begins": "return torch.ones(3, device=device)", "rest": "torch.zeros(3)"}


@pytest.mark.parametrize("test", ["if self.calls <= self.first", "if self.first > self.calls"])
@pytest.mark.parametrize(("count", "closes"), [("self.calls += 1", "pass"), ("pass", "self.calls += 1")])
def test_a_function_comes_to_either_side_of_what_bounds_its_count(test: str, count: str, closes: str) -> None:
    assert clashes(COUNTING.format(**EARLY, test=test, count=count, closes=closes)) == ["22: device"]


@pytest.mark.parametrize(
    ("test", "count"),
    [
        ("if self.first > 1", "self.calls += 1"),
        ("if calls <= self.first", "calls = self.first"),
        ("if self.calls <= self.first", "self.calls = int(input())"),
    ],
)
def test_what_nothing_counts_is_an_option(test: str, count: str) -> None:
    assert clashes(COUNTING.format(**EARLY, test=test, count=count, closes="calls = 0; calls += 1")) == []


def test_what_the_first_calls_set_up_is_there_in_all_others() -> None:
    begins = {"begins": "self.kept = self.kept.to(device)", "rest": "self.kept"}
    text = COUNTING.format(**begins, test="if self.calls <= 1", count="self.calls += 1", closes="pass")
    assert clashes(text) == []


ENDED = """
class Link:
    def __init__(self, held, following):
        self.held, self.following = held, following

def gone_through(link):
    found = []
    while link is not None:
        found.append(link.held)
        link = link.following
    return link, link is None

links = None
for number in range(3):
    links = Link(number, links)
made = gone_through(links)
given = iter([1, 2, None])
while (item := next(given)) is not None:
    last = item
while True:
    first = "a"
    if len(made) > 1:
        second = first
        break
    first = second = None
waiting = [3, 2, 1, 0]
for read in iter(waiting.pop, 3):
    told = read
begun = iter([1, 2, 3])
for number in iter(lambda: next(begun), 3):
    seen = number
"""


def test_what_holds_where_a_loop_ends_is_so() -> None:
    assert lies(ENDED) == []
    end = Ending(ENDED)
    assert [end[name] for name in ("item", "second")] == [Const(None), Const("a")]
    assert end["made"] == TupleValue((Const(None), Const(True)))


LEFT = """
import torch

there = torch.ones(3, device="cuda")
while True:
    mask = torch.ones(3)
    if {test}:
        mask = mask.cuda()
        break
    {more}
there + mask
"""


def test_what_never_ends_is_left_by_its_breaks() -> None:
    assert clashes(LEFT.format(test="input()", more="pass")) == []
    assert clashes(LEFT.format(test="input()", more="there + mask")) == ["10: device"]
