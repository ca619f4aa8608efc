"""Classes of ``attrs`` whose fields are made by calls, and whose defaults are methods."""

from __future__ import annotations

from test_adoption import CHOICE, adopted
from text_program import clashes, files

TRAINING = """
import attr
import torch
from attr import Factory, attrib


@attr.s
class Sizes:
    width = attrib(default=4, converter=int)
    names = attr.ib(factory=list)


@attr.attrs
class Training:
    sizes = attrib(default=Factory(Sizes))
    net = attrib()
    optimizer = attrib()
    scale = attrib(default=1.0)

    @net.default
    def default_net(self):
        return torch.nn.Linear(self.sizes.width, 1)

    @optimizer.default
    def default_optimizer(self):
        return torch.optim.SGD(self.net.parameters(), lr=0.1)


training = Training({given})
print(training.net(torch.ones(2, 4)).sum().item() * training.scale)
"""


def test_a_model_that_is_a_default_is_adopted() -> None:
    after = adopted(files(TRAINING.format(given="sizes=Sizes(width=4)")))["main.py"]
    assert f"device = {CHOICE}" in after
    assert "return torch.nn.Linear(self.sizes.width, 1).to(device)" in after
    assert "training.net(torch.ones(2, 4, device=device))" in after


def test_what_is_given_stands_for_the_default() -> None:
    given = 'net=torch.nn.Linear(4, 1).to("cuda"), optimizer=None'
    assert clashes(TRAINING.format(given=given)) == ["30: device"]
    assert clashes(TRAINING.format(given=given).replace("(2, 4)", '(2, 4, device="cuda")')) == []


def test_fields_come_in_their_order_whatever_makes_them() -> None:
    text = """
    import attr
    import torch


    @attr.s
    class Pair:
        first = attr.ib()
        second = attr.ib(default=None)
        note = "of no field"

        @second.default
        def _second(self):
            return self.first * 2


    moved = attr.evolve(Pair(torch.ones(2)), first=torch.ones(2, device="cuda"))
    print(Pair(torch.ones(2).to("cuda")).second + torch.ones(2))
    print(moved.first + moved.second)
    """
    assert clashes(text) == ["18: device", "19: device"]


def test_a_plain_class_has_no_fields() -> None:
    text = """
    import torch
    from attr import attrib


    class Plain:
        first = attrib(default=torch.ones(2))


    print(Plain().first + torch.ones(2, device="cuda"))
    """
    assert clashes(text) == []
