"""Which of the callables that an option chose a call is meant for, and what is made by name."""

from __future__ import annotations

import pytest
from text_program import clashes

MODELS = """
import argparse
import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--model", default="LSTM")
args = parser.parse_args()


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        if kind in ["LSTM", "GRU"]:
            self.rnn = getattr(nn, kind)(4, 4)
        else:
            self.rnn = nn.RNN(4, 4)
        self.kind = kind

    def forward(self, x, hidden):
        return self.rnn(x, hidden)

    def init_hidden(self):
        if self.kind == "LSTM":
            return (torch.zeros(1, 2, 4{device}), torch.zeros(1, 2, 4{device}))
        return torch.zeros(1, 2, 4{device})


class Other(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)


if args.model == "other":
    model = Other().cuda()
else:
    model = Recurrent(args.model).cuda()
x = torch.rand(3, 2, 4).cuda()
"""


def test_a_first_state_that_is_one_tensor_or_a_pair_is_what_the_layer_takes() -> None:
    text = MODELS + "if args.model != 'other':\n    out, hidden = model(x, model.init_hidden())\n"
    found = clashes(text.replace("{device}", ""))
    assert found
    assert not clashes(text.replace("{device}", ", device='cuda'"))


def test_of_two_models_the_one_that_takes_the_arguments_is_called() -> None:
    text = MODELS.replace("{device}", ", device='cuda'") + (
        "if args.model == 'other':\n    out = model(x)\nelse:\n    out, _ = model(x, model.init_hidden())\n"
        "loss = ((out - torch.rand(3, 2, 4)) ** 2).mean()\n"
    )
    assert clashes(text)


@pytest.mark.parametrize("call", ["weight_norm", "spectral_norm"])
def test_a_reparametrized_layer_is_the_layer(call: str) -> None:
    text = (
        f"import torch\nfrom torch import nn\nfrom torch.nn.utils import {call}\n"
        f"net = nn.Sequential({call}(nn.Linear(4, 4)), nn.ReLU()).cuda()\nout = net(torch.rand(2, 4)"
    )
    assert clashes(text + ")\n")
    assert not clashes(text + ".cuda())\n")


def test_an_option_names_an_optimizer() -> None:
    text = (
        "import argparse\nimport torch\nfrom torch import nn, optim\n"
        "parser = argparse.ArgumentParser()\nparser.add_argument('--optim', default='Adagrad')\n"
        "args = parser.parse_args()\nmodel = nn.Linear(4, 4)\n"
        "{early}optimizer = getattr(optim, args.optim)(model.parameters(), lr=0.1)\nmodel.cuda()\n"
        "model(torch.rand(2, 4).cuda()).sum().backward()\noptimizer.step()\n"
    )
    assert clashes(text.replace("{early}", ""))
    assert not clashes(text.replace("{early}", "model.cuda()\n"))


REPACKAGED = """
import sys
import torch
import torch.nn as nn


def detached(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(detached(v) for v in h)


def first(kind):
    if kind == "LSTM":
        return (torch.zeros(1, 2, 4{device}), torch.zeros(1, 2, 4{device}))
    return torch.zeros(1, 2, 4{device})


hidden = first(sys.argv[1])
net = nn.GRU(4, 4).cuda() if sys.argv[1] == "GRU" else nn.LSTM(4, 4).cuda()
for _ in range(3):
    hidden = detached(hidden)
    out, hidden = net(torch.rand(3, 2, 4).cuda(), hidden)
"""


def test_a_check_of_an_instance_tells_what_a_value_is() -> None:
    assert clashes(REPACKAGED.replace("{device}", ""))
    assert not clashes(REPACKAGED.replace("{device}", ", device='cuda'"))


def test_what_is_no_instance_is_something_else() -> None:
    text = (
        "import sys\nimport torch\nx = torch.rand(3) if sys.argv[1] else [torch.rand(3).cuda()]\n"
        "if not isinstance(x, list):\n    y = x + torch.rand(3).cuda()\n"
    )
    assert clashes(text)


