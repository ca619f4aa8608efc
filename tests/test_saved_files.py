"""What a program saves is what it loads, whatever the variables are called that name the file."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

HEAD = """\
import os
import torch
import torch.nn as nn


class Centers(nn.Module):
    def __init__(self):
        super().__init__()
        self.centers = torch.zeros(3, device="cuda")

    def get_extra_state(self):
        return {"centers": self.centers.cpu()}

    def set_extra_state(self, state):
        self.centers = state["centers"]


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Centers()
        self.b = nn.Linear(3, 3)


def save(state, path):
    torch.save(state, path)


def load(folder):
    return torch.load(os.path.join(folder, "last.pt"), map_location="cpu")


x = torch.ones(3).cuda()
"""

CLASHES = [
    'save({"mean": x}, "a/last.pt")\nx - load("a")["mean"]\n',
    'save({"norm": {"mean": x}}, "a/last.pt")\nx - load("a")["norm"]["mean"]\n',
    'save([x, 3], "a/last.pt")\nx - load("a")[0]\n',
    'save({"net": nn.Linear(3, 3).cuda().state_dict()}, "a/last.pt")\nx - load("a")["net"]["bias"]\n',
    'c = Centers()\nsave(c.state_dict(), "a/last.pt")\nc.load_state_dict(load("a"))\nx - c.centers\n',
    'c = Both().cuda()\nsave({"c": c.state_dict()}, "a/last.pt")\nc.load_state_dict(load("a")["c"])\nx - c.a.centers\n',
]


@pytest.mark.parametrize("text", CLASHES)
def test_the_only_file_is_the_one_that_is_loaded(text: str) -> None:
    program = HEAD + text
    assert clashes(program) == [f"{len(program.splitlines())}: device"]


@pytest.mark.parametrize(
    "text",
    [
        'torch.save({"mean": x}, "a.pt")\nx - torch.load("b.pt", map_location="cpu")["mean"]\n',
        'torch.save({"mean": x}, "a.pt")\ntorch.save({"mean": 3}, "b.pt")\nx - load("a")["mean"]\n',
        'save({"mean": x}, "a/last.pt")\nx - load("a")["std"]\n',
        'save({"mean": x}, "a/last.pt")\nx - load("a")["mean"].cuda()\n',
        'c = Centers()\nc.load_state_dict(load("a"))\nx - c.centers\n',
    ],
)
def test_another_file_or_what_is_moved_says_nothing(text: str) -> None:
    assert clashes(HEAD + text) == []


def test_a_model_that_another_path_writes_is_not_there_to_be_read() -> None:
    text = """
    import argparse
    import torch

    parser = argparse.ArgumentParser()
    parser.add_argument("--test", action="store_true")
    parser.add_argument("--path", default="model.pt")
    args = parser.parse_args()
    if not args.test:
        model = torch.nn.Linear(2, 1).cuda()
        model(torch.ones(1, 2))
        torch.save({"model": model}, args.path)
    else:
        model = torch.load(args.path)["model"]
        model(torch.ones(1, 2).cuda())
    """
    assert clashes(text) == ["11: device"]


@pytest.mark.parametrize(
    ("saved", "loaded"),
    [
        ('"{0}/model_{1}.pth".format(folder, epoch)', 'os.path.join(folder, "model_" + str(epoch) + ".pth")'),
        ('f"{folder}/model_{epoch}.pth"', 'os.path.join(folder, "model_%d.pth" % epoch)'),
        ('folder + "/model_" + str(epoch) + ".pth"', 'Path(folder) / f"model_{epoch}.pth"'),
    ],
)
def test_a_file_is_known_by_the_form_of_its_name(saved: str, loaded: str) -> None:
    text = f"""
    import os
    from pathlib import Path
    import torch

    def test(folder, epoch):
        model = torch.load({loaded})
        model.cuda()
        model(torch.ones(1, 2))

    def train(folder):
        for epoch in range(3):
            model = torch.nn.Linear(2, 1)
            torch.save(model, {saved})
            torch.save(3, f"{{folder}}/other_{{epoch}}.pth")
            test(folder, epoch)

    train("runs")
    """
    assert clashes(text) == ["9: device"]


PORTABLE = """\
import argparse
import torch

DEVICE = {device}
parser = argparse.ArgumentParser()
parser.add_argument("--device", default=DEVICE)
parser.add_argument("--resume", default="")
args = parser.parse_args()
if not torch.cuda.is_available():
    args.device = "cpu"
model = torch.nn.Linear(3, 3).to(args.device)
if args.resume:
    model.load_state_dict(torch.load(args.resume{where}))
