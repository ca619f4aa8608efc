"""Tensors that replace a module's own, and what a checkpoint holds that was loaded to the CPU."""

from __future__ import annotations

import pytest
from text_program import check_texts, clashes, fix_texts

from devfix.findings import Applicability

ASSIGNED = """
import torch
model = torch.nn.Linear(3, 2).cuda()
torch.save(model.state_dict(), "m.pt")
model.load_state_dict(torch.load("m.pt", map_location={location}){assign})
print(model(torch.rand(4, 3).cuda()))
"""


@pytest.mark.parametrize(
    ("location", "assign", "count"),
    [
        ('"cpu"', ", assign=True", 1),
        ('"cpu"', "", 0),
        ('"cuda"', ", assign=True", 0),
        ('"cpu"', ", assign=False", 0),
    ],
)
def test_assigned_state(location: str, assign: str, count: int) -> None:
    assert len(clashes(ASSIGNED.format(location=location, assign=assign))) == count


def test_the_load_asks_for_the_device_of_the_model() -> None:
    after, _ = fix_texts({"main.py": ASSIGNED.format(location='"cpu"', assign=", assign=True")})
    assert "map_location=next(model.parameters()).device)" in after["main.py"]


def test_states_of_generators_stay_on_the_host() -> None:
    text = """
import torch
x = torch.rand(3).cuda()
torch.save({"x": x, "rng": torch.get_rng_state()}, "m.pt")
state = torch.load("m.pt", map_location="cpu")
torch.set_rng_state(state["rng"])
print(state["x"] + x)
"""
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert 'map_location="cpu"' in after["main.py"]
    assert 'state["x"].to(x.device) + x' in after["main.py"]


META = """
import torch
import torch.nn.functional as F
from torch.func import functional_call
model = torch.nn.Linear(3, 2){place}
x, y = torch.rand(4, 3), torch.randint(0, 2, (4,))
tensors = {{k: p{moved} for k, p in model.named_parameters()}}
grads = torch.autograd.grad(F.cross_entropy(functional_call(model, tensors, (x.cuda(),)), y.cuda()),
                            list(tensors.values()))
fast = {{k: p - g for (k, p), g in zip(tensors.items(), grads)}}
print(F.cross_entropy(functional_call(model, fast, (x.cuda(),)), y{target}))
"""


@pytest.mark.parametrize(
    ("place", "moved", "target", "found"),
    [
        (".cuda()", "", ".cuda()", []),
        ("", ".cuda()", ".cuda()", []),
        (".cuda()", "", "", ["11: device"]),
        (".cuda()", ".cpu()", ".cuda()", ["8: device", "11: device"]),
    ],
)
def test_functional_call_runs_with_the_given_tensors(
    place: str, moved: str, target: str, found: list[str]
) -> None:
    assert sorted(set(clashes(META.format(place=place, moved=moved, target=target)))) == sorted(found)


RESTORED = """
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 2).to(device)
{before}
model.load_state_dict(torch.load("m.pt"))
"""


def trust(text: str) -> list[Applicability | None]:
    found = check_texts({"main.py": text})
    return [finding.fix.applicability if finding.fix is not None else None for finding in found]


def test_a_load_that_runs_on_machines_like_the_first_is_a_remark() -> None:
    assert trust(RESTORED.format(before="")) == [Applicability.UNSAFE]


@pytest.mark.parametrize("path", ['"m.pt"', 'os.path.join("runs", "m.pt")'])
def test_a_script_that_wrote_the_file_may_load_it_as_it_is(path: str) -> None:
    assert trust(RESTORED.format(before=f"torch.save(model.state_dict(), {path})")) == []


def test_the_file_may_be_written_after_it_is_resumed_from() -> None:
    assert trust(RESTORED.format(before="") + 'torch.save(model.state_dict(), "m.pt")\n') == []


OPENED = """
with open({path}, "wb") as file:
    torch.save(model.state_dict(), file)
"""


@pytest.mark.parametrize(
    "path", ['"m.pt"', '"runs/m.pt"', 'folder + "/m.pt"', 'os.path.join(folder, "m.pt")']
)
def test_a_file_that_was_opened_has_the_name_it_was_opened_by(path: str) -> None:
    given = "import os, sys\nfolder = sys.argv[1]"
    assert trust(RESTORED.format(before=given) + OPENED.format(path=path)) == []
    assert trust(RESTORED.format(before=given + OPENED.format(path=path))) == []


def test_another_file_that_was_opened_is_another_file() -> None:
    assert trust(RESTORED.format(before=OPENED.format(path='"other.pt"'))) == [Applicability.UNSAFE]


def test_a_file_without_a_name_of_its_own_may_be_the_one_that_was_opened() -> None:
    text = """
import argparse
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--save", default="m.pt")
args = parser.parse_args()
model = torch.nn.Linear(3, 2)
if torch.cuda.is_available():
    model.cuda()
with open(args.save, "wb") as file:
    torch.save(model.state_dict(), file)
model.load_state_dict(torch.load(args.save))
"""
    assert trust(text) == []


