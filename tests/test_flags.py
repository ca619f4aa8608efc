"""Flags that nobody decides: they are taken to choose the accelerator, and then they stay as taken."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import Ending, analyse_text, clashes

from devfix.analysis.domain.values import Const

PROGRAM = """
import argparse
import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--cpu", action="store_true")
parser.add_argument("--accel", action="store_true")
args = parser.parse_args()
"""


def faults(text: str) -> list[str]:
    lines = (PROGRAM + dedent(text)).splitlines()
    return [lines[int(found.split(":")[0]) - 1].strip() for found in clashes("\n".join(lines) + "\n")]


def test_an_option_beside_a_check_of_availability_is_a_choice_of_the_accelerator() -> None:
    assert faults("""
        if args.accel and torch.accelerator.is_available():
            device = torch.accelerator.current_accelerator()
        else:
            device = torch.device("cpu")
        model = nn.Linear(2, 2).to(device)
        model(torch.ones(1, 2))
    """) == ["model(torch.ones(1, 2))"]


def test_what_depends_on_a_flag_agrees_with_what_it_was_taken_to_be() -> None:
    assert (
        faults("""
        use_gpu = torch.cuda.is_available()
        if args.cpu:
            use_gpu = False

        def evaluate(model, x, use_gpu):
            if use_gpu:
                x = x.cuda()
            out = model(x).detach()
            if use_gpu:
                return out.cpu().numpy()
            return out.numpy()

        model = nn.Linear(2, 2)
        if use_gpu:
            model.cuda()
        evaluate(model, torch.ones(1, 2), use_gpu)
    """)
        == []
    )


def test_a_flag_of_the_module_stays_as_taken_in_its_functions() -> None:
    assert (
        faults("""
        use_cuda = not args.cpu and torch.cuda.is_available()
        model = nn.Linear(2, 2)

        def read(out):
            if use_cuda:
                return out.cpu().numpy()
            else:
                return out.numpy()

        if use_cuda:
            model = model.cuda()
        x = torch.ones(1, 2)
        if use_cuda:
            x = x.cuda()
        read(model(x).detach())
    """)
        == []
    )


def test_an_option_that_chooses_nothing_stays_open() -> None:
    assert faults("""
        x = torch.ones(2)
        if args.cpu:
            x = x.double()
        y = torch.ones(2).cuda()
        if args.cpu:
            y = y + 1
        else:
            y = y + torch.ones(2)
    """) == ["y = y + torch.ones(2)"]


def test_a_constructor_of_the_default_tensor_type_follows_it() -> None:
    assert (
        faults("""
        torch.set_default_tensor_type("torch.cuda.FloatTensor")
        torch.ones(2) * torch.Tensor([1.0, 2.0])
    """)
        == []
    )
    assert faults("""
        torch.set_default_device("cuda")
        torch.ones(2) * torch.Tensor([1.0, 2.0])
    """) == ["torch.ones(2) * torch.Tensor([1.0, 2.0])"]


CHOSEN_TYPE = """
        if torch.cuda.is_available():
            if args.accel:
                torch.set_default_tensor_type({on})
            {otherwise}
                torch.set_default_tensor_type({off})
        else:
            torch.set_default_tensor_type({off})
        loader = torch.utils.data.DataLoader(range(4), batch_size=2, shuffle={shuffle})
