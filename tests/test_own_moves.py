"""Objects of the program that move what they keep: one more attribute there, or a call of their method."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

STORAGE = """
import torch
from torch import nn


class Storage:
    def __init__(self, steps):
        self.states = torch.zeros(steps, 4)
        self.rewards = torch.zeros(steps, 2)
        self.masks = torch.ones(steps, 2)

    def to(self, device):
        self.states = self.states.to(device)
        self.rewards = self.rewards.to(device)
        self.masks = self.masks.to(device)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(4, 2).to(device)
    storage = Storage(5)
    storage.to(device)
    values = net(storage.states)
    print(((values - storage.rewards) * storage.masks).mean())


main()
"""


def mended(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]


def test_a_right_program_stays_as_it_is() -> None:
    assert mended(STORAGE) == STORAGE


def test_an_attribute_that_was_left_out_moves_beside_its_neighbours() -> None:
    for line in (
        "        self.rewards = self.rewards.to(device)\n",
        "        self.masks = self.masks.to(device)\n",
    ):
        assert mended(STORAGE.replace(line, "")) == STORAGE


def test_the_call_that_is_missing_is_put_where_the_object_is_made() -> None:
    assert mended(STORAGE.replace("    storage.to(device)\n", "")) == STORAGE


def test_what_one_object_of_several_keeps_is_moved_elsewhere() -> None:
    text = STORAGE.replace("    storage.to(device)\n", "    other = Storage(2)\n    print(other.states)\n")
    after = mended(text)
    assert "other.to(" not in after
    assert after.count(".to(device)") > text.count(".to(device)")


GRAPH = """
import torch


class Graph:
    def __init__(self, features, labels):
        self.features = features
        self.labels = labels

    def to(self, device):
        self.features = self.features.to(device)
        self.labels = self.labels.to(device)


def load(n):
    features = torch.cat([torch.eye(n), torch.zeros(n, n)])
    labels = features.max(dim=1)[1]
    graph = Graph(features / 2, labels)
    return graph
