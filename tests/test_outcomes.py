"""Outcomes: calls that are like earlier ones are not interpreted, and differ where they must."""

from __future__ import annotations

from text_program import analyse_text, clashes, program

from devfix.analysis.entries import run_program
from devfix.analysis.record.recorder import Recorder

LIBRARY = """
import torch
from torch import nn
"""


def calls_followed(text: str, name: str) -> int:
    """How often a function of the program was interpreted."""
    found = program(LIBRARY + text)
    library = run_program(found, Recorder())
    tree = found.sources["main.py"].tree
    (function,) = [node for node in tree.body if getattr(node, "name", "") == name]
    library.begin_anew()
    return library.ledger.recent[0]["main.py", function.lineno, function.col_offset][0]


def users(call: str) -> str:
    """Many functions that nobody calls, and that make one call."""
    return "\n".join(
        f"def user{number}(x: torch.Tensor, y: torch.Tensor):\n    return {call}\n" for number in range(20)
    )


def test_calls_that_are_alike_are_followed_once() -> None:
    assert (
        calls_followed("def double(x):\n    return x * 2\n" + users("double(x) + double(y)"), "double") <= 3
    )


def test_calls_with_other_constants_are_followed() -> None:
    helper = "def grown(x, n):\n    return x * n\n"
    users = "\n".join(f"def user{n}(x: torch.Tensor):\n    return grown(x, {n})\n" for n in range(9))
    assert calls_followed(helper + users, "grown") >= 9


def test_the_result_is_where_the_argument_of_this_call_is() -> None:
    found = clashes(
        LIBRARY
        + """
def double(x):
    return x * 2

class First(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
    def forward(self, x: torch.Tensor):
        return double(self.weight) + double(torch.ones(3)) + x

class Second(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
    def forward(self, x: torch.Tensor):
        return double(x) + double(self.weight) + double(torch.ones(3))
"""
    )
    assert [line.partition(":")[0] for line in found] == ["13", "20"]


def test_what_an_object_holds_is_not_taken_for_what_another_holds() -> None:
    assert (
        clashes(
            LIBRARY
            + """
class Spec:
    def __init__(self, there):
        self.there = there
    def place(self, x):
        return x if self.there else torch.zeros(3)

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
    def forward(self, x: torch.Tensor):
        a, b = Spec(False).place(x), Spec(False).place(x)
        return Spec(True).place(x) * self.weight
"""
        )
        == []
    )


def test_a_call_that_changes_what_it_is_given_is_followed_each_time() -> None:
    assert clashes(
        LIBRARY
        + """
def fill(parts, x):
    parts.append(x)

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
    def forward(self, x: torch.Tensor):
        first, second, third = [], [], []
        fill(first, torch.ones(3))
        fill(second, torch.ones(3))
        fill(third, torch.ones(3))
        return self.weight * third[0]
"""
    ) == ["17: device"]


def test_modules_may_import_one_another_hundreds_deep() -> None:
    chain = {f"part{number}": f"from part{number + 1} import weight\n" for number in range(400)}
    last = "import torch\nweight = torch.ones(3, device='cuda')\n"
    facts = analyse_text(
        "import torch\nfrom part0 import weight\nweight * torch.ones(3)\n", part400=last, **chain
    )
    assert [mismatch.sink.line for mismatch in facts.mismatches()] == [3]


def test_what_changes_a_variable_of_others_is_interpreted_each_time() -> None:
    text = """
        import torch

        where = "cpu"

        def use_accelerator():
            global where
            where = "cuda"

        def made():
            return torch.ones(3, device=where)

        def entry():
            a = made()
            use_accelerator()
            return a + made()

        entry()
        """
    assert clashes(text) == ["16: device"]


def test_calls_that_give_what_was_there_before_are_followed_once() -> None:
    helper = """
def relu(x):
    return x.relu()

def chosen(name):
    return (relu, [3, name])[0] if name else None
"""
    users = "\n".join(f"def user{n}(x: torch.Tensor):\n    return chosen('relu')(x)\n" for n in range(9))
    assert calls_followed(helper + users, "chosen") <= 2


def test_calls_that_make_an_object_are_followed_each_time() -> None:
    helper = "def made(name):\n    return [name, []]\n"
    users = "\n".join(f"def user{n}(x: torch.Tensor):\n    return made('relu')\n" for n in range(5))
    assert calls_followed(helper + users, "made") >= 5
