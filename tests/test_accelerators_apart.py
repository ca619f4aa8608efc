"""What meets on two accelerators moves to where the program chose to be, or where the module is that it is given to."""

from __future__ import annotations

import pytest
from text_program import check_texts, fix_texts, names

HEAD = """\
import torch
from torch import nn

device = torch.device("cuda:1" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
"""


def changed(text: str) -> list[str]:
    """The lines that are new in a program that is mended by safe fixes."""
    after = fix_texts({"main.py": text})[0]["main.py"]
    return [line.strip() for line in after.splitlines() if line not in text.splitlines()]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = torch.randn(8, 4).cuda()", "x = torch.randn(8, 4).to(device)"),
        (
            "x = torch.randn(8, 4).cuda(non_blocking=True)",
            "x = torch.randn(8, 4).to(device, non_blocking=True)",
        ),
        ('x = torch.randn(8, 4).to("cuda")', "x = torch.randn(8, 4).to(device)"),
        ('x = torch.ones(8, 4, device="cuda")', "x = torch.ones(8, 4, device=device)"),
        ("x = torch.randn(8, 4).cuda() * 2 + 1", "x = torch.randn(8, 4).to(device) * 2 + 1"),
    ],
)
def test_a_move_without_a_number_goes_where_the_model_is(before: str, after: str) -> None:
    text = f"{HEAD}if torch.cuda.is_available():\n    {before}\n    print(model(x))\n"
    assert changed(text) == [after]


def test_what_a_type_of_the_accelerators_makes_moves_where_it_is_used() -> None:
    text = HEAD + "v = torch.cuda.FloatTensor(8, 4).fill_(1)\nprint(model(v))\n"
    assert changed(text) == ["print(model(v.to(device)))"]


def test_it_moves_in_a_function_that_sees_the_name() -> None:
    text = (
        HEAD
        + "\n\ndef noisy(x):\n    return x + torch.zeros(8, 4).cuda()\n\n\nprint(noisy(torch.ones(8, 4).to(device)))\n"
    )
    assert changed(text) == ["return x + torch.zeros(8, 4).to(device)"]


PIPE = """\
import torch
from torch import nn


class Pipe(nn.Module):
    def __init__(self{option}):
        super().__init__()
        {keep}
        self.head = nn.Linear(4, 8).to({first})
        self.tail = nn.Linear(8, 2).to({second})

    def forward(self, x):
        x = self.head(x.to({first}))
        return self.tail({given})


model = Pipe()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in [(torch.randn(8, 4), torch.zeros(8, 2))] * 2:
    loss = nn.functional.mse_loss(model(x), y.to({target}))
    loss.backward()
    optimizer.step()
"""


def pipe(first: str, second: str, *, given: str, target: str, keep: str = "pass") -> str:
    return PIPE.format(first=first, second=second, given=given, target=target, keep=keep, option="")


@pytest.mark.parametrize(
    ("first", "second", "keep"),
    [
        ('"cuda:0"', '"cuda:1"', "pass"),
        ('"cuda:1"', '"cuda:2"', "pass"),
        ("self.begin", "self.end", 'self.begin, self.end = "cuda:0", "cuda:1"'),
    ],
)
def test_what_a_stage_gives_moves_to_the_next_one(first: str, second: str, keep: str) -> None:
    text = pipe(first, second, given="x", target='"cuda:1"' if "2" not in second else '"cuda:2"', keep=keep)
    assert changed(text) == [f"return self.tail(x.to({second}))"]


def test_a_target_moves_to_where_the_last_stage_is() -> None:
    text = pipe('"cuda:0"', '"cuda:1"', given='x.to("cuda:1")', target='"cuda:0"')
    text = text.replace("    loss =", '    out, y = model(x), y.to("cuda:0")\n    loss =')
    text = text.replace('mse_loss(model(x), y.to("cuda:0"))', "mse_loss(out, y)")
    assert changed(text) == ["loss = nn.functional.mse_loss(out, y.to(out.device))"]