"""


@pytest.mark.parametrize("otherwise", ["else:", "if not args.accel:"])
@pytest.mark.parametrize(
    ("on", "off"),
    [
        ("'torch.cuda.FloatTensor'", "'torch.FloatTensor'"),
        ("torch.cuda.DoubleTensor", "torch.DoubleTensor"),
    ],
)
def test_a_default_tensor_type_of_an_accelerator_names_it(on: str, off: str, otherwise: str) -> None:
    text = CHOSEN_TYPE.format(on=on, off=off, otherwise=otherwise, shuffle=True)
    assert faults(text) == [text.strip().splitlines()[-1].strip()]
    assert not faults(CHOSEN_TYPE.format(on=on, off=off, otherwise=otherwise, shuffle=False))
    assert not faults(CHOSEN_TYPE.format(on=off, off=off, otherwise=otherwise, shuffle=True))


def test_a_default_tensor_type_is_no_default_device() -> None:
    assert (
        faults("""
        torch.set_default_tensor_type("torch.cuda.FloatTensor")
        torch.ones(2, device="cpu") * torch.zeros(2, device=torch.get_default_device())
    """)
        == []
    )


def test_what_only_an_option_leaves_unknown_is_what_it_usually_is() -> None:
    assert faults("""
        parser.add_argument("--resume", action="store_true")
        args = parser.parse_args()
        if args.resume:
            net = torch.load("net.pt")["net"]
        else:
            net = nn.Linear(2, 2)
        net.cuda()
        nn.CrossEntropyLoss()(net(torch.ones(1, 2).cuda()), torch.zeros(1, dtype=torch.long))
    """) == ["nn.CrossEntropyLoss()(net(torch.ones(1, 2).cuda()), torch.zeros(1, dtype=torch.long))"]


def test_what_an_option_usually_leaves_unknown_stays_unknown() -> None:
    assert (
        faults("""
        import something
        parser.add_argument("--own", action="store_true")
        args = parser.parse_args()
        if not args.own:
            net = something.model()
        else:
            net = nn.Linear(2, 2)
        net.cuda()
        nn.CrossEntropyLoss()(net(torch.ones(1, 2).cuda()), torch.zeros(1, dtype=torch.long))
    """)
        == []
    )


def test_a_switch_of_a_backend_is_neither_on_nor_off() -> None:
    assert not faults("""
        net, x = nn.Linear(3, 2).cuda(), torch.rand(2, 3)
        if not torch.backends.cudnn.deterministic:
            x = x.cuda()
        net(x)
        """)


PRECISIONS = """\
import argparse
import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--precision", default="{default}")
args = parser.parse_args()
net = nn.Linear(3, 3)
if args.precision != "fp32":
    net = net.to({cast})
x = torch.rand(2, 3)
net(x)
"""
CASTS = {
    "torch.bfloat16": "bfloat16",
    'torch.bfloat16 if args.precision == "bf16" else torch.float16': "bfloat16",
    'torch.float16 if args.precision == "fp16" else torch.bfloat16': "bfloat16",
    '{"bf16": torch.bfloat16, "fp16": torch.float16}[args.precision]': "bfloat16",
}


@pytest.mark.parametrize("cast", CASTS)
def test_an_option_that_chooses_a_dtype_chooses_its_usual_one(cast: str) -> None:
    (found,) = analyse_text(PRECISIONS.format(default="bf16", cast=cast)).mismatches()
    assert {operand.dtype for operand in found.operands} == {"float32", CASTS[cast]}
    assert clashes(PRECISIONS.format(default="fp32", cast=cast)) == []


BRANCHES = """if self.accelerated:
            images = self.noise.cpu().data.numpy()
        else:
            images = self.noise.data.numpy()
        return images"""
FETCHING = """
    import torch

    class Shower:
        def __init__(self, net, accelerated):
            self.accelerated, self.net = accelerated, net
            self.noise = torch.rand(4, 6)
            if accelerated:
                self.noise = self.noise.cuda()

        def show(self):
            {show}
"""


@pytest.mark.parametrize(
    "show",
    [
        "return self.noise.cpu().numpy() if self.accelerated else self.noise.numpy()",
        "return self.noise.numpy() if not self.accelerated else self.noise.data.to('cpu')[0].numpy()",
        BRANCHES,
    ],
)
def test_the_branch_that_fetches_for_numpy_is_that_of_an_accelerator(show: str) -> None:
    assert clashes(dedent(FETCHING).format(show=show)) == []


OPTIONAL = """
    import argparse
    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("--learn", action="store_true")
    args = parser.parse_args()
    prior, learnt = torch.rand(3).cuda(), torch.rand(3).cuda()
    print({shown})
"""


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("prior.numpy() if not args.learn else learnt.cpu().numpy()", ["9: numpy"]),
        ("learnt.cpu().numpy() if args.learn else prior.exp().numpy()", ["9: numpy"]),
        ("prior.numpy() if not args.learn else prior.cpu().numpy()", []),
        ("prior.cpu().numpy() if not args.learn else learnt.cpu().numpy()", []),
    ],
)
def test_a_branch_that_fetches_something_else_says_nothing(shown: str, expected: list[str]) -> None:
    assert clashes(dedent(OPTIONAL).format(shown=shown)) == expected


#: The same, one of them by returning early.
EARLY = """
import json
import torch

class Agent:
    def __init__(self, options):
        self.gpu, self.ids = options["gpu"], options["ids"]
        self.net = torch.nn.Linear(3, 2)
        if self.gpu:
            self.net.cuda()

    def act(self, x):
        if self.gpu:
            x = x.cuda()
        return self.host(self.net(x).detach())

    def host(self, x):
        {test}
            {first}
        {second}