"""
USE = """
import torch
from torch import nn
from data import load

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
graph = load(4)
graph.to(device)
net = nn.Linear(4, 4).to(device)
print(nn.functional.cross_entropy(net(graph.features), graph.labels))
"""


def used(data: str, use: str) -> dict[str, str]:
    return fix_texts({"data.py": data, "main.py": use})[0]


def test_what_was_computed_before_it_was_kept_moves_beside_its_neighbours() -> None:
    """Those are two at least."""
    data = GRAPH.replace("labels = labels\n", "labels = labels\n        self.mask = labels > 0\n")
    data = data.replace("device):\n", "device):\n        self.mask = self.mask.to(device)\n")
    for name in ("features", "labels"):
        line = f"        self.{name} = self.{name}.to(device)\n"
        assert used(data.replace(line, ""), USE)["data.py"].count(line) == 1


def test_the_call_that_is_missing_is_put_where_a_function_has_returned_the_object() -> None:
    assert used(GRAPH, USE.replace("graph.to(device)\n", "")) == {"data.py": GRAPH, "main.py": USE}


def test_the_device_is_imported_from_where_others_have_it() -> None:
    main = "from data import load\nfrom train import run\n\ngraph = load(4)\nrun(graph)\n"
    train = USE.replace("from data import load\n", "").replace("graph = load(4)\ngraph.to(device)\n", "")
    head, _, body = train.partition("net =")
    lines = [f"    {line}\n" for line in f"net ={body}".splitlines()]
    train = f"{head}\n\ndef run(graph):\n{''.join(lines)}"
    after = fix_texts({"data.py": GRAPH, "train.py": train, "main.py": main})[0]
    assert after["data.py"] == GRAPH
    assert after["train.py"] == train
    assert after["main.py"] == main.replace("import run", "import run, device").replace(
        "load(4)\n", "load(4)\ngraph.to(device)\n"
    )


@pytest.mark.parametrize("called", ["    storage.to(device)\n", ""])
def test_what_need_not_be_there_moves_where_it_is(called: str) -> None:
    text = STORAGE.replace("steps):", "steps, extra=None):").replace(
        "Storage(5)", "Storage(5, torch.ones(2))"
    )
    text = text.replace("        self.states", "        self.extra = extra\n        self.states", 1)
    text = text.replace("storage.masks)", "storage.masks * storage.extra)").replace(
        "    storage.to(device)\n", called
    )
    after = mended(text)
    assert (
        "self.extra = self.extra.to(device)\n" not in after
        or "        if self.extra is not None:\n            self.extra" in after
    )
    assert clashes(after) == []


def test_what_moves_where_it_is_there_is_moved_already() -> None:
    moved = "        self.masks = self.masks.to(device) if self.masks is not None else None\n"
    text = STORAGE.replace("        self.masks = self.masks.to(device)\n", moved)
    assert mended(text) == text
    assert mended(text.replace("    storage.to(device)\n", "")) == text


POLICY = """
import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self, space):
        super().__init__()
        self.lin = nn.Linear(3, 2)
        self.scale = torch.FloatTensor(space[1])
        self.bias = torch.FloatTensor(space[0])

    def forward(self, x):
        return self.lin(x) * self.scale + self.bias

    def to(self, device):
        {moves}
        return super().to(device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = {net}
print(net(torch.ones(4, 3, device=device)).sum())
"""
BOTH = "self.scale = self.scale.to(device)\n        self.bias = self.bias.to(device)"
NET = "Policy([[0.0, 1.0], [1.0, 2.0]])"


def test_an_attribute_of_a_module_moves_in_the_method_that_moves_the_others() -> None:
    text = POLICY.format(moves=BOTH, net=f"{NET}.to(device)")
    assert mended(text) == text
    for kept in BOTH.split("\n        "):
        moves = BOTH.replace(kept, "").strip()
        after = mended(POLICY.format(moves=moves, net=f"{NET}.to(device)"))
        assert "register_buffer" not in after
        assert sorted(BOTH.split()) == sorted(
            after.partition("def to(self, device):")[2].split("return")[0].split()
        )


def test_where_the_method_is_not_called_attributes_become_buffers() -> None:
    """``nn.Sequential`` moves its parts without their own method."""
    moves = "self.bias = self.bias.to(device)"
    after = mended(POLICY.format(moves=moves, net=f"nn.Sequential({NET}).to(device)"))
    assert "self.scale = self.scale.to(device)" not in after
    assert clashes(after) == []


def test_what_may_be_a_number_is_not_asked_to_move() -> None:
    text = POLICY.format(moves="self.bias = self.bias.to(device)", net=f"{NET}.to(device)")
    text = text.replace(
        "        self.scale = torch.FloatTensor(space[1])\n",
        "        if len(space) > 5:\n            self.scale = 1.0\n        else:\n            self.scale = torch.FloatTensor(space[1])\n",
    ).replace(NET, "Policy(eval(input()))")
    assert "self.scale = self.scale.to(device)" not in mended(text)


#: What trains a tensor that a module, or another object, keeps beside others that its own method moves.
TRAINED = """
import torch
from torch import nn


class Scale({base}):
    def __init__(self):
        super().__init__()
        self.bias = torch.zeros(2)
        self.low = torch.zeros(2)
        self.scale = {made}

    def to(self, device):
        self.bias = self.bias.to(device)
        self.low = self.low.to(device)

    def __call__(self, x):
        return x * self.scale + self.bias + self.low


net = Scale()
optimizer = torch.optim.SGD([net.scale], 0.1)
net.to("cuda")
for _ in range(2):
    loss = net(torch.ones(2, device="cuda")).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize("base", ["object", "nn.Module"])
@pytest.mark.parametrize(
    "made", ["torch.ones(2, requires_grad=True)", "torch.ones(2)\n        self.scale.requires_grad = True"]
)
def test_a_leaf_that_is_trained_stays_the_tensor_that_the_optimizer_has(base: str, made: str) -> None:
    text = TRAINED.format(base=base, made=made)
    assert mended(text) == text.replace("x * self.scale", "x * self.scale.to(x.device)")


@pytest.mark.parametrize("base", ["object", "nn.Module"])
def test_what_is_not_trained_moves_as_the_others_do(base: str) -> None:
    text = TRAINED.format(base=base, made="torch.ones(2)").replace("[net.scale]", "[torch.ones(2)]")
    assert "self.scale = self.scale.to(device)" in mended(text)