RESUMED = """
import argparse
import strange
import torch
parser = argparse.ArgumentParser()
parser.add_argument("--resume", default="")
args = parser.parse_args()
model = torch.nn.Linear(3, 2)
if torch.cuda.is_available():
    model.cuda()
def keep(state):
    {keep}
if args.resume:
    model.load_state_dict(torch.load(args.resume))
strange.train(model, at_end=keep)
"""


def test_a_function_that_others_call_may_have_written_what_a_run_resumes_from() -> None:
    assert trust(RESUMED.format(keep='torch.save(model.state_dict(), "m.pt")')) == []


def test_a_run_that_resumes_from_what_nobody_here_writes_is_a_remark() -> None:
    assert trust(RESUMED.format(keep='print("saved")')) == [Applicability.UNSAFE]


def test_what_was_written_to_an_opened_file_comes_out_of_it() -> None:
    text = """
import torch
with open("mean.pt", "wb") as file:
    torch.save(torch.ones(3), file)
x = torch.ones(3).cuda()
print(x - torch.load("mean.pt"))
"""
    assert trust(text) == [Applicability.SAFE]


def test_nothing_is_remarked_of_what_a_library_loads() -> None:
    text = """
import torch
def restore(model, path):
    if torch.cuda.is_available():
        model.cuda()
    model.load_state_dict(torch.load(path))
"""
    assert trust(text) == []


def test_saved_tensors_of_the_host_that_meet_the_accelerator_fail_for_certain() -> None:
    text = """
import torch
torch.save(torch.ones(3), "mean.pt")
x = torch.ones(3).cuda()
print(x - torch.load("mean.pt"))
"""
    assert trust(text) == [Applicability.SAFE]


RELOADED = """
import sys
import torch

net = torch.nn.Linear(3, 2)
if torch.cuda.is_available():
    net.cuda()
x = torch.rand(4, 3)
if torch.cuda.is_available():
    x = x.cuda()
net.load_state_dict(torch.load(sys.argv[1]))
first = net(x)
net.load_state_dict(torch.load(sys.argv[2]))
print(first - net(x))
"""


def test_a_state_is_loaded_to_the_cpu_whatever_tensors_are_at_hand() -> None:
    after, _ = fix_texts({"main.py": RELOADED}, Applicability.UNSAFE)
    assert after["main.py"].count('map_location="cpu"') == 2


def test_a_state_is_loaded_to_the_device_that_the_program_chose() -> None:
    chosen = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
    text = RELOADED.replace("import torch\n", f"import torch\n\n{chosen}")
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert after["main.py"].count("map_location=device") == 2


PATCHED = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.gains = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return self.layer(x) * self.gains[0]

state = {made}
state["gains"] = torch.ones(2)
model = Net().cuda()
model.load_state_dict(state, assign=True)
print(model(torch.rand(4, 3).cuda()))
"""


def test_an_entry_that_is_added_to_a_state_says_nothing_of_the_others() -> None:
    text = PATCHED.format(made='{k: v for k, v in torch.load("m.pt", map_location="cuda").items()}')
    assert clashes(text) == []


def test_a_state_of_nothing_but_tensors_is_where_they_are() -> None:
    text = PATCHED.format(made='{"layer.weight": torch.ones(2, 3), "layer.bias": torch.ones(2)}')
    assert clashes(text) == ["12: device"]


NAMED = """
import torch

class Metric:
    def __init__(self):
        self.defaults = {{}}

    def add_state(self, name, default):
        self.defaults[name] = default
        setattr(self, name, default.clone())

    def reset(self):
        for name, default in self.defaults.items():
            setattr(self, name, default.clone(){back})

    def to(self, device):
        for name in self.defaults:
            setattr(self, name, getattr(self, name).to(device))
        return self

class Mean(Metric):
    def __init__(self):
        super().__init__()
        self.add_state("total", torch.zeros(()))
        self.add_state("parts", torch.zeros(3))

    def update(self, x):
        self.parts += x.sum(0)
        self.parts.index_add_(0, torch.zeros(1, dtype=torch.long, device=x.device), x[:1, 0])

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
mean = Mean().to(device)
for epoch in range(2):
    mean.update(torch.ones(4, 3, device=device))
    mean.reset()
"""


def test_what_is_reset_by_name_goes_where_the_attribute_was() -> None:
    after, _ = fix_texts({"main.py": NAMED.format(back="")}, Applicability.UNSAFE)
    right = NAMED.format(back=".to(getattr(self, name).device)")
    assert after["main.py"] == right
    assert not check_texts({"main.py": right})


def test_where_no_method_moves_by_name_an_attribute_is_not_asked_for() -> None:
    text = NAMED.format(back="").replace("getattr(self, name).to(device))", "self.defaults[name].to(device))")
    after, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert "getattr" not in after["main.py"]