Agent(json.load(open("options.json"))).act(torch.ones(1, 3))
"""


@pytest.mark.parametrize(
    ("test", "first", "second"),
    [
        ("if self.gpu:", "return x.cpu().numpy()", "return x.numpy()"),
        ("if not self.gpu:", "return x.data.numpy()", "return x.data.to('cpu').numpy()"),
        ("if len(self.ids) > 0:", "return x.cpu().numpy()[0]", "return x.numpy()[0]"),
        ("if x.get_device() >= 0:", "return x.cpu().numpy()", "return x.numpy()"),
        ("try:", "return x.numpy()", "except TypeError: return x.cpu().numpy()"),
    ],
)
def test_an_early_return_that_fetches_is_that_of_an_accelerator(test: str, first: str, second: str) -> None:
    assert clashes(EARLY.format(test=test, first=first, second=second)) == []


@pytest.mark.parametrize(
    ("test", "first", "second"),
    [
        ("if self.gpu:", "return x.numpy()", "return x.numpy()"),
        ("if self.ids:", "return x.cpu()", "return x.numpy()"),
        ("if self.ids:", "return x.cpu().numpy()", "x = x * 2; return x.numpy()"),
        ("try:", "return x.numpy()", "except TypeError: return None"),
    ],
)
def test_an_early_return_of_something_else_says_nothing(test: str, first: str, second: str) -> None:
    assert set(clashes(EARLY.format(test=test, first=first, second=second))) & {"19: numpy", "20: numpy"}


@pytest.mark.parametrize(
    "show",
    [
        "return self.noise.numpy() if self.accelerated else self.noise.numpy()",
        "return self.noise.detach() if self.accelerated else self.noise.numpy()",
        "return self.noise.cpu().numpy() if self.accelerated else (self.noise.cpu().numpy(), self.noise.numpy())",
    ],
)
def test_a_branch_that_fetches_nothing_does_not_say_that_the_other_is_of_the_host(show: str) -> None:
    assert clashes(dedent(FETCHING).format(show=show)) != []


CHOICE = """
    class Small(nn.Module):
        def __init__(self, size=2):
            super().__init__()
            self.layer = nn.Linear(size, size)

        def forward(self, x):
            return self.layer(x)

    class Large(Small):
        pass

    parser.add_argument("--size", default="small")
    parser.add_argument("--deep", action="store_true")
    args = parser.parse_args()
    if {test}:
        model = {one}
    else:
        model = {other}
    model(torch.ones(1, 2).cuda())
"""


@pytest.mark.parametrize("test", ["args.size == 'large'", "args.deep", "not args.deep"])
@pytest.mark.parametrize("other", ["Small()", "Large(3 - 1)"])
def test_which_model_is_made_chooses_no_device(test: str, other: str) -> None:
    one, forgotten = "Large().cuda()", "return self.layer(x)"
    assert faults(CHOICE.format(test=test, one=one, other=other)) == [forgotten]
    assert faults(CHOICE.format(test=test, one=other, other=one)) == [forgotten]
    assert faults(CHOICE.format(test=test, one=one, other=other + ".cuda()")) == []


@pytest.mark.parametrize(
    ("test", "one", "other"),
    [
        ("args.deep", "Small().cuda()", "Small()"),
        ("args.deep", "nn.DataParallel(Small().cuda())", "Small()"),
        ("args.deep", "nn.Sequential(Small().cuda())", "nn.Sequential(Small())"),
        ("args.accel", "Small().cuda()", "Large()"),
        ("args.size == 'gpu'", "Small().cuda()", "Large()"),
    ],
    ids=["the same", "spread", "around the same", "an accelerator's flag", "an accelerator's name"],
)
def test_what_differs_by_its_device_alone_or_is_chosen_by_one_follows_the_accelerator(
    test: str, one: str, other: str
) -> None:
    assert faults(CHOICE.format(test=test, one=one, other=other)) == []


@pytest.mark.parametrize("move", ["model.cuda()", "model = model.to('cuda')"])
def test_where_the_model_moves_afterwards_is_no_choice_either(move: str) -> None:
    text = CHOICE.format(test="args.deep", one=f"Large()\n        {move}", other="Small()")
    assert faults(text) == ["return self.layer(x)"]


def test_a_branch_that_chooses_the_device_of_the_data_too_is_taken_whole() -> None:
    text = CHOICE.format(
        test="args.deep",
        one="Large().cuda()\n        where = 'cuda'",
        other="Small()\n        where = 'cpu'",
    )
    assert faults(text.replace("torch.ones(1, 2).cuda()", "torch.ones(1, 2, device=where)")) == []


STORED = """
import torch
from loaders import batches, first_rank, given

