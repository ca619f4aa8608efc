"""What bounds a run that no script began, and what it finds all the same."""

from __future__ import annotations

import pytest
from text_program import clashes

from devfix.analysis.accounts import Account

HEAD = "import torch\nimport torch.nn as nn\n\n\n"
#: A function of twenty statements.
COSTLY = "def costly(n):\n" + "    n = n + 1\n" * 19 + "    return n\n\n\n"
MODEL = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor):
        n = 0
{calls}        return scaled(self.fc(x), torch.ones(4{device}))


def scaled(y, by):
    return y * by
"""


def _followed(monkeypatch: pytest.MonkeyPatch, text: str) -> int:
    """How many calls are followed."""
    booked: list[int] = []
    with monkeypatch.context() as patched:
        patched.setattr(Account, "book", _noting(booked))
        clashes(text)
    return len(booked)


def _noting(booked: list[int]):  # type: ignore[no-untyped-def]
    def book(self: Account, steps: int) -> None:
        booked.append(steps)
        self.calls += 1
        self.steps += steps

    return book


def test_a_long_run_follows_a_costly_function_less_often_where_nobody_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = "    costly(1)\n" * 100
    uncalled = _followed(monkeypatch, f"{HEAD}{COSTLY}def entry():\n{calls}")
    called = _followed(monkeypatch, f"{HEAD}{COSTLY}def entry():\n{calls}\n\nentry()\n")
    assert called == 101
    assert 0 < uncalled < 50


#: The same for a function that changes what it is given.
CHANGING = COSTLY.replace("costly(n)", "change(box, n)").replace("    n = n + 1\n", "    box.n = n\n", 1)
BOX = """class Box:
    def __init__(self):
        self.n = 0


"""


def _following(monkeypatch: pytest.MonkeyPatch, calls: list[str]) -> int:
    body = "".join(f"    {call}\n" for call in calls)
    return _followed(monkeypatch, f"{HEAD}{BOX}{CHANGING}def entry():\n    box = Box()\n{body}")


def test_a_call_like_earlier_ones_is_followed_less_often_than_others(monkeypatch: pytest.MonkeyPatch) -> None:
    alike = _following(monkeypatch, ["change(box, 1)"] * 10)
    others = _following(monkeypatch, [f"change(box, {number})" for number in range(10)])
    placed = _following(monkeypatch, ["change(box, torch.ones(4))"] * 10)
    assert alike < others == placed


def test_each_object_is_made_by_its_constructor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it an object is empty."""
    text = f"{HEAD}{BOX}def entry():\n" + "    Box()\n" * 40
    assert _followed(monkeypatch, text) > 40


#: A module that gives several things, and is called so often that it is not followed any more.
SEVERAL = f"""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        n = 0
{("        n = n + 1" + chr(10)) * 20}        return self.fc(x), n


def entry(x):
    there, here = Net().cuda(), Net()
{("    y, n = there(x)" + chr(10)) * 6}    y, n = {{called}}(x)
    return y + torch.ones(4)
"""


@pytest.mark.parametrize(("called", "expected"), [("there", True), ("here", False)])
def test_what_a_module_elsewhere_gave_is_not_where_it_was(called: str, expected: bool) -> None:
    assert bool(clashes(HEAD + SEVERAL.format(called=called))) is expected


@pytest.mark.parametrize("count", [1, 100])
def test_what_is_new_is_followed_in_a_long_run(count: int) -> None:
    calls = "        n = costly(n)\n" * count
    text = HEAD + COSTLY + MODEL
    assert clashes(text.format(calls=calls, device=""))
    assert not clashes(text.format(calls=calls, device=", device=x.device"))


def test_what_a_call_gave_in_another_run_is_not_taken_for_an_object_of_this_one() -> None:
    """A function is not interpreted for ever; what it gave before may be gone."""
    long = "\n".join(f"    a{number} = n" for number in range(900))
    text = f"""
class Holder:
    pass

def heavy(n):
{long}
    return Holder(), [n]

def first():
    return heavy(1), heavy(1), heavy(1)

def second():
    holder, rest = heavy(1)
    return holder.x, rest[0]
"""
    assert clashes(text) == []


def test_what_a_costly_function_gave_it_gives_again() -> None:
    """After so many statements a function is not followed any more; the module it was given stays where it is."""
    text = f"""{HEAD}{COSTLY}
def step(net, x):
    for i in range(40):
        n = costly(i)
    return net(x.cuda()){{}}


net = nn.Linear(4, 4).cuda()
{"step(net, torch.rand(2, 4))" + chr(10)}{"out = step(net, torch.rand(2, 4))" + chr(10)}""" + "".join(
        f"out = step(net, torch.rand({n}, 4))\n" for n in range(3, 300)
    )
    assert clashes(text.format("") + "print(out * torch.rand(2, 4))\n")
    assert not clashes(text.format(".cpu()") + "print(out * torch.rand(2, 4))\n")


def test_an_empty_dict_is_unpacked_from() -> None:
    assert (
        clashes("""
        import torch

        def walk(node, words):
            for word in words:
                node, row = node[word]
            return row

        walk({}, ["a", "b"])
    """)
        == []
    )


BASE = (
    HEAD
    + """class Base(nn.Module):
    def __init__(self):
        super().__init__()
        n = 0
{lines}        self.layers = [nn.Linear(4, n)]
"""
)
OTHER = """
class Net{number}(Base):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 4)

    def forward(self, x):
        return self.head(x)

"""
LAST = """
class Net(Base):
    def __init__(self):
        n = 0
{lines}        super().__init__()
        self.head = nn.Linear(4, 4)

    def forward(self, x):
        x = self.head(x)
        for layer in self.layers:
            x = layer(x)
        return x
"""


@pytest.mark.parametrize("count", [0, 40])
def test_what_other_files_took_of_a_constructor_does_not_hide_what_it_makes(count: int) -> None:
    begin = f"from base import Base\n{HEAD}"
    files = {
        "base": BASE.format(lines="        n = n + 1\n" * 20),
        "early": begin + "".join(OTHER.format(number=number) for number in range(count)),
        "late": begin + LAST.format(lines="        n = n + 1\n" * 400),
    }
    assert clashes("import early\nimport late\n", **files) == ["late.py:416: device"]


CHOICE = (
    HEAD
    + """
def made(kind, n):
{lines}    if kind == "index":
        return torch.zeros(4, dtype=torch.long)
    return torch.zeros(4)


def last():
{calls}    return torch.zeros(4)[made("index", 1)]
"""
)


def test_what_a_costly_function_gives_for_one_text_says_nothing_of_another() -> None:
    calls = "".join(f"    made('plain', {number})\n" for number in range(20))
    assert clashes(CHOICE.format(lines="    n = n + 1\n" * 40, calls=calls)) == []
