"""``type`` with three arguments makes a class like one that a statement defines."""

from __future__ import annotations

import pytest
from text_program import Ending, clashes, files, fix_texts

CHOICE = 'torch.device("cuda" if torch.cuda.is_available() else "cpu")'

SETTINGS = f"""
    import torch

    HP = type("HP", (), {{}})()
    HP.device = {CHOICE}
    HP.width = 2
    net = torch.nn.Linear(HP.width, 2).to(HP.device)
    net(torch.ones(3, 2))
"""

BASE = """
    import torch

    class Base:
        def move(self, x):
            return x.to(self.device)

    def init(self, device):
        self.device = device

    {made}
    c = {instance}
    x = torch.ones(3, 2)
"""


def test_an_object_of_a_class_without_anything_keeps_what_it_is_given() -> None:
    assert clashes(SETTINGS) == ["8: device"]
    fixed = fix_texts(files(SETTINGS))[0]["main.py"]
    assert fixed.splitlines()[-1] == "net(torch.ones(3, 2, device=HP.device))"


@pytest.mark.parametrize(
    ("made", "instance"),
    [
        ('C = type("C", (Base,), {"__init__": init})', 'C(torch.device("cuda"))'),
        ('C = type("C", (Base,), {"device": torch.device("cuda")})', "C()"),
        ('C = type("C", (Base,), dict(device=torch.device("cuda")))', "C()"),
        ('Over = type("Over", (object,), {})\n    C = type("C", (Base, Over), {})', "C()"),
        ('C = type("C", (Base,), {"move": lambda self, x: x.cuda()})', "C()"),
    ],
)
def test_it_has_what_its_bases_and_its_namespace_hold(made: str, instance: str) -> None:
    text = BASE.format(made=made, instance=instance)
    text += '    c.device = torch.device("cuda")\n' if "Over" in made else ""
    end = Ending(text + "    on = c.move(x)\n    there = on.device\n")
    assert "accelerator" in str(end["there"])


def test_a_module_made_so_is_a_module() -> None:
    text = """
        import torch

        def init(self):
            torch.nn.Module.__init__(self)
            self.fc = torch.nn.Linear(2, 2)

        Net = type("Net", (torch.nn.Module,), {"__init__": init, "forward": lambda self, x: self.fc(x)})
        net = Net().cuda()
        net(torch.ones(3, 2))
    """
    assert clashes(text) == ["8: device"]


@pytest.mark.parametrize(
    "made",
    [
        'type("HP", (), settings())()',
        'type("HP", bases(), {})()',
        'type("HP", (), {**settings()})()',
        'type("HP", (), {}, flag=True)()',
    ],
)
def test_nothing_is_known_of_one_that_is_made_of_something_unknown(made: str) -> None:
    text = SETTINGS.replace('type("HP", (), {})()', made).replace(
        "import torch\n", "import torch\n    from elsewhere import bases, settings\n"
    )
    assert clashes(text) == []


def test_each_call_makes_a_class_of_its_own() -> None:
    text = """
        import torch

        def made(name, device):
            return type(name, (), {"device": device})

        here, there = made("Here", torch.device("cpu")), made("There", torch.device("cuda"))
        torch.nn.Linear(2, 2).to(here.device)(torch.ones(3, 2, device=here.device))
        torch.nn.Linear(2, 2).to(there.device)(torch.ones(3, 2, device=there.device))
    """
    assert clashes(text) == []