def test_a_module_of_another_function_tells_where_it_is() -> None:
    text = """\
import torch
from torch import nn


def scored(head, x):
    return head(x)


a = nn.Linear(4, 4).to("cuda:0")
b = nn.Linear(4, 4).to("cuda:1")
print(scored(b, scored(a, torch.ones(2, 4).to("cuda:0"))))
"""
    assert changed(text) == ["return head(x.to(next(head.parameters()).device))"]


TEACHER = """\
import torch
from torch import nn

{choice}
student = nn.Linear(4, 4).cuda()
teacher = nn.Linear(4, 4).to({device})
for x in [torch.randn(8, 4)] * 2:
    x = x.cuda()
    print((student(x) - x).sum())
    wanted = teacher(x)
"""


@pytest.mark.parametrize(
    ("choice", "device"), [("pass", '"cuda:1"'), ('other = torch.device("cuda:1")', "other")]
)
def test_what_a_module_on_the_first_gets_as_well_stays_there(choice: str, device: str) -> None:
    assert changed(TEACHER.format(choice=choice, device=device)) == [f"wanted = teacher(x.to({device}))"]


def test_what_met_something_that_stays_on_the_first_moves_where_the_model_takes_it() -> None:
    text = HEAD + 'x = torch.ones(8, 4).cuda()\ny = x + torch.ones(4, device="cuda:0")\nprint(y, model(x))\n'
    assert changed(text) == ["print(y, model(x.to(device)))"]


def test_a_move_with_a_comment_within_stays_as_it_is() -> None:
    text = HEAD + "x = torch.ones(8, 4).cuda(  # in time\n    non_blocking=True\n)\nprint(model(x))\n"
    assert changed(text) == ["print(model(x.to(device)))"]


STAGES = """\
import torch
from torch import nn


class Stages(nn.Module):
    def __init__(self):
        super().__init__()
        self.stages = nn.ModuleList([{stages}])

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return x


print(Stages()(torch.ones(2, 4).to("cuda:0")))
"""
FIRST, SECOND = 'nn.Linear(4, 4).to("cuda:0")', 'nn.Linear(4, 4).to("cuda:1")'


def test_each_stage_of_a_loop_tells_where_it_is() -> None:
    found = changed(STAGES.format(stages=f"{FIRST}, {SECOND}"))
    assert found == ["x = stage(x.to(next(stage.parameters()).device))"]


CHAIN = f"""\
import torch
from torch import nn

net = nn.Sequential({FIRST}, {SECOND})


def run(x):
    return net(x)


print(run(torch.ones(2, 4).to("cuda:0")))
"""
INDEXED = f"""\
import torch
from torch import nn

nets = [{FIRST}, {SECOND}]
x = torch.ones(2, 4).to("cuda:0")
for i in range(2):
    x = nets[i](x)
"""


@pytest.mark.parametrize(
    "text",
    [
        # A stage without parameters is nowhere.
        STAGES.format(stages=f"{FIRST}, nn.ReLU(), {SECOND}"),
        # What is given to the whole of them does not move between them.
        CHAIN,
        # Nobody says which of them an index means.
        INDEXED,
    ],
)
def test_stages_that_do_not_tell_where_they_are_are_left_alone(text: str) -> None:
    assert names(check_texts({"main.py": text})) == {"devices-disagree"}
    assert changed(text) == []


