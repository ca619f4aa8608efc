"""What options and the number of devices decide: a run that is given nothing tells what is where."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import Ending, clashes, fix_texts

from devfix.analysis.domain.values import Scalar
from devfix.findings import Applicability

HEAD = """\
import argparse
import torch
import torch.nn as nn
from precision import engine

parser = argparse.ArgumentParser()
parser.add_argument("--amp", action="store_true")
parser.add_argument("--gpu", type=int, default=0)
args = parser.parse_args()
net = nn.Linear(2, 2)
x = torch.ones(1, 2)
"""


def changed(body: str) -> set[str]:
    """The lines that the repair of a program writes."""
    text = HEAD + dedent(body).lstrip("\n")
    return set(fix_texts({"main.py": text})[0]["main.py"].splitlines()) - set(text.splitlines())


def found(body: str) -> list[str]:
    """What cannot work in a program."""
    return clashes(HEAD + dedent(body).lstrip("\n"))


def test_code_that_nobody_knows_under_an_option_does_not_take_the_model_away() -> None:
    assert changed("""
        net.cuda()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        if args.amp:
            net, optimizer = engine.initialize(net, optimizer)
        net(x)
    """) == {"net(x.to(next(net.parameters()).device))"}


def test_code_that_nobody_knows_and_that_is_usually_run_does() -> None:
    assert not found("""
        net.cuda()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        if not args.amp:
            net, optimizer = engine.initialize(net, optimizer)
        net(x)
    """)


def test_a_model_that_only_several_devices_move_is_moved_where_it_is_made() -> None:
    assert changed("""
        if torch.cuda.device_count() > 1:
            net = nn.parallel.DistributedDataParallel(net.cuda())
        net(x.cuda())
    """) == {"net.cuda()"}


@pytest.mark.parametrize(
    "body",
    [
        """
        count = torch.cuda.device_count()
        if count > 1:
            net = nn.DataParallel(net).cuda()
        if count > 1:
            x = x.cuda()
        net(x)
        """,
        """
        if torch.cuda.device_count() > 1:
            net = nn.DataParallel(net).cuda()
        else:
            net.cuda()
        net(x.cuda())
        """,
        """
        if torch.cuda.device_count() <= 1:
            net.cuda()
        else:
            net = nn.DataParallel(net).cuda()
        net(x.cuda())
        """,
    ],
)
def test_where_a_usual_run_works_nothing_is_found(body: str) -> None:
    assert not found(body)


@pytest.mark.parametrize(
    "name",
    ['"cuda:" + str(args.gpu)', 'f"cuda:{args.gpu}"', '"cuda:%d" % args.gpu', '"cuda:{}".format(args.gpu)'],
)
def test_a_device_put_together_is_an_accelerator(name: str) -> None:
    device = f"device = torch.device({name} if torch.cuda.is_available() else 'cpu')\n"
    assert changed(device + "net.to(device)\nnet(x)\n") == {"net(x.to(device))"}
    assert not found(device + "net.to(device)\nnet(x.to(device))\n")


def test_the_first_device_by_its_number_is_the_one_of_cuda() -> None:
    assert not found('net.to("cuda:" + str(args.gpu))\nnet(x.cuda())\n')
    assert not found('net.to("cuda:" + str(args.gpu))\nnet(x.to("cuda:" + str(args.other)))\n')


def test_a_model_that_usually_is_not_moved_is_moved_where_it_is_made() -> None:
    assert changed("""
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        if args.amp:
            net, optimizer = engine.initialize(net, optimizer)
        net(x.cuda())
    """) == {"net.cuda()"}


DISTRIBUTED = """
import os
device = "cuda"
rank = int(os.environ.get("RANK", -1))
distributed = {test}
if distributed:
    torch.distributed.init_process_group("nccl")
    device = f"cuda:{{rank}}"
    torch.cuda.set_device(device)
net.to(device)
if distributed:
    net = nn.parallel.DistributedDataParallel(net)
