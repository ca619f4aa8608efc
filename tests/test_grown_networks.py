"""Networks whose layers are not known one by one: lists that grow in loops, parts of models from elsewhere."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import clashes

PROGRAM = """
import torch
import torch.nn as nn
from torchvision import models
x = torch.ones(1, 3, 8, 8)
"""


def faults(text: str) -> list[str]:
    """The lines (after the head) on which something is wrong, each once."""
    lines = (PROGRAM + dedent(text)).splitlines()
    found = [lines[int(found.split(":")[0]) - 1].strip() for found in clashes("\n".join(lines) + "\n")]
    return list(dict.fromkeys(found))


def test_a_list_of_layers_that_grew_in_loops() -> None:
    assert faults("""
        class Net(nn.Module):
            def __init__(self, blocks):
                super().__init__()
                layers = [nn.ReflectionPad2d(3), nn.Conv2d(3, 8, 7), nn.InstanceNorm2d(8), nn.ReLU()]
                for _ in range(2):
                    layers += [nn.Conv2d(8, 8, 3), nn.InstanceNorm2d(8), nn.ReLU()]
                for _ in range(blocks):
                    layers += [nn.Conv2d(8, 8, 3)]
                for _ in range(2):
                    layers += [nn.Upsample(scale_factor=2), nn.Conv2d(8, 8, 3), nn.InstanceNorm2d(8), nn.ReLU()]
                layers += [nn.Conv2d(8, 3, 7), nn.Tanh()]
                self.model = nn.Sequential(*layers)
            def forward(self, x):
                return self.model(x)
        import sys
        net = Net(int(sys.argv[1])).to("cuda")
        net(x)
    """) == ["return self.model(x)"]


def test_what_an_embedding_gives_is_not_what_it_is_given() -> None:
    assert (
        faults("""
        import sys
        layers = [nn.Embedding(4, 8)]
        for _ in range(int(sys.argv[1])):
            layers.append(nn.Linear(8, 8))
        nn.Sequential(*layers)(torch.arange(4))
    """)
        == []
    )


def test_the_parts_of_a_model_from_elsewhere_move_with_what_holds_them() -> None:
    assert faults("""
        class Features(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.Sequential(*list(models.resnet18().children())[:-1])
            def forward(self, x):
                return self.layers(x)
        Features().to("cuda")(x)
    """) == ["return self.layers(x)"]
    assert faults("""
        there = x.to("cuda")
        f = nn.Sequential(*[part for name, part in models.resnet18().named_children() if name != "fc"])
        f(there)
    """) == ["f(there)"]
    assert faults("""
        vgg = models.vgg16().features.to("cuda")
        for layer in vgg:
            layer(x)
    """) == ["layer(x)"]
    assert (
        faults("""
        vgg = models.vgg16().features.to("cuda")
        y = x.to("cuda")
        for layer in vgg.children():
            y = layer(y)
        y + vgg[0](y)
    """)
        == []
    )


def test_what_cannot_be_unpacked_is_not_what_is_unpacked() -> None:
    assert faults("""
        import sys
        model = nn.Conv2d(3, 3, 3).to("cuda")
        data = [x, 1, 2] if sys.argv[1] == "a" else [x, x.to("cuda"), 1, 2]
        image, *rest = data
        image, second, i, j = data
        model(second)
        model(image)
    """) == ["model(image)"]


@pytest.mark.parametrize("length", [2, 3])
def test_a_tuple_that_does_not_fit_is_not_what_one_of_several_functions_is_given(length: int) -> None:
    wanted = ", ".join(["states", "goals", "weights"][:length])
    assert faults(f"""
        class Agent:
            def __init__(self, ranked, device="cuda"):
                self.device = device
                self.net = nn.Linear(8, 1).to(device)
                self.learn = self.learn_ranked if ranked else self.learn_plain
            def sample(self):
                return torch.ones(4, 8).to(self.device), torch.ones(4, 1), torch.ones(4)
            def step(self):
                self.learn(self.sample())
            def learn_plain(self, rows):
                {wanted} = rows
                return (self.net(states) - goals).mean()
            def learn_ranked(self, rows):
                states, goals, weights = rows
                error = self.net(states) - goals.to(self.device)
                return (error.cpu() * weights).mean()
    """) == (["return (self.net(states) - goals).mean()"] if length == 3 else [])


@pytest.mark.parametrize(
    "part", ["[nn.Linear(3, 3) for _ in range(n)]", "((nn.Linear(3, 3), nn.Tanh()) * n)"]
)
def test_a_starred_part_of_unknown_length_is_of_what_it_gives(part: str) -> None:
    text = f"""
        import sys
        n = int(sys.argv[1])
        for layer in nn.ModuleList([nn.Linear(3, 3), *{part}]).cuda():
            layer(torch.ones(1, 3))
    """
    assert faults(text) == ["layer(torch.ones(1, 3))"]
    assert faults(text.replace("torch.ones(1, 3)", "torch.ones(1, 3).cuda()")) == []


def test_a_starred_part_that_nobody_knows_leaves_all_elements_open() -> None:
    assert (
        faults("""
        import sys
        for x in [torch.ones(2), *eval(sys.argv[1])]:
            x + torch.ones(2).cuda()
    """)
        == []
    )