@pytest.mark.parametrize(
    "rest",
    [
        # Somebody chooses the current accelerator, or a thread has one of its own.
        "torch.cuda.set_device(1)\nprint(model(torch.ones(8, 4).cuda()))\n",
        "with torch.cuda.device(1):\n    print(model(torch.ones(8, 4).cuda()))\n",
        "from torch.cuda import device as on\nwith on(1):\n    print(model(torch.ones(8, 4).cuda()))\n",
        "from torch import cuda as gpu\nwith gpu.device(1):\n    print(model(torch.ones(8, 4).cuda()))\n",
        "with torch.cuda.stream(torch.cuda.Stream(1)):\n    print(model(torch.ones(8, 4).cuda()))\n",
        "model = nn.DataParallel(model, [1, 2])\nprint(model(torch.ones(8, 4).cuda()))\n",
        # Both are where the other one is.
        'print(model(torch.ones(8, 4).to("cuda:1")))\n',
        "print(model(torch.ones(8, 4).cuda(1)))\n",
        'print(model(torch.ones(8, 4).to(torch.device("cuda", 1))))\n',
        'print(model(torch.ones(8, 4).to(torch.device("cuda", index=int(input())))))\n',
        "print(model(torch.ones(8, 4).cuda().to(device)))\n",
        # Nobody knows which one it is.
        "for i in range(int(input())):\n    print(model(torch.ones(8, 4).to(i)))\n",
        'print(model(torch.ones(8, 4).to(f"cuda:{input()}")))\n',
        # Copies go from one to the other.
        "x = torch.ones(8, 4).to(device)\nx.copy_(torch.zeros(8, 4).cuda())\nx[0] = torch.zeros(4).cuda()\nprint(model(x))\n",
    ],
)
def test_what_is_together_is_left_alone(rest: str) -> None:
    assert check_texts({"main.py": HEAD + rest}) == []


def test_what_may_be_two_ways_is_told_and_not_moved() -> None:
    text = 'import torch\n\na = torch.ones(2).to("cuda:1")\nb = torch.ones(2).to("cuda:2")\nprint(a + b)\n'
    (found,) = check_texts({"main.py": text})
    assert (found.rule, found.message) == (
        "devices-disagree",
        "two accelerators: `a` on cuda:1 and `b` on cuda:2",
    )
    assert changed(text) == []


def test_what_was_sent_elsewhere_right_there_is_not_sent_back() -> None:
    text = HEAD + 'print(model(torch.ones(8, 4).to("cuda:2")))\n'
    assert names(check_texts({"main.py": text})) == {"devices-disagree"}
    assert changed(text) == []


SPREAD = """\
import torch
from torch import nn


class Spread(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(4))
        self.where = ["cuda:0", "cuda:0", "cuda:1", "cuda:1"]
        for block, where in zip(self.blocks, self.where):
            block.to(where)

    def forward(self, x):
        for block, where in zip(self.blocks, self.where):
            x = block(x.to(where))
        return x


teacher = nn.Linear(4, 4).to("cuda:1")
student = Spread()
x = torch.ones(2, 4)
with torch.no_grad():
    wanted = teacher(x.to("cuda:1"))
out = student(x)
print((out - wanted.to(out.device)).sum())
for mine, its in zip(student.blocks[0].parameters(), teacher.parameters()):
    mine.data.copy_(its)
losses = [out.sum().to("cuda:0"), teacher.weight.sum().to("cuda:0")]
print(torch.stack(losses).sum(), sum(losses))
"""


def test_what_spreads_and_moves_all_that_meets_is_left_alone() -> None:
    assert names(check_texts({"main.py": SPREAD})) <= {"device-scattered"}


OPTION = """\
import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", type=int, default={default})
args = parser.parse_args()
device = torch.device({device})
model = nn.Linear(4, 2).to(device)
print(model(torch.ones(8, 4).cuda()))
"""


@pytest.mark.parametrize(
    "device", ['f"cuda:{args.gpu}"', "args.gpu", '"cuda", args.gpu', '"cuda:" + str(args.gpu)']
)
def test_an_option_names_the_accelerator_that_it_usually_is(device: str) -> None:
    assert changed(OPTION.format(device=device, default=2)) == ["print(model(torch.ones(8, 4).to(device)))"]
    assert check_texts({"main.py": OPTION.format(device=device, default=0)}) == []
