"""A library that need not be installed: the program is judged as it is without it, and where it is there."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
TAIL = """

net = nn.Linear(4, 8).to(device)
x = net(torch.ones(3, 4, device=device))
"""
OWN = """
def own(x):
    return x * torch.arange(x.shape[-1])
"""
FALLBACKS = [
    """
try:
    from quick import turn
except ImportError:
    def turn(x):
        return x * torch.arange(x.shape[-1])
"""
    + TAIL
    + "turn(x)\n",
    """
try:
    from quick.layers import Scale
except (ImportError, ModuleNotFoundError):
    class Scale(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.scale = torch.ones(size)

        def forward(self, x):
            return x * self.scale
"""
    + TAIL
    + "Scale(8).to(device)(x)\n",
    """
try:
    import quick
except ImportError:
    quick = None


def turn(x):
    if quick is not None:
        return quick.turn(x)
    return x * torch.arange(x.shape[-1])
"""
    + TAIL
    + "turn(x)\n",
    f"""
try:
    from quick import turn
    HAS_QUICK = True
except Exception:
    HAS_QUICK = False

{OWN}
"""
    + TAIL
    + "(turn if HAS_QUICK else own)(x)\n",
    f"""
try:
    from .quick import turn
except ImportError:
    turn = None

{OWN}


class Net(nn.Module):
    def forward(self, x):
        return own(x) if turn is None else turn(x)
"""
    + TAIL
    + "Net()(x)\n",
]


@pytest.mark.parametrize("text", FALLBACKS)
def test_what_takes_the_place_of_a_library_is_followed(text: str) -> None:
    assert len(clashes(HEAD + text)) == 1
    right = text.replace("arange(x.shape[-1])", "arange(x.shape[-1], device=x.device)")
    right = right.replace("self.scale = torch.ones(size)", "self.scale = nn.Parameter(torch.ones(size))")
    assert not clashes(HEAD + right)


@pytest.mark.parametrize("text", FALLBACKS[2:])
def test_the_branch_of_the_library_is_followed_as_well(text: str) -> None:
    right = text.replace("arange(x.shape[-1])", "arange(x.shape[-1], device=x.device)")
    for call in ("quick.turn(x)", "else turn(x)", "(turn if HAS_QUICK"):
        right = right.replace(call, call.replace("turn(x)", "turn(x + torch.ones(8))"))
    right = right.replace(
        "(turn if HAS_QUICK else own)(x)", "if HAS_QUICK:\n    turn(x + torch.ones(8))\nelse:\n    own(x)"
    )
    assert len(clashes(HEAD + right)) == 1


@pytest.mark.parametrize(
    "tried",
    [
        "from torch.nn.functional import relu as turn",  # what is known is there
        "from quick import turn\n    turn = turn.best()",
        "from diffusers.utils import turn",
        "from torch_npu import turn",
    ],
)
def test_what_a_known_library_has_is_not_replaced(tried: str) -> None:
    text = FALLBACKS[0].replace("from quick import turn", tried)
    assert not clashes(HEAD + text)


def test_a_program_that_cannot_go_without_says_so() -> None:
    text = """
try:
    import quick
except ImportError:
    raise SystemExit("quick is needed")
"""
    assert not clashes(HEAD + text + TAIL + "quick.turn(x) + torch.ones(8)\n")


def test_what_only_the_library_needs_stays_with_it() -> None:
    text = """
try:
    import quick
    HAS_QUICK = True
except ImportError:
    HAS_QUICK = False


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = quick.table(8) if HAS_QUICK else None
        self.own = None if HAS_QUICK else nn.Parameter(torch.ones(8))
        self.host = torch.arange(8) if HAS_QUICK else torch.arange(8, device=device)

    def forward(self, x):
        if HAS_QUICK:
            return quick.turn(x, self.table, self.host)
        return x * self.own + self.host
"""
    assert not clashes(HEAD + text + TAIL + "Net().to(device)(x)\n")


@pytest.mark.parametrize(
    "fallback",
    [
        'def quick(x):\n        """Need quick."""\n        raise ImportError("no quick")',
        'class quick:\n        def __init__(self, *args):\n            raise ImportError("no quick")',
    ],
)
def test_what_only_says_that_a_library_is_missing_takes_no_place(fallback: str) -> None:
    text = f"{HEAD}\ntry:\n    from somewhere import quick\nexcept ImportError:\n    {fallback}\n"
    text += "\nquick(torch.ones(3, device=device))\ntorch.ones(3, device=device) + torch.ones(3)\n"
    assert clashes(text) == [f"{text.count(chr(10))}: device"]


@pytest.mark.parametrize("test", ["HAS_QUICK", "options.quick"])
def test_where_a_device_is_chosen_by_a_flag_other_branches_agree(test: str) -> None:
    text = f"""{HEAD}
import argparse
try:
    from somewhere import quick
    HAS_QUICK = True
except ImportError:
    HAS_QUICK = False

parser = argparse.ArgumentParser()
parser.add_argument("--quick", action="store_true")
options = parser.parse_args()
x = torch.ones(3, device=device)
weights = torch.zeros(3, device=x.device if {test} else torch.device("cpu"))
print(x + weights if {test} else x.cpu() + weights)
if not {test}:
    print(x.cpu() + weights)
else:
    print(x + weights)
"""
    assert not clashes(text)
    assert clashes(text.replace("else:\n    print(x + weights)", "else:\n    print(x.cpu() + weights)"))
