"""Names that a fix may take the device from: what they stand for at the place."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import fix_texts


def changed(text: str) -> set[str]:
    """The lines that the repair of a program writes."""
    before = dedent(text)
    return set(fix_texts({"main.py": before})[0]["main.py"].splitlines()) - set(before.splitlines())


def test_the_weight_that_a_function_is_given_is_a_tensor() -> None:
    assert changed("""
        import torch
        import torch.nn as nn
        import torch.nn.functional as F

        class Modulated(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = nn.Parameter(torch.randn(3, 3, 1, 1))

            def forward(self, style):
                weight = self.weight * style
                noise = torch.randn(1, 3, 4, 4)
                return F.conv2d(noise, weight)

        Modulated().to("cuda")(torch.ones(1).to("cuda"))
    """) == {"        noise = torch.randn(1, 3, 4, 4).to(weight.device)"}


def test_a_list_that_becomes_a_tensor_has_no_device_before() -> None:
    assert changed("""
        import torch
        import torch.nn as nn

        def collect(net, loader):
            bank = []
            for x in loader:
                bank.append(net(x))
            bank = torch.cat(bank)
            return bank, torch.tensor([1, 2], device=bank.device)

        collect(nn.Linear(2, 2).to("cuda"), [torch.ones(1, 2), torch.ones(2, 2)])
    """) == {"        x = x.to(next(net.parameters()).device)"}


def test_a_module_that_only_one_path_wraps_is_moved_where_it_is_made() -> None:
    assert changed("""
        import argparse
        import torch
        import torch.nn as nn

        parser = argparse.ArgumentParser()
        parser.add_argument("--parallel", action="store_true")
        args = parser.parse_args()
        device = torch.device("cuda")
        model = nn.Linear(2, 2)
        if args.parallel:
            model = nn.DataParallel(model)
        model(torch.ones(1, 2, device=device))
    """) == {"model = nn.Linear(2, 2).to(device)"}


def test_an_attribute_that_the_method_sets_further_down_is_not_there_yet() -> None:
    lines = changed("""
        import torch
        import torch.nn as nn

        class Trainer:
            def __init__(self):
                self.build()

            def build(self):
                self.G = nn.Linear(2, 2)
                self.D = nn.Linear(2, 2).cuda()

            def train(self, x):
                return self.D(self.G(x.cuda()))

        Trainer().train(torch.ones(1, 2))
    """)
    assert lines
    assert not any("self.D.parameters()" in line and "self.G =" in line for line in lines)


def test_a_batch_that_is_unpacked_again_in_a_handler_is_moved_behind_both() -> None:
    lines = fix_texts(
        {
            "main.py": dedent("""
        import torch
        import torch.nn as nn
        from torch.utils.data import DataLoader, TensorDataset

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = nn.Linear(2, 2).to(device)
        criterion = nn.CrossEntropyLoss()
        loader = DataLoader(TensorDataset(torch.ones(4, 2), torch.zeros(4, dtype=torch.long)))
        batches = iter(loader)
        for _ in range(6):
            try:
                x, y = next(batches)
            except StopIteration:
                batches = iter(loader)
                x, y = next(batches)
            criterion(model(x), y)
    """)
        }
    )[0]["main.py"].splitlines()
    moves = [number for number, line in enumerate(lines) if ".to(device)" in line and "model = " not in line]
    assert moves
    assert min(moves) > max(number for number, line in enumerate(lines) if "next(batches)" in line)


BATCHES = """
import torch
from torch import nn


class Batches:
    def __init__(self, rows, device):
        self.rows = rows
        self.device = device

    def tensors(self, rows):
        x = torch.LongTensor([row[0] for row in rows])
        y = torch.LongTensor([row[1] for row in rows]).to(self.device)
        return x, y

    def __iter__(self):
        return iter([self.tensors(self.rows)])

    def first(self):
        return self.tensors(self.rows[:1])


class Options:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


net = nn.Embedding(9, 4).to(Options.device)
for x, y in Batches([([1, 2], 1), ([3, 4], 2)], Options.device):
    print(nn.functional.cross_entropy(net(x).mean(1), y))
"""


def test_a_method_that_no_script_calls_says_nothing_of_the_device_an_object_was_given() -> None:
    made = "x = torch.LongTensor([row[0] for row in rows])"
    assert changed(BATCHES) == {f"        {made}.to(self.device)"}


def test_an_object_that_a_script_gives_no_device_has_none() -> None:
    spare = BATCHES + "print(Batches([], None).rows)\n"
    made = "x = torch.LongTensor([row[0] for row in rows])"
    assert f"        {made}.to(self.device)" not in changed(spare)


COMPREHENSIONS = """
    import torch
    import torch.nn as nn

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(4, 2).to(device)

    def predict(pairs):
        x, y = (torch.ones(number, 4) for number, device in pairs)
        return x, y, net(torch.ones(3, 4))

    def predict_each(pairs):
        return [net(torch.ones(number, 4)) for number, device in pairs]

    first, second = (torch.ones(number, 4) for number, device in [(1, "a"), (2, "b")])
    net(torch.ones(1, 4))
    predict([(1, "a"), (2, "b")])
    predict_each([(1, "cpu"), (2, "cpu")])
"""


def test_the_names_of_a_comprehension_are_names_within_it_alone() -> None:
    assert changed(COMPREHENSIONS) == {
        "    return x, y, net(torch.ones(3, 4, device=device))",
        "    return [net(torch.ones(number, 4, device=next(net.parameters()).device)) for number, device in pairs]",
        "net(torch.ones(1, 4, device=device))",
    }


def test_a_device_that_only_a_comprehension_names_is_not_chosen_by_it() -> None:
    lines = changed("""
        import torch
        import torch.nn as nn

        net = nn.Linear(4, 2).cuda()
        net(torch.ones(1, 4))
        print([str(chosen) for chosen in [torch.device("cuda")]])
    """)
    assert not any("chosen" in line for line in lines)


def test_a_device_of_a_comprehension_is_at_hand_within_it() -> None:
    assert changed("""
        import torch
        import torch.nn as nn

        net = nn.Linear(4, 2).cuda()
        print([net(torch.ones(1, 4)) for device in [torch.device("cuda")]])
    """) == {'print([net(torch.ones(1, 4, device=device)) for device in [torch.device("cuda")]])'}


BASE = """
import torch

class Agent:
    def __init__(self, env, cuda=True):
        self.env = env
        {set}

    def run(self):
        return self.act(self.env.reset())
"""
INHERITS = """
import argparse
import torch
from agents import Agent
from worlds import make

class Greedy(Agent):
    def __init__(self, env, cuda):
        {first}
        self.policy = torch.nn.Linear(3, 3)
        {last}

    def act(self, state):
        state = torch.FloatTensor(state).to(self.device)
        return self.policy(state).argmax().item()

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
print(Greedy(make(), cuda=parser.parse_args().cuda).run())
"""
CHOICE = 'self.device = torch.device("cuda" if cuda and torch.cuda.is_available() else "cpu")'


def inheriting(first: str, last: str = "", chosen: str = CHOICE) -> list[str]:
    """The lines of the model in a subclass, after the repair."""
    text = INHERITS.format(first=first, last=last)
    texts = {"main.py": text, "agents.py": BASE.format(set=chosen)}
    after = fix_texts(texts)[0]["main.py"]
    return [line.strip() for line in after.splitlines() if "self.policy = " in line]


@pytest.mark.parametrize("first", ["super().__init__(env, cuda)", "Agent.__init__(self, env, cuda)"])
def test_a_device_that_the_constructor_of_a_base_sets_is_there_behind_its_call(first: str) -> None:
    assert inheriting(first) == ["self.policy = torch.nn.Linear(3, 3).to(self.device)"]


def test_a_device_that_a_base_has_not_set_yet_or_may_not_set_is_not_used() -> None:
    later = inheriting("pass", "super().__init__(env, cuda)")
    perhaps = inheriting("super().__init__(env, cuda)", chosen=f"if env:\n            {CHOICE}")
    assert not any("self.device" in line for line in (*later, *perhaps))