net(x{move})
"""


@pytest.mark.parametrize("test", ["rank != -1", "rank > -1", "rank >= 0"])
def test_a_program_that_may_be_distributed_is_judged_as_it_runs_by_hand(test: str) -> None:
    assert changed(DISTRIBUTED.format(test=test, move="")) == {"net(x.to(device))"}
    assert not found(DISTRIBUTED.format(test=test, move=".to(device)"))


def test_a_flag_that_chooses_the_accelerator_still_does() -> None:
    assert not found("""
        device = "cpu"
        if args.gpu >= 0:
            device = f"cuda:{args.gpu}"
        net.to(device)
        net(x.to(device))
    """)


CHOICE = """
parser.add_argument("--wide", default="{default}")
args = parser.parse_args()


class Wide(nn.Module):
    def forward(self, x):
        return x.double()


def data(kind):
    if kind == "yes":
        return torch.ones(1, 2, dtype=torch.float64)
    if kind == "no":
        return torch.ones(1, 2)


model = Wide() if args.wide == "yes" else net
model({argument})
"""


def test_what_usually_fails_is_found_though_another_choice_would_not() -> None:
    assert found(CHOICE.format(default="no", argument="torch.ones(1, 2, dtype=torch.float64)")) == [
        "29: dtype"
    ]
    assert not found(CHOICE.format(default="yes", argument="torch.ones(1, 2, dtype=torch.float64)"))


@pytest.mark.parametrize("default", ["yes", "no"])
def test_choices_that_depend_on_one_option_agree(default: str) -> None:
    assert not found(CHOICE.format(default=default, argument="data(args.wide)"))


@pytest.mark.parametrize(
    "pair",
    [
        "x, y = x.pin_memory(), y.pin_memory().to(device, non_blocking=True)",
        "x, y = x, y.to(device, non_blocking=True)",
    ],
)
def test_two_of_one_assignment_move_alike_where_a_function_makes_them(pair: str) -> None:
    text = f"""
        import numpy as np

        device, rows = "cuda", np.ones((3, 4))
        net.to(device)

        def batch():
            x = torch.stack([torch.from_numpy(row[:2].astype("float32")) for row in rows])
            y = torch.stack([torch.from_numpy(row[2:].astype("float32")) for row in rows])
            {pair}
            return x, y

        X, Y = batch()
        for step in range(3):
            net(X) + Y
            X, Y = batch()
    """
    moved = pair.replace(", y", ".to(device, non_blocking=True), y", 2).replace(
        "x.to(device, non_blocking=True), y =", "x, y ="
    )
    assert changed(text) == {f"    {moved}"}


def test_a_file_to_go_on_from_chooses_no_device() -> None:
    assert changed("""
        parser.add_argument("--refine", default="", type=str)
        args = parser.parse_args()
        if args.refine:
            net = nn.Linear(2, 2).cuda()
        else:
            net = nn.Linear(2, 2)
        print(net(x.cuda()))
    """) == {"    net.cuda()"}


def test_an_option_that_names_a_device_still_does() -> None:
    body = """
        parser.add_argument("--gpu_id", default="", type=str)
        args = parser.parse_args()
        if args.gpu_id:
            net.cuda()
            x = x.cuda()
        else:
            x = x * 2
        print(net(x))
    """
    assert not found(body)


def test_options_are_handed_on_as_keywords() -> None:
    assert found("""
        parser.add_argument("--device", default="cuda")
        args = parser.parse_args()
        class Agent:
            def __init__(self, **kwargs):
                self.__dict__.update(kwargs)
                self.net = nn.Linear(2, 2).to(self.device)
        print(Agent(**vars(args)).net(x))
    """)


def test_an_attribute_that_options_choose_is_what_it_usually_is() -> None:
    body = """
        class Plain(nn.Module):
            def forward(self, x, mark):
                return x
        class Marked(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = nn.Linear(2, 2)
            def forward(self, x, mark):
                return x + self.inner(mark)
        class Model(nn.Module):
            def __init__(self, kind):
                super().__init__()
                if kind == {usual}:
                    self.part = Marked()
                else:
                    self.part = Plain()
            def forward(self, x, mark):
                return self.part(x, mark)
        model = Model(args.gpu).cuda()
        print(model(x.cuda(), x.double().cuda()))
    """
    assert found(body.format(usual="0"))
    assert not found(body.format(usual="1"))


KEPT = """\
import argparse
import os
import torch
import torch.nn as nn

parser = argparse.ArgumentParser()
parser.add_argument("--memory", default={default})
args = parser.parse_args()

class Memory:
    def sample(self):
        return [torch.ones(4, 2), torch.ones(4, 2)]

if {test}:
    memory = torch.load(args.memory)
else:
    memory = Memory()
net = nn.Linear(2, 2).cuda()
first, second = memory.sample()
print(net(first))
"""


@pytest.mark.parametrize("test", ['args.memory != ""', 'args.memory != "" and os.path.exists(args.memory)'])
def test_what_is_made_where_no_file_is_named_is_what_is_used(test: str) -> None:
    assert clashes(KEPT.format(default='""', test=test)) == ["20: device"]


def test_what_a_file_holds_is_what_is_made_where_there_is_none() -> None:
    asked = "args.memory and os.path.exists(args.memory)"
    assert clashes(KEPT.format(default='"kept.pt"', test=asked)) == ["20: device"]
    assert clashes(KEPT.format(default='"kept.pt"', test="args.memory")) == []


SOMETIMES_MOVED = """
    parser.add_argument("--cuda", default=-1)
    args = parser.parse_args()
    device = "cuda:" + str(args.cuda) if int(args.cuda) >= 0 else "cpu"
    if args.cuda is not None and int(args.cuda) >= 0:
        net = net.to(device)
"""


def test_what_is_asked_whether_it_is_on_the_accelerator_brings_what_it_meets() -> None:
    asked = """
        hidden = net.weight.mm(load())
        ones = torch.ones(2, 1)
        if hidden.is_cuda:
            ones = ones.cuda()
            ones + hidden
        torch.matmul(hidden, ones) / (hidden + ones)
    """
    assert not found(dedent(SOMETIMES_MOVED) + dedent(asked))
    assert not found(
        dedent(SOMETIMES_MOVED) + dedent(asked).replace("if hidden.is_cuda", "if not hidden.is_cpu")
    )
    assert found(
        dedent(SOMETIMES_MOVED) + dedent(asked).replace("if hidden.is_cuda:", "if args.amp or True:")
    )


NAMED = """
import argparse
import torch
import torch.nn as nn
from elsewhere import foreign

parser = argparse.ArgumentParser()
parser.add_argument("--arch", default="small-net", choices=known())
args = parser.parse_args()

class Net(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(size, size)
    def forward(self, x):
        return self.layer(x)

if {test}:
    net = foreign(depth=3)
else:
    net = Net(2)
loss = nn.functional.cross_entropy(net.cuda()(torch.ones(1, 2).cuda()), torch.tensor([1]))
"""


@pytest.mark.parametrize(
    "test",
    [
        "args.arch.startswith('wide')",
        "not args.arch.endswith('net')",
        "'wide' in args.arch",
        "args.arch not in ('small-net', 'other')",
        "args.arch in ['wide', 'other']",
    ],
)
def test_which_model_is_usual_is_told_by_a_part_of_the_option(test: str) -> None:
    assert clashes(NAMED.format(test=test)) == ["22: device"]
    assert clashes(NAMED.format(test=f"unheard() or {test}")) == []


@pytest.mark.parametrize(
    "test",
    [
        "args.arch.startswith('small')",
        "args.arch.endswith('net')",
        "'net' in args.arch",
        "args.arch in ('small-net', 'other')",
        "args.arch in known()",
        "unheard in args.arch",
    ],
)
def test_what_nobody_knows_is_usual_where_the_option_says_so(test: str) -> None:
    assert clashes(NAMED.format(test=test)) == []


LAYERS = """
layers = []
for i in range(2):
    if args.gpu <= i:
        layers.append(Picked())
    else:
        layers.append(Kept())
net = {made}
net(torch.ones(2, 2))
"""
PICKING = """
class Kept(nn.Module):
    def forward(self, x):
        return x
class Picked(nn.Module):
    def forward(self, x):
        return x.gather(1, torch.ones(2, 2))
"""


@pytest.mark.parametrize("made", ["nn.Sequential(*layers)", "nn.DataParallel(layers[1])"])
def test_a_layer_is_the_usual_one_in_a_list_and_in_a_wrapper(made: str) -> None:
    text = PICKING + LAYERS.format(made=made)
    assert clashes(HEAD + text) == ["18: index-dtype"]
    assert clashes(HEAD + text.replace("args.gpu <=", "args.gpu >")) == []
    assert clashes(HEAD + text.replace("args.gpu <= i", "unheard() <= i")) == []


ASKED = """
import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(*[nn.Linear(2, 2) for _ in range(20)])
    def forward(self, x, both=False):
        x = self.layers(x)
{long}
        if both:
            return x, x
        return x
net = Net().cuda()
a, b = net(torch.ones(2, 2).cuda(), both=True)
a, b = net(a, both=True)
a, b = net(b.detach(), both=True)
a, b = net(a, both=True)
loss = nn.functional.cross_entropy(net(torch.ones(3, 2).cuda()), torch.zeros(3, dtype=torch.long))
"""


def test_a_model_that_took_long_is_followed_when_it_is_asked_for_something_else() -> None:
    long = "\n".join(f"        x = x + {number}" for number in range(900))
    assert clashes(ASKED.format(long=long)) == ["918: device"]


WRAPPED = """
import argparse
import torch
from torch import nn

class Head(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, x):
        return self.body(x)

class Trainer:
    def __init__(self, args, device):
        self.body = nn.Linear(3, 3)
        {first}
            self.model = Head(self.body)
            self.model.to(device)
        if args.tune:
            self.model = Head(self.body)
            self.model.to(device)

parser = argparse.ArgumentParser()
parser.add_argument("--pretrain", action="store_true")
parser.add_argument("--tune", action="store_true")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
trainer = Trainer(parser.parse_args(), device)
print(trainer.{used}(torch.ones(2, 3).to(device)))
"""


def test_what_an_option_wraps_and_moves_is_used_where_it_was_wrapped() -> None:
    """Without the option there is no wrapper either: who calls it took the path that moved the model."""
    assert not clashes(WRAPPED.format(first="if args.pretrain:", used="model"))


def test_what_an_option_moves_under_another_name_is_on_the_cpu_without_it() -> None:
    text = WRAPPED.format(first="if args.pretrain:", used="body").replace("Head(self.body)", "self.body")
    assert clashes(text) == ["29: device"]


ENGINE = """\
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--full", action="store_true")
parser.add_argument("--half", action="store_true")
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Engine:
    def __init__(self, net, half):
        self.half = {half}
        self.net = net.to(device).eval()
        if self.half:
            self.net.half()

    def __call__(self, x):
        return self.net({x})


print(Engine(nn.Linear(3, 2), {given})(torch.ones(1, 3, device=device)))
"""


def _engine(given: str, half: str = 'half and device.type != "cpu"', x: str = "x") -> list[str]:
    return clashes(ENGINE.format(given=given, half=half, x=x))


@pytest.mark.parametrize(
    "given", ["not args.full", "not args.full and not args.half", "not args.half or args.full"]
)
def test_what_is_said_of_options_is_what_it_is_without_them(given: str) -> None:
    assert _engine(given) == ["20: dtype"]


@pytest.mark.parametrize(
    "given",
    [
        "args.half",
        "not args.full and args.half",
        "not (args.half or not args.full)",
        "args.full or args.half",
    ],
)
def test_a_cast_that_only_an_option_leads_to_is_not_there(given: str) -> None:
    assert _engine(given) == []


@pytest.mark.parametrize("x", ["x.half() if self.half else x", "x.to(next(self.net.parameters()).dtype)"])
def test_an_input_that_is_cast_as_the_model_is_fits(x: str) -> None:
    assert _engine("not args.full", x=x) == []


def test_the_negative_of_an_option_is_not_the_option() -> None:
    text = """
    import argparse
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu", type=int, default=1)
    gpu = -parser.parse_args().gpu
    """
    value = Ending(dedent(text))["gpu"]
    assert isinstance(value, Scalar)
    assert value.usual is None


PRESETS = """
import argparse
from dataclasses import dataclass
import torch
from torch import nn
@dataclass(frozen=True)
class Preset:
    precision: str = "float32"
    width: int = 4
    @property
    def dtype(self):
        return getattr(torch, self.precision)
ALL = {{"exact": Preset(), "fast": Preset(precision="bfloat16")}}
parser = argparse.ArgumentParser()
parser.add_argument("--preset", default={default})
preset = ALL[parser.parse_args().preset]
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
place = dict(device=device, dtype=preset.dtype)
net = nn.Linear(preset.width, 4).to(**place)
shadow = [p.detach().float().clone() for p in net.parameters()]
for s, p in zip(shadow, net.parameters()):
    s.lerp_({other}, 0.1)
"""


def test_a_dtype_of_an_object_that_an_option_names_is_that_of_a_run_without_options() -> None:
    """The preset that is there as a rule has it; where there is none as a rule nobody knows which it is."""
    assert clashes(PRESETS.format(default='"fast"', other="p")) == ["22: dtype"]
    assert clashes(PRESETS.format(default='"fast"', other="p.float()")) == []
    assert clashes(PRESETS.format(default='"exact"', other="p")) == []
    assert clashes(PRESETS.format(default="None", other="p")) == []


@pytest.mark.parametrize("told", ["**place", "device, preset.dtype", "device=device, dtype=preset.dtype"])
def test_what_a_move_casts_is_cast_where_it_is_used(told: str) -> None:
    """A cast before it would come to nothing."""
    text = PRESETS.format(default='"fast"', other="p").replace(".to(**place)", f".to({told})")
    texts, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert texts["main.py"] == text.replace("s.lerp_(p, 0.1)", "s.lerp_(p.float(), 0.1)")


CHOSEN = """
import argparse
import json
import torch
from accelerate import Accelerator

def choose(path):
    kind = json.load(open(path))["kind"]
    if kind == "clip":
        from transformers import CLIPTextModel
        return CLIPTextModel
    elif kind == "t5":
        from transformers import T5EncoderModel
        return T5EncoderModel
    raise ValueError(kind)

parser = argparse.ArgumentParser()
parser.add_argument("--train", action="store_true")
parser.add_argument("--without", action="store_true")
args = parser.parse_args()

def main():
    accelerator = Accelerator()
    net = choose("config.json").from_pretrained("base")
    {before}
    if args.without:
        net = None
    if args.train:
        net = accelerator.prepare(net)
    {moved}
    print(net(torch.ones(1, 4, dtype=torch.long, device=accelerator.device)))

main()
"""


@pytest.mark.parametrize(
    "moved",
    [
        "if net is not None:\n        net.to(accelerator.device)",
        "if not args.train and net is not None:\n        net.to(accelerator.device)\n    elif args.train:\n        net.to(accelerator.device)",
        "if net is None:\n        return\n    net.to(accelerator.device)",
    ],
)
def test_one_of_several_models_that_an_option_leaves_out_is_there_as_a_rule(moved: str) -> None:
    assert clashes(CHOSEN.format(before="pass", moved=moved)) == []


@pytest.mark.parametrize(
    ("before", "moved"),
    [
        ("pass", "pass"),
        ("net.cuda()", "if net is not None:\n        net.cpu()"),
    ],
)
def test_it_is_found_where_nothing_moves_it(before: str, moved: str) -> None:
    assert clashes(CHOSEN.format(before=before, moved=moved))