@pytest.mark.parametrize(
    "test",
    [
        "args.resume is not None",
        "args.resume is not None and not args.fresh",
        'args.model == "other"',
        "args.resume",
    ],
)
def test_what_an_unknown_loader_gives_is_no_matter_when_the_option_is_not_given(test: str) -> None:
    text = f"""
import argparse
import torch
from torch import nn
from elsewhere import restored

parser = argparse.ArgumentParser()
parser.add_argument("--resume", default=None)
parser.add_argument("--fresh", default=0, type=int)
parser.add_argument("--model", default="lstm")
args = parser.parse_args()
if {test}:
    model = restored(args.resume)
else:
    model = nn.Linear(4, 2)
model(torch.rand(3, 4).cuda())
"""
    assert clashes(text)


@pytest.mark.parametrize(("read", "expected"), [("", ["numpy"]), (".cpu()", [])])
def test_one_of_two_objects_that_an_option_chose_hands_numpy_an_accelerator_tensor(
    read: str, expected: list[str]
) -> None:
    text = f"""
        import argparse
        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--policy", default="first")
        args = parser.parse_args()

        class First:
            def act(self):
                return torch.rand(3, device="cuda"){read}.numpy()

        class Second:
            def act(self):
                return torch.rand(3, device="cuda").cpu().numpy()

        policy = First() if args.policy == "first" else Second()
        policy.act()
    """
    assert [found.partition(": ")[2] for found in clashes(text)] == expected


@pytest.mark.parametrize(("move", "fails"), [("", True), (".cuda()", False)])
def test_what_one_of_two_models_returns_as_a_pair_is_unpacked_by_position(move: str, fails: bool) -> None:
    text = f"""
        import argparse
        import torch
        import torch.nn as nn

        parser = argparse.ArgumentParser()
        parser.add_argument("--model", default="plain")
        args = parser.parse_args()

        class Plain(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(4, 4)

            def forward(self, x, masked=True):
                return self.fc(x)

        class Recurrent(Plain):
            def forward(self, x, state):
                return self.fc(x), (state, state)

        model = Plain().cuda() if args.model == "plain" else Recurrent().cuda()
        x, y = torch.rand(3, 4), torch.rand(3, 4)
        if args.model == "plain":
            out = model(x.cuda())
        else:
            out, state = model(x.cuda(), (x, x))
        nn.functional.mse_loss(out, y{move})
    """
    assert bool(clashes(text)) is fails


#: Which loss it is an option says, and an argument of another name in the function that calls it.
LOSSES = """
import argparse
import torch
from torch import nn

def cost(criterion, guess, target, lengths):
    if lengths is None:
        return criterion(guess, target)
    return criterion(guess, target, lengths, torch.full((2,), 3))

parser = argparse.ArgumentParser()
parser.add_argument("--aligned", action="store_true")
args = parser.parse_args()
criterion = nn.CTCLoss() if args.aligned else nn.CrossEntropyLoss()
device = torch.device("cuda")
"""


def test_a_loss_takes_what_it_compares_and_no_more() -> None:
    aligned = "out = torch.rand(5, 2, 4, device=device).log_softmax(2)\n"
    aligned += "cost(criterion, out, torch.ones(2, 3, dtype=torch.long), torch.full((2,), 5))\n"
    assert not clashes(LOSSES + aligned)  # the lengths and places of a CTC loss may be anywhere


def test_what_a_loss_compares_has_to_be_on_one_device() -> None:
    classes = "cost(criterion, torch.rand(2, 4, device=device), torch.ones(2, dtype=torch.long), None)\n"
    assert clashes(LOSSES + classes)


#: Subcommands, each with a function of its own, of which a parser hands on the one that is asked for.
COMMANDS = """
import argparse
import torch
from torch import nn

def train(args):
    net = nn.Linear(4, 1).to(args.device)
    {work}

def info(args):
    print(torch.__version__)

parser = argparse.ArgumentParser()
parser.add_argument("--device", default="cuda")
sub = parser.add_subparsers(required=True)
sub.add_parser("train").set_defaults(func=train)
sub.add_parser("info").set_defaults(func=info)
args = parser.parse_args()
args.func(args)
"""


