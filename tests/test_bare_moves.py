"""A module moves by ``.cuda()`` where its inputs do and no device has a name, under the guard that they have."""

from __future__ import annotations

import pytest
from text_program import fix_texts

PROGRAM = """
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()

def batch():
    x, y = torch.ones(4, 3), torch.zeros(4)
    {move}
    return x

net = nn.Linear(3, 2)
{after}
for _ in range(2):
    net(batch()).sum().backward()
"""
GUARDED = "if args.cuda:\n        x = x.cuda()\n        y = y.cuda()"


def _program(
    move: str = GUARDED, after: str = "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)"
) -> str:
    return PROGRAM.format(move=move, after=after)


def _fixed(text: str) -> str:
    return fix_texts({"main.py": text})[0]["main.py"]


def test_the_option_that_guards_the_inputs_guards_the_module() -> None:
    text = _program()
    moved = text.replace("net = nn.Linear(3, 2)\n", "net = nn.Linear(3, 2)\nif args.cuda:\n    net.cuda()\n")
    assert _fixed(text) == moved
    assert _fixed(moved) == moved


def test_a_block_with_that_guard_takes_the_move() -> None:
    text = _program(after="if args.cuda:\n    torch.backends.cudnn.benchmark = True")
    assert _fixed(text) == text.replace(
        "if args.cuda:\n    torch", "if args.cuda:\n    net.cuda()\n    torch"
    )


CHOICE = """\
if args.deep:
    net = nn.Sequential(nn.Linear(3, 2))
else:
    net = nn.Linear(3, 2)
"""


def test_whichever_of_two_modules_it_is_moves_after_the_choice() -> None:
    text = _program().replace("net = nn.Linear(3, 2)\n", CHOICE)
    text = text.replace("args = ", 'parser.add_argument("--deep", action="store_true")\nargs = ')
    moved = text.replace(CHOICE, f"{CHOICE}if args.cuda:\n    net.cuda()\n")
    assert _fixed(text) == moved
    assert _fixed(moved) == moved


def test_modules_of_a_choice_that_move_on_their_own_are_left_alone() -> None:
    own = CHOICE.replace("3, 2))\n", "3, 2)).cuda()\n").replace("3, 2)\n", "3, 2).cuda()\n")
    text = _program("x, y = x.cuda(), y.cuda()").replace("net = nn.Linear(3, 2)\n", own)
    text = text.replace("args = ", 'parser.add_argument("--deep", action="store_true")\nargs = ')
    assert _fixed(text) == text


def test_what_needs_the_module_before_that_block_gets_it_moved() -> None:
    text = _program(
        after="optimizer = torch.optim.Adagrad(net.parameters())\nif args.cuda:\n    print('cuda')"
    )
    made = "net = nn.Linear(3, 2)\n"
    assert _fixed(text) == text.replace(made, f"{made}if args.cuda:\n    net.cuda()\n")


def test_inputs_that_always_move_are_followed_by_a_device_of_the_file() -> None:
    assert "net = nn.Linear(3, 2).to(device)\n" in _fixed(_program("x = x.cuda()"))


@pytest.mark.parametrize(
    "move",
    [
        "if torch.cuda.is_available():\n        x = x.cuda()",
        "if len(x) > 2:\n        x = x.cuda()",
        "if args.cuda:\n        x = x.cuda()\n    else:\n        x = x + 1",
        "if args.cuda:\n        x = x.cuda()\n        print(x)",
        "use = args.cuda\n    if use:\n        x = x.cuda()",
        "if args.cuda:\n        x = x.cuda(0)",
    ],
)
def test_a_guard_that_says_something_else_is_not_taken_over(move: str) -> None:
    fixed = _fixed(_program(move))
    assert "if args.cuda:\n    net" not in fixed
    assert "if use:\n    net" not in fixed


@pytest.mark.parametrize(
    "move",
    [
        "x = x.cuda() if args.cuda else x + 0",
        "for use in (args.cuda,):\n        if use:\n            x = x.cuda()",
        "if args.cuda:\n        if torch.rand(1) > 0:\n            x = x.cuda()",
    ],
)
def test_what_else_is_asked_guards_no_module(move: str) -> None:
    assert "net.cuda()" not in _fixed(_program(move))


@pytest.mark.parametrize(
    "move",
    [
        "if args.cuda:\n        x = x.cuda()",
        "if args.cuda:\n        x, y = x.cuda(), y.cuda()",
        "x = x.cuda() if args.cuda else x",
    ],
)
def test_an_option_guards_one_move_or_several(move: str) -> None:
    text = _program(move)
    made = "net = nn.Linear(3, 2)\n"
    assert _fixed(text) == text.replace(made, f"{made}if args.cuda:\n    net.cuda()\n")


