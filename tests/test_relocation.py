"""Where a move goes: to what can be moved, written as somebody who keeps the program would write it."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import files, fix_texts

HEAD = """\
import numpy as np
import torch
import torch.nn as nn
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""

#: Programs that fail on an accelerator, and the lines that change.
PROGRAMS = {
    "an array is left where it is, the tensor made of it moves": (
        """
class Agent:
    def __init__(self):
        self.net = nn.Linear(4, 2).to(device)

    def act(self, state):
        return self.net(state).argmax().item()


agent = Agent()
state = np.zeros(4, dtype=np.float32)
for _ in range(3):
    agent.act(torch.from_numpy(state))
""",
        {"        return self.net(state.to(device)).argmax().item()"},
    ),
    "a table is moved once, what is looked up in it is there": (
        """
class Diffusion:
    def __init__(self, steps):
        self.betas = torch.linspace(0.1, 0.2, steps)

    def at(self, t, x):
        return self.betas[t].view(-1, 1) * x


Diffusion(4).at(torch.tensor([0, 1], device=device), torch.rand(2, 3, device=device))
""",
        {"        self.betas = torch.linspace(0.1, 0.2, steps, device=device)"},
    ),
    "data that serve others too stay, what is computed of them moves": (
        """
labels = torch.randint(0, 3, (30,))
weights = 1 / (torch.bincount(labels, minlength=3) + 1.0)
net = nn.Linear(4, 3).to(device)
for x, y in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(30, 4), labels), 10):
    loss = nn.functional.cross_entropy(net(x.to(device)), y.to(device), weight=weights)
""",
        {"weights = (1 / (torch.bincount(labels, minlength=3) + 1.0)).to(device)"},
    ),
    "an array that comes through an object moves as the tensor that is made of it": (
        """
class Chunks:
    def __init__(self, xs):
        self.xs = xs

    def __iter__(self):
        for k in range(2):
            yield self.xs[k : k + 1]


net = nn.Linear(4, 2).to(device)
for x in Chunks(np.random.rand(2, 4)):
    batch = torch.Tensor(x)
    net(batch.transpose(0, 1).transpose(0, 1) * 2)
""",
        {"    batch = torch.Tensor(x).to(device)"},
    ),
    "what has another name on the other path moves where both paths have met": (
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 3)

    def forward(self, given):
        if given.size(2) < 9:
            x = nn.functional.pad(given, (9 - given.size(2), 0))
        else:
            x = given
        return self.conv(x)


net = Net().to(device)
for x in list(np.random.rand(2, 4, 2, 5)):
    net(torch.from_numpy(x).float())
""",
        {"        return self.conv(x.to(device))"},
    ),
    "what both paths make moves on each": (
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 3)

    def forward(self, given):
        if given.size(2) < 9:
            noise = torch.zeros(given.size())
        else:
            noise = torch.ones(given.size())
        return self.conv(given + noise)


Net().to(device)(torch.rand(4, 2, 5, device=device))
""",
        {
            "            noise = torch.zeros(given.size(), device=given.device)",
            "            noise = torch.ones(given.size(), device=given.device)",
        },
    ),
    "a sample moves, not the dataset": (
        """
net = nn.Linear(4, 3).to(device)
data = torch.utils.data.TensorDataset(torch.rand(8, 4), torch.randint(0, 3, (8,)))
x, y = data[0]
net(x)
""",
        {"x = x.to(device)"},
    ),
    "the fields of a batch that is an object move where they are used": (
        """
from dataclasses import dataclass
@dataclass
class Batch:
    x: torch.Tensor
    y: torch.Tensor


def collate(items):
    return Batch(torch.stack([a for a, _ in items]), torch.stack([b for _, b in items]))


net = nn.Linear(4, 3).to(device)
data = torch.utils.data.TensorDataset(torch.rand(8, 4), torch.randint(0, 3, (8,)))
for batch in torch.utils.data.DataLoader(data, 4, collate_fn=collate):
    net(batch.x)
""",
        {"    net(batch.x.to(device))"},
    ),
    "a mismatch is mended once, where it is first met": (
        """
def one_hot(x, n, device="cpu"):
    return torch.zeros((x.size(0), n), device=device).scatter_(1, x, 1.0)


x = torch.tensor([[1], [2]], device=device)
y = one_hot(x, 4) * torch.rand(4, device=device)
z = one_hot(x, 3)
""",
        {"    return torch.zeros((x.size(0), n), device=device).to(x.device).scatter_(1, x, 1.0)"},
    ),
    "an object that keeps the device uses its own": (
        """
class Trainer:
    def __init__(self, model):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.loss = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0]))

    def step(self, x, y):
        return self.loss(self.model(x.to(self.device)), y.to(self.device))


Trainer(nn.Linear(3, 2)).step(torch.rand(2, 3), torch.tensor([0, 1]))
""",
        {"        self.loss = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0], device=self.device))"},
    ),
    "what a map makes is moved where it gets its names": (
        """
net = nn.Linear(3, 2).to(device)
x, y = map(torch.FloatTensor, ([[1.0, 2.0, 3.0]], [[1.0, 0.0]]))
loss = nn.functional.mse_loss(net(x), y)
""",
        {"x, y = x.to(device), y.to(device)"},
    ),
    "an object that serves both sides follows what it is given": (
        """
class Normalizer:
    def __init__(self, x):
        self.mean = torch.mean(x, 0)

    def encode(self, x):
        return x - self.mean

    def decode(self, x):
        mean = self.mean
        return x + mean


data = torch.from_numpy(sum(np.random.rand(4, 3)[:, [0, k]] for k in range(3))).float()
normalizer = Normalizer(data)
batch = normalizer.encode(data).to(device)
normalizer.decode(batch)
""",
        {"        mean = self.mean.to(x.device)"},
    ),
    "the index of the accelerator is filled in": (
        """
import sys
place = torch.device("cuda:%d" % len(sys.argv) if torch.cuda.is_available() else "cpu")
nn.Linear(4, 2).to(place)(torch.rand(2, 4))
""",
        {"nn.Linear(4, 2).to(place)(torch.rand(2, 4).to(device))"},
    ),
    "a module follows its input, not the script around it": (
        """
class Noise(nn.Module):
    def forward(self, x):
        return x + torch.arange(3)


Noise().to(device)(torch.rand(2, 3, device=device))
""",
        {"        return x + torch.arange(3, device=x.device)"},
    ),
    "a module that uses the script's device does so again": (
        """
class Noise(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3, device=device))

    def forward(self, x):
        return x * self.scale + torch.arange(3)


Noise().to(device)(torch.rand(2, 3, device=device))
""",
        {"        return x * self.scale + torch.arange(3, device=device)"},
    ),
    "all parameters in one vector are where they are one by one": (
        """
net = nn.Linear(3, 2).to(device)
vector = nn.utils.parameters_to_vector(net.parameters()).detach().numpy()
""",
        {"vector = nn.utils.parameters_to_vector(net.parameters()).detach().cpu().numpy()"},
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_repairs_change_these_lines(name: str) -> None:
    text, lines = PROGRAMS[name]
    fixed = fix_texts({"main.py": HEAD + text})[0]["main.py"]
    assert set(fixed.splitlines()) - set((HEAD + text).splitlines()) == lines


WEIGHTED = """\
    from functools import partial

    import torch
    import torch.nn.functional as F


    def weighted(counts):
        return partial(F.cross_entropy, weight=torch.tensor([1 / n for n in counts]))


    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        loss = {loss}
        print(loss(torch.ones(4, 2, device=device), torch.ones(4, dtype=torch.long, device=device)))


    main()
    """


def test_a_function_in_which_no_device_is_in_sight_is_told_it() -> None:
    text = dedent(WEIGHTED.format(loss="weighted([1, 2])"))
    fixed = fix_texts({"main.py": text})[0]["main.py"].splitlines()
    assert set(fixed) - set(text.splitlines()) == {
        'def weighted(counts, device="cpu"):',
        "    return partial(F.cross_entropy, weight=torch.tensor([1 / n for n in counts], device=device))",
        "    loss = weighted([1, 2], device=device)",
    }


def test_a_file_in_which_no_device_is_in_sight_gets_a_choice_of_its_own() -> None:
    text = dedent(WEIGHTED.format(loss="next(map(weighted, [[1, 2]]))"))
    fixed = fix_texts({"main.py": text})[0]["main.py"].splitlines()
    assert 'DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")' in fixed
    assert (
        "    return partial(F.cross_entropy, weight=torch.tensor([1 / n for n in counts], device=DEVICE))"
        in fixed
    )


def test_what_was_copied_before_the_move_comes_to_the_target_of_the_loop() -> None:
    text = """\
    import torch


    class Average:
        def __init__(self, model):
            self.model, self.decay = model, 0.9
            self.shadow = {name: p.data.clone() for name, p in model.named_parameters()}

        def update(self):
            for name, param in self.model.named_parameters():
                self.shadow[name] = (1 - self.decay) * param.data + self.decay * self.shadow[name]


    model = torch.nn.Linear(2, 2)
    average = Average(model)
    print(average.shadow)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device)
    average.update()
    """
    fixed = fix_texts({"main.py": dedent(text)})[0]["main.py"]
    moved = "(self.decay * self.shadow[name]).to(param.device)"
    assert fixed == dedent(text).replace("self.decay * self.shadow[name]", moved)


def test_a_state_of_a_module_is_made_where_its_parameters_are_whatever_led_to_it() -> None:
    model = """
        import sys
        import torch
        from torch import nn


        class Other(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 4)

            def forward(self, x):
                return self.fc(x)


        class Net(nn.Module):
            def __init__(self, kind):
                super().__init__()
                self.rnn = nn.LSTM(4, 4) if kind == "LSTM" else nn.RNN(4, 4)
                self.kind = kind

            def forward(self, x, hidden):
                return self.rnn(x, hidden)

            def first(self):
                weight = next(self.parameters())
                if self.kind == "LSTM":
                    return (torch.zeros(1, 2, 4), weight.new_zeros(1, 2, 4))
                return weight.new_zeros(1, 2, 4)
        """
    main = """
        import sys
        import torch
        from model import Net, Other

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = Other().to(device) if sys.argv[1] == "other" else Net(sys.argv[1]).to(device)


        def detached(h):
            if isinstance(h, torch.Tensor):
                return h.detach()
            return tuple(detached(v) for v in h)


        def run(rounds):
            if sys.argv[1] != "other":
                hidden = model.first()
            for _ in range(rounds):
                x = torch.rand(3, 2, 4).to(device)
                if sys.argv[1] == "other":
                    out = model(x)
                else:
                    hidden = detached(hidden)
                    out, hidden = model(x, hidden)


        run(2)
        run(3)
        """
    fixed = fix_texts(files(main, model=model))[0]
    assert "torch.zeros(1, 2, 4, device=weight.device)" in fixed["model.py"]
    assert "DEVICE" not in fixed["model.py"]


PROJECTIONS = """\
import torch


class Projections:
    def __init__(self, widths):
        self.layers = {name: torch.nn.Linear(width, 2) for name, width in widths.items()}

    def loss(self, features):
        return sum(self.layers[name](features[name]).mean() for name in self.layers)
"""


def test_a_module_for_which_no_device_is_in_sight_is_told_by_whoever_makes_the_object() -> None:
    text = """

    def main():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        print(Projections({"a": 3}).loss({"a": torch.ones(1, 3, device=device)}))


    main()
    """
    fixed = fix_texts({"main.py": PROJECTIONS + dedent(text)})[0]["main.py"]
    assert 'def __init__(self, widths, device="cpu"):' in fixed
    assert "torch.nn.Linear(width, 2).to(device) for" in fixed
    assert 'Projections({"a": 3}, device=device)' in fixed


def test_a_module_for_which_no_device_is_in_sight_gets_a_choice_of_its_file() -> None:
    text = """

    def features():
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return {"a": torch.ones(1, 3, device=device)}


    print(Projections({"a": 3}).loss(features()))
    """
    fixed = fix_texts({"main.py": PROJECTIONS + dedent(text)})[0]["main.py"].splitlines()
    assert 'DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")' in fixed
    assert sum(".to(DEVICE)" in line for line in fixed) == 1


NAMELESS = """\
import torch
import torch.nn as nn

net = nn.Bilinear(3, 2, 4).cuda()
data = torch.utils.data.TensorDataset(torch.rand(8, 3), torch.rand(8, 2))
for user, item in torch.utils.data.DataLoader(data, 4):
    item = item.cuda()
    net(user, item)
"""


def test_without_a_device_by_name_a_part_of_a_batch_moves_as_the_others_do() -> None:
    fixed = fix_texts({"main.py": NAMELESS})[0]["main.py"]
    assert fixed == NAMELESS.replace("item.cuda()\n", "item.cuda()\n    user = user.cuda()\n")


EARLY = """\
import torch


class Average:
    def __init__(self, model):
        self.model = model
        self.shadow = {}

    def register(self):
        for name, param in self.model.named_parameters():
            self.shadow[name] = param.data.clone()

    def update(self):
        for name, param in self.model.named_parameters():
            new = 0.1 * param.data + 0.9 * self.shadow[name]
            self.shadow[name] = new.clone()


if __name__ == "__main__":
    model = torch.nn.Linear(4, 2)
    average = Average(model)
    average.register()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device)
    for _ in range(3):
        average.update()
"""


def test_copies_of_weights_made_before_the_device_is_chosen_come_to_the_weights() -> None:
    fixed = fix_texts({"main.py": EARLY})[0]["main.py"]
    changed = set(fixed.splitlines()) - set(EARLY.splitlines())
    assert changed == {"            new = 0.1 * param.data + (0.9 * self.shadow[name]).to(param.device)"}


def test_a_number_that_an_object_keeps_names_no_device_in_a_closure() -> None:
    text = """\
    import torch


    class Tracker:
        def __init__(self, layer):
            self.rate, self.mean = 0.9, torch.zeros(2)
            layer.register_forward_hook(self.hook())

        def hook(self):
            def update(module, inputs, output):
                self.mean = self.rate * self.mean + (1 - self.rate) * output.detach().mean(0)

            return update


    layer = torch.nn.Linear(3, 2).cuda()
    tracker = Tracker(layer)
    layer(torch.ones(4, 3).cuda())
    """
    fixed = fix_texts({"main.py": dedent(text)})[0]["main.py"]
    assert "self.rate.device" not in fixed
    assert fixed != dedent(text)


@pytest.mark.parametrize("caller", ["train", "step"])
def test_what_a_script_has_there_names_the_device_though_others_may_give_anything(caller: str) -> None:
    text = """\
    import torch
    from torch import nn


    def step(net, data):
        hidden = net(data["x"].cuda())
        rest = torch.zeros(1, hidden.size(1))
        return torch.cat((hidden.view(-1, 2), rest)).sum()


    def train(batches, net):
        for data in batches:
            step(net, data).backward()


    if __name__ == "__main__":
        batch = {"x": torch.ones(3, 4)}
        %s(%s)
    """
    given = {"train": "[batch], nn.Linear(4, 2).cuda()", "step": "nn.Linear(4, 2).cuda(), batch"}
    before = dedent(text) % (caller, given[caller])
    fixed = fix_texts({"main.py": before})[0]["main.py"]
    changed = set(fixed.splitlines()) - set(before.splitlines())
    assert changed == {"    rest = torch.zeros(1, hidden.size(1), device=hidden.device)"}


def test_what_a_closure_sees_is_made_on_the_device() -> None:
    before = files(
        """
        import torch

        def make_scan(n):
            h0 = torch.zeros(n)

            def scan(a, xs):
                h = h0
                for x in xs.unbind(1):
                    h = a * h + x
                return h

            return scan

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        scan = make_scan(4)
        print(scan(torch.ones(4, device=device), torch.ones(2, 3, 4, device=device)).sum())
        """
    )
    after = fix_texts(before)[0]["main.py"]
    assert after == before["main.py"].replace("torch.zeros(n)", "torch.zeros(n, device=device)")


def test_of_what_a_part_is_used_is_made_on_the_device() -> None:
    """The attribute is a factory call, which is told the device; what is drawn at random moves once it is drawn."""
    before = files(
        """
        import torch
        from torch import nn

        class Padded:
            def __init__(self, net, shape, device):
                self.filler = torch.zeros(3, *shape)
                self.noise = torch.randn(3, 4)
                self.net = net.to(device)

            def run(self, x):
                return self.net(x + self.filler[1:] + self.noise[1:])

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        Padded(nn.Linear(4, 2), (4,), device).run(torch.ones(2, 4, device=device))
        """
    )
    after = fix_texts(before)[0]["main.py"]
    told = before["main.py"].replace("zeros(3, *shape)", "zeros(3, *shape, device=device)")
    assert after == told.replace("randn(3, 4)", "randn(3, 4).to(device)")