def extract(net, loader, use_cuda=True):
    kept = None
    for x in batches(loader):
        x = x.cuda()
        made = net(x)
        if first_rank() and kept is None:
            kept = torch.zeros(5, made.shape[-1])
            if use_cuda:
                kept = kept.cuda(non_blocking=True)
        {again}
        if use_cuda:
            kept.index_copy_(0, x.long(), made)
        else:
            kept.index_copy_(0, x.long().cpu(), made.cpu())
    return kept

net = torch.nn.Linear(3, 3)
net.cuda()
extract(net, given("loader"), given("use_cuda"))
"""


def test_a_flag_is_the_same_where_it_is_tested_again() -> None:
    """Some paths have not come by the first test, but what it asks is the same on all of them."""
    assert not clashes(STORED.format(again="pass"))


@pytest.mark.parametrize("other", ["use_cuda = given('shared')", "use_cuda = not use_cuda"])
def test_a_flag_that_changes_may_be_another_where_it_is_tested_again(other: str) -> None:
    assert clashes(STORED.format(again=other))


SHARED = """
import json
import numpy as np
import torch

class Codec:
    def __init__(self, options):
        self.fast, self.bits = options["fast"], options["bits"]

    def compress(self, x):
        if {first}:
            x = x.cuda()
        return self.binarize(x)

    def binarize(self, x):
        if {second}:
            x = x.flatten()
        else:
            x = np.packbits(np.asarray(x.flatten()))
        return x

Codec(json.load(open("options.json"))).compress(torch.ones(1, 3))
"""


@pytest.mark.parametrize("flag", ["self.fast", "not self.fast"])
def test_a_flag_of_an_object_is_the_same_in_all_its_methods(flag: str) -> None:
    assert not clashes(SHARED.format(first=flag, second=flag))


@pytest.mark.parametrize("second", ["self.bits", "not self.fast"])
def test_another_flag_of_an_object_may_be_anything(second: str) -> None:
    assert clashes(SHARED.format(first="self.fast", second=second))


EFFICIENT = """
import torch
from torch import nn

class Classifier:
    def __init__(self, efficient=False):
        self.efficient = efficient
        self.model = nn.Linear(3, 2).cuda()

    def prepare(self, rows):
        device = torch.device("cpu") if self.efficient else torch.device("cuda")
        return torch.from_numpy(rows).to(device, dtype=torch.float32)

    def score(self, rows):
        rows = self.prepare(rows)
        if {test}:
            rows = torch.FloatTensor(rows).cuda()
        return self.model(rows)

def main(settings, rows):
    return Classifier(efficient=settings["efficient"]).score(rows)
"""


@pytest.mark.parametrize(
    "test",
    [
        "not isinstance(rows, torch.cuda.FloatTensor) or self.efficient",
        "self.efficient or not isinstance(rows, torch.cuda.FloatTensor)",
        "self.efficient and isinstance(rows, torch.Tensor)",
    ],
)
def test_a_flag_is_as_taken_beside_what_is_known(test: str) -> None:
    assert clashes(EFFICIENT.format(test=test)) == []


@pytest.mark.parametrize(
    "test",
    [
        "isinstance(rows, torch.cuda.FloatTensor) or self.efficient",
        "isinstance(rows, torch.Tensor) and not self.efficient",
    ],
)
def test_what_is_done_to_the_accelerators_own_is_still_told(test: str) -> None:
    assert clashes(EFFICIENT.format(test=test)) == ["17: host-only"]


@pytest.mark.parametrize(
    "test",
    ["args.rank == queue.pop(0)", "not args.cpu and queue.pop(0) == args.rank", "args.cpu or queue.pop(0)"],
)
def test_what_a_test_does_beside_asking_an_option_is_done_once(test: str) -> None:
    ending = Ending(
        PROGRAM
        + f"""
device = torch.device("cpu" if args.cpu else "cuda")
queue = [1, 2, 3]
if {test}:
    net = nn.Linear(2, 2).to(device)
"""
    )
    assert ending.object("queue").items == (Const(2), Const(3))