def test_an_option_that_is_set_later_guards_nothing_yet() -> None:
    text = _program(after="args.cuda = args.cuda and torch.cuda.is_available()")
    assert "if args.cuda:\n    net" not in _fixed(text)


BESIDE = """
import torch
from torch import nn

def check(net, x):
    return net(x.cuda())

if __name__ == "__main__":
    net = nn.Linear(3, 2)
    for x in torch.ones(4, 2, 3):
        {move}
        net(x).sum().backward()
    check(net, torch.ones(2, 3))
"""


def test_beside_inputs_that_always_move_a_module_does_too() -> None:
    text = BESIDE.format(move="x = x.cuda()")
    made = "net = nn.Linear(3, 2)\n"
    assert _fixed(text) == text.replace(made, f"{made}    net.cuda()\n")


def test_where_some_inputs_move_by_choice_no_module_always_does() -> None:
    assert "\n    net.cuda()" not in _fixed(
        BESIDE.format(move="if torch.cuda.is_available():\n            x = x.cuda()")
    )


OWN = """
import torch
from torch import nn
from helper import to_var

class Trainer:
    def __init__(self, gpu=True):
        self.gpu = gpu
        self.build()

    def seed(self):
        {guard}

    def build(self):
        self.net = nn.Linear(3, 2)
        if self.gpu:
            torch.backends.cudnn.benchmark = True

    def step(self, x):
        return self.net(to_var(x, self.gpu))

print(Trainer().step(torch.ones(4, 3)))
"""
HELPER = """
def to_var(x, gpu):
    if not x.is_cuda and gpu:
        x = x.cuda()
    return x
"""


@pytest.mark.parametrize(
    "guard",
    ["if self.gpu:\n            torch.cuda.manual_seed(1)", "if self.gpu:\n            self.net.cuda()"],
)
def test_a_flag_that_the_file_asks_for_other_moves_is_asked_where_it_is_asked_already(guard: str) -> None:
    text = OWN.format(guard=guard)
    fixed = fix_texts({"main.py": text, "helper.py": HELPER})[0]
    asked = "        if self.gpu:\n            torch.backends"
    assert fixed["main.py"] == text.replace(
        asked, asked.replace("torch.backends", "self.net.cuda()\n            torch.backends")
    )
    assert fixed["helper.py"] == HELPER


@pytest.mark.parametrize(
    "guard", ["if self.gpu:\n            torch.cuda.synchronize()", "if self.gpu:\n            print(1)"]
)
def test_a_flag_that_is_asked_for_something_else_guards_no_module(guard: str) -> None:
    fixed = fix_texts({"main.py": OWN.format(guard=guard), "helper.py": HELPER})[0]
    assert "self.net.cuda()" not in fixed["main.py"]


def test_what_is_available_guards_the_module_in_another_file_as_well() -> None:
    helper = "import torch\n\ndef to_var(x):\n    if torch.cuda.is_available():\n        x = x.cuda()\n    return x\n"
    text = """
import torch
from torch import nn
from helper import to_var

net = nn.Linear(3, 2)
print(net(to_var(torch.ones(4, 3))))
"""
    fixed = fix_texts({"main.py": text, "helper.py": helper})[0]
    made = "net = nn.Linear(3, 2)\n"
    assert fixed["main.py"] == text.replace(made, f"{made}if torch.cuda.is_available():\n    net.cuda()\n")
    assert fixed["helper.py"] == helper


def test_a_device_with_a_name_is_taken_before() -> None:
    text = _program(after="").replace(
        "def batch", "device = torch.device('cuda' if args.cuda else 'cpu')\n\ndef batch"
    )
    assert "net = nn.Linear(3, 2).to(device)\n" in _fixed(text)


AMONG = """
import torch
from torch import nn

def train(net, loader):
    for x in loader:
        x = x.cuda(non_blocking=True)
        net(x).sum().backward()

def main(check):
    {before}
    net = nn.Linear(3, 2)
    {after}
    train(net, [torch.ones(4, 3)])

main(False)
"""
LOSS = "loss = nn.MSELoss().cuda()"


@pytest.mark.parametrize(
    ("before", "after"),
    [(LOSS, "print(net)"), ("print()", LOSS), ("print()", f"if check:\n        print(net)\n    {LOSS}")],
)
def test_among_other_moves_a_module_moves_like_them(before: str, after: str) -> None:
    text = AMONG.format(before=before, after=after)
    made = "net = nn.Linear(3, 2)\n"
    assert _fixed(text) == text.replace(made, f"{made}    net.cuda()\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"if check:\n        {LOSS}", "print(net)"),
        ("print()", f"if check:\n        return print(net)\n    {LOSS}"),
        ("import sys", f"if check:\n        sys.exit(0)\n    {LOSS}"),
        ("print()", "loss = nn.MSELoss().cuda() if torch.cuda.is_available() else nn.MSELoss()"),
        ("make = lambda: nn.MSELoss().cuda()", "print(net)"),
        ("loss = nn.MSELoss().cuda(1)", "print(net)"),
        ("print()", f"def judge():\n        {LOSS}"),
    ],
)
def test_what_other_runs_do_not_move_moves_no_module(before: str, after: str) -> None:
    text = AMONG.format(before=before, after=after)
    assert "net = nn.Linear(3, 2).to(" in _fixed(text)