@pytest.mark.parametrize(
    ("work", "right", "found"),
    [
        ("net(torch.ones(2, 4))", "net(torch.ones(2, 4, device=args.device))", "8: device"),
        (
            "torch.rand(2, device=args.device, generator=torch.Generator())",
            "torch.rand(2, generator=torch.Generator()).to(args.device)",
            "8: generator",
        ),
        (
            "net(torch.ones(2, 4, dtype=torch.float64).to(args.device))",
            "net.double()(torch.ones(2, 4, dtype=torch.float64).to(args.device))",
            "8: dtype",
        ),
        (
            "torch.ones(2, dtype=torch.bfloat16).numpy()",
            "torch.ones(2, dtype=torch.float16).numpy()",
            "8: array-dtype",
        ),
    ],
)
def test_what_fails_in_a_subcommand_is_certain(work: str, right: str, found: str) -> None:
    assert clashes(COMMANDS.replace("{work}", work)) == [found]
    assert clashes(COMMANDS.replace("{work}", right)) == []


#: Of two samplers an option chooses one.
_SAMPLERS = """
import argparse
import torch

class Plain:
    def draw(self, rng):
        return torch.zeros(3, device="cuda")

class Noisy:
    def draw(self, rng):
        return torch.randn(3, generator=rng{device})

parser = argparse.ArgumentParser()
parser.add_argument("--noisy", action="store_true")
sampler = Noisy() if parser.parse_args().noisy else Plain()
sampler.draw(torch.Generator())
"""


def test_one_of_two_objects_may_draw_where_its_generator_is_not() -> None:
    assert clashes(_SAMPLERS.replace("{device}", ", device='cuda'")) == ["11: generator"]
    assert clashes(_SAMPLERS.replace("{device}", "")) == []


#: Functions by the names of what a user may ask for.
_NAMED = """
import argparse
import torch

def train(args):
    net = torch.nn.Linear(4, 1).to(args.device)
    net(torch.ones(2, 4{device}))

def info(args):
    print(torch.__version__)

COMMANDS = {"train": train, {more}"info": info}
parser = argparse.ArgumentParser()
parser.add_argument("command")
parser.add_argument("--device", default="cuda")
args = parser.parse_args()
{call}
"""


@pytest.mark.parametrize(
    "call",
    [
        "COMMANDS[args.command](args)",
        "COMMANDS.get(args.command)(args)",
        "run = COMMANDS[args.command]\nrun(args=args)",
        "(train if args.command == 'train' else info)(args)",
        "{'train': lambda: train(args), 'info': lambda: info(args)}[args.command]()",
    ],
)
@pytest.mark.parametrize("more", ["", "'a': info, 'b': lambda a: None, 'c': lambda a: 0, 'd': lambda a: 1, "])
def test_a_function_that_is_handed_the_options_is_all_that_a_run_does(call: str, more: str) -> None:
    text = _NAMED.replace("{call}", call).replace("{more}", more)
    assert clashes(text.replace("{device}", "")) == ["7: device"]
    assert clashes(text.replace("{device}", ", device=args.device")) == []


#: Of two functions the option that chooses one says what it is given, too.
_GOES_WITH = """
import argparse
import torch

def plain(x):
    return torch.nn.Linear(4, 1)(x)

def double(x):
    return torch.nn.Linear(4, 1, dtype=torch.float64)(x)

parser = argparse.ArgumentParser()
parser.add_argument("--double", action="store_true")
args = parser.parse_args()
kinds = {False: (plain, torch.float32), True: (double, torch.float64)}
run, dtype = kinds[args.double]
run(torch.ones(2, 4, dtype=dtype))
run(torch.ones(2, 4, dtype=torch.float64 if args.double else torch.float32))
"""


def test_what_one_of_two_functions_is_given_may_go_with_it() -> None:
    assert clashes(_GOES_WITH) == []


#: What one of two functions finds is what another did that the same option chose.
_IN_STEPS = """
import sys
import torch

net = torch.nn.Linear(4, 1)

def raise_it(args): net.cuda()
def lower_it(args): net.cpu()
def there(args): net(torch.ones(2, 4).cuda())
def here(args): net(torch.ones(2, 4))

mode = sys.argv[1]
{"up": raise_it, "down": lower_it}[mode](%s)
{"up": there, "down": here}[mode](%s)
"""


@pytest.mark.parametrize("given", ["", "mode"])
def test_functions_that_an_option_chooses_one_after_the_other_go_together(given: str) -> None:
    text = _IN_STEPS if given else _IN_STEPS.replace("(args)", "()")
    assert clashes(text % (given, given)) == []