"""


@pytest.mark.parametrize("device", ['"cuda:0"', '"cuda" if torch.cuda.is_available() else "cpu"'])
def test_a_state_is_loaded_to_what_the_option_says_in_the_end_not_to_its_default(device: str) -> None:
    text = PORTABLE.format(device=device, where="")
    fixed, _ = fix_texts({"train.py": text}, Applicability.UNSAFE)
    assert fixed["train.py"] == PORTABLE.format(device=device, where=", map_location=args.device")


@pytest.mark.parametrize("cast", ["type(torch.LongTensor)", 'type("torch.LongTensor")'])
def test_what_is_read_of_a_file_is_a_tensor_where_it_is_cast_as_one(cast: str) -> None:
    text = f"""
        import torch

        words = torch.load("words.pt").{cast}
        words = words.cuda()
        more = torch.zeros(2, dtype=torch.int64)
        print(torch.cat([words, more]))
    """
    assert clashes(text) == ["7: device"]
    assert clashes(text.replace("torch.int64)", "torch.int64).cuda()")) == []


NAMED = """
import os
import torch


class Run:
    def __init__(self, folder):
        self.folder = folder

    def best(self):
        return os.path.join(self.folder, f"{{os.getpid()}}")

    def last(self):
        return os.path.join(self.folder, f"{{os.getpid() + 1}}")


def place(folder, step):
    return os.path.join(folder, str(step))


run = Run("runs")
x = torch.ones(3).cuda()
torch.save({{"mean": x}}, {saved})
torch.save({{"mean": 3}}, {other})
print(x - torch.load({loaded}, map_location="cpu")["mean"])
"""


@pytest.mark.parametrize(
    ("saved", "other", "loaded", "found"),
    [
        ("run.best()", "run.last()", "run.best()", True),
        ("place(x, run)", "run.last()", "place(x, run)", True),
        ("run.best()", "run.last()", "run.last()", False),
        ("run.best()", "place('a', run)", "place('b', run)", False),
        (
            "place(x, 1)",
            "place(x, 2)",
            "place(x, 1)",
            False,
        ),  # one file with two contents, for all that is known
    ],
)
def test_what_a_function_names(saved: str, other: str, loaded: str, found: bool) -> None:
    program = NAMED.format(saved=saved, other=other, loaded=loaded)
    assert clashes(program) == (["25: device"] if found else [])


RESUMED = """\
import os
import torch


class Run:
    def __init__(self):
        self.mean, self.std, self.epoch = None, None, 0

    @classmethod
    def begin(cls):
        run = cls()
        run.mean, run.std = torch.zeros(3).cuda(), torch.ones(3)
        return run

    def save(self, path):
        torch.save({{"mean": {mean}, "std": self.std, "epoch": self.epoch}}, path)

    @classmethod
    def load(cls, path):
        state = torch.load(path, map_location="cpu")
        run = cls()
        run.mean, run.epoch = state["mean"]{moved}, state["epoch"]
        run.std = state["std"]
        return run

    def step(self):
        print(self.mean - torch.ones(3).cuda())
        self.epoch += 1


def job(path, until):
    run = Run.load(path) if os.path.exists(path) else Run.begin()
    while run.epoch < until:
        run.step()
    run.save(path)


for until in (3, 6):
    job(os.getcwd() + os.sep, until)
"""


def test_what_a_run_goes_on_with_is_what_the_run_before_put_there() -> None:
    assert clashes(RESUMED.format(mean="self.mean", moved="")) == ["27: device"]
    assert clashes(RESUMED.format(mean="self.mean", moved=".cuda()")) == []


def test_a_file_that_holds_one_thing_or_another_says_nothing_of_it() -> None:
    assert clashes(RESUMED.format(mean="self.mean if self.epoch else [1]", moved="")) == []


TWO_FILES = """\
import os
import torch


def write(value, count, path):
    torch.save({{"value": value, "count": count}}, path)


def read(path):
    return torch.load(path, map_location="cpu")


{first}
write(torch.zeros(3), 1, os.getcwd())
write(os.environ.get("VALUE"), 2, os.getcwd() + "b")
print(read(os.getcwd() + "b")["value"] + torch.ones(3).cuda())
"""


def test_what_is_not_known_of_one_of_two_files_is_not_what_the_other_holds() -> None:
    assert clashes(TWO_FILES.format(first="")) == []
    assert clashes(TWO_FILES.format(first='print(torch.load("elsewhere.pt"))')) == []


PUT_ELSEWHERE = """\
import os
import torch
from lib import embed

path = os.getcwd()
torch.save({{"value": torch.zeros(3), "count": 1}}, path)
state = torch.load(path)
torch.save({{"value": {again}, "count": 2}}, path)
print(torch.load(path{there})["value"] + torch.ones(3).cuda())
"""


def test_where_what_is_not_known_was_when_it_was_written_nobody_knows() -> None:
    assert clashes(PUT_ELSEWHERE.format(again='state["value"]', there="")) == ["9: device"]
    assert clashes(PUT_ELSEWHERE.format(again="embed(3)", there="")) == []
    assert clashes(PUT_ELSEWHERE.format(again="embed(3)", there=', map_location="cpu"')) == ["9: device"]