EITHER = """
import sys
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, gpu):
        super().__init__()
        self.fc = nn.Linear(3, 2)
        self.gpu = gpu

    def forward(self, x):
        noise = torch.zeros(1, 3)
        if self.gpu:
            noise = noise.cuda()
        return self.fc(noise + x)

use_gpu = "cpu" not in sys.argv and torch.cuda.is_available()
net = Net(use_gpu)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.ones(4, 3)
if use_gpu:
    loss = net(x.cuda()).sum(){other}
else:
    loss = net(x).sum()
print(loss.item())
"""


def test_a_flag_by_which_a_file_moves_or_does_the_same_without_guards_the_module() -> None:
    text = EITHER.format(other="")
    made = "net = Net(use_gpu)\n"
    assert _fixed(text) == text.replace(made, f"{made}if use_gpu:\n    net.cuda()\n")


def test_a_flag_by_which_a_file_does_something_else_guards_no_module() -> None:
    assert "net.cuda()" not in _fixed(EITHER.format(other=" * 2"))


HARD_CODED = """
import argparse
import torch
from torch import nn

def train(net, data):
    for x in data:
        net({moved}).sum().backward()

def test(net, data):
    return [net(x.cuda()).sum().item() for x in data]

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--testing", action="store_true")
    args = parser.parse_args()
    net = nn.Linear(3, 2)
    data = torch.ones(4, 2, 3)
    {used}
"""
MADE = "    net = nn.Linear(3, 2)\n"
WHICHEVER = "if args.testing:\n        print(test(net, data))\n    else:\n        train(net, data)"


@pytest.mark.parametrize("used", [WHICHEVER, "train(net, data)", "print(net)\n    loss = train(net, data)"])
def test_a_module_moves_as_all_does_that_each_run_comes_to(used: str) -> None:
    text = HARD_CODED.format(moved="x.cuda()", used=used)
    assert _fixed(text) == text.replace(MADE, f"{MADE}    net.cuda()\n")


def test_a_module_moves_under_the_test_by_which_what_it_meets_is_chosen() -> None:
    chosen = "x.cuda() if torch.cuda.is_available() else x"
    text = HARD_CODED.format(moved=chosen, used="train(net, data)")
    guarded = "    if torch.cuda.is_available():\n        net.cuda()\n"
    assert _fixed(text) == text.replace(MADE, MADE + guarded)


@pytest.mark.parametrize(
    ("moved", "used"),
    [
        ("x.cuda()", 'train(net, data)\n    print(net.weight.device.type == "cpu")'),
        ("x.cuda()", "if args.testing:\n        train(net, data)"),
        ("x.cuda()", "if args.testing:\n        raise SystemExit\n    train(net, data)"),
        ("x.cuda()", "losses = [train(net, each) for each in data[None]]"),
    ],
)
def test_a_module_that_other_runs_have_on_another_place_gets_a_device(moved: str, used: str) -> None:
    assert "    net.cuda()\n" not in _fixed(HARD_CODED.format(moved=moved, used=used))


GIVEN = """
import argparse
import torch
from torch import nn

def build():
    return nn.Linear(3, 2)

def train(options{more}):
    net = build()
    {before}
    for _ in range(2):
        x = torch.ones(4, 3)
        if {test}:
            x = x.cuda()
        net(x).sum().backward()

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default=-1)
train(parser.parse_args())
"""


@pytest.mark.parametrize("test", ["options.gpu", "options.gpu >= 0", "options.gpu != -1", "not options.gpu"])
def test_an_option_that_the_function_was_given_guards_its_module(test: str) -> None:
    text = GIVEN.format(test=test, before="pass", more="")
    made = "net = build()\n"
    assert _fixed(text) == text.replace(made, f"{made}    if {test}:\n        net.cuda()\n")


@pytest.mark.parametrize(
    ("test", "before", "more"),
    [
        ("options.gpu >= 0", "options.gpu = 0", ""),
        ("options.gpu >= 0", "options = parser.parse_args()", ""),
        ("options.gpu >= limit", "pass", ", limit=0"),
        ("options.gpu + 1 > 0", "pass", ""),
        ("len(x) > 0", "pass", ""),
    ],
)
def test_what_a_function_changes_or_computes_guards_no_module(test: str, before: str, more: str) -> None:
    assert "net.cuda()" not in _fixed(GIVEN.format(test=test, before=before, more=more))
