"""Modules whose names are put together at run time."""

from __future__ import annotations

import ast

import pytest
from text_program import check_texts, fix_texts, project

from devfix.dynamic_imports import matching, named_in, patterns
from devfix.findings import Applicability
from devfix.imports import folders_added


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ('importlib.import_module("models." + args.arch)', ("models.*",)),
        ('import_module(f"models.{name}_model")', ("models.*_model",)),
        ('importlib.import_module("models.resnet")', ("models.resnet",)),
        ('__import__("zoo." + name, fromlist=["x"])', ("zoo.*",)),
        # Those beside the file, or in a package that is told.
        ('import_module(f"{__name__}.{name}")', (".*",)),
        ('import_module(__package__ + ".nets." + name)', (".nets.*",)),
        ('import_module("." + name, __package__)', (".*",)),
        ('import_module(f"..{name}_net", package=__name__)', ("..*_net",)),
        ('import_module("." + name, package="models")', ("models.*",)),
        ('import_module("." + name, self.package)', ()),
        # Any module could be meant.
        ("importlib.import_module(name)", ("*",)),
        ('importlib.import_module(name + ".model")', ("*",)),
        ('importlib.import_module("yaml")', ("yaml",)),
        ('load("models." + name)', ()),
        ('sys.path.append(os.path.join(ROOT, "nets"))\nimport_module(name)', ("*", "nets.*")),
        ('sys.path.insert(0, "./lib/nets")\nimport_module(name)', ("*", "lib.nets.*")),
        ('sys.path.append("..")\nsys.path.append(ROOT)\nimport_module(name)', ("*",)),
        ('sys.path.append("nets")', ()),
    ],
)
def test_the_names_that_are_known(call: str, found: tuple[str, ...]) -> None:
    tree = ast.parse(f"import sys\n{call}")
    assert patterns(tree, folders_added(tree)) == found


def test_modules_of_that_name() -> None:
    paths = ["a/models/x_model.py", "a/models/x.py", "models/x_model.py", "a/models/b/x_model.py"]
    assert list(matching("models.*_model", ["a"], paths)) == ["a/models/x_model.py"]
    assert list(matching("models.*_model", ["", "a"], paths)) == ["a/models/x_model.py", "models/x_model.py"]
    assert list(matching("models.*", [""], ["models/net/__init__.py"])) == ["models/net/__init__.py"]
    assert list(matching("models.*", [""], ["models/__init__.py", "models/net.py"])) == ["models/net.py"]


def test_modules_beside_the_one_that_imports_them() -> None:
    paths = ["a/x.py", "a/b/x.py", "x.py", "a/b/c/x.py"]
    assert list(matching(".*", ["", "a"], paths, "a/b/__init__.py")) == ["a/b/x.py"]
    assert list(matching("..*", ["", "a"], paths, "a/b/__init__.py")) == ["a/x.py"]
    assert list(matching(".x", [], paths, "main.py")) == ["x.py"]


NET = """
import torch
from torch import nn

class {name}Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, 1)

    def forward(self, x):
        return self.layer(x) + torch.zeros(1, 1)
"""
TRAIN = """
import argparse
import importlib
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--net", default="small")
parser.add_argument("--width", type=int, default=3)
args = parser.parse_args()
module = importlib.import_module({module})
net = {net}(args.width).cuda()
print(net(torch.ones(2, args.width).cuda()))
"""


@pytest.mark.parametrize(
    ("module", "net"),
    [
        ('"zoo." + args.net', "module.SmallNet"),
        ('f"zoo.{args.net}"', 'getattr(module, f"{args.net.title()}Net")'),
        ('"zoo.%s" % "small" if False else "zoo.small"', 'getattr(module, args.net.capitalize() + "Net")'),
    ],
)
def test_a_network_that_an_option_names(module: str, net: str) -> None:
    texts = {"train.py": TRAIN.format(module=module, net=net), "zoo/small.py": NET.format(name="Small")}
    assert [(f.path, f.code) for f in check_texts(texts)] == [("zoo/small.py", "DF104")]


PLUGINS = """
import importlib

def load(name, **options):
    return importlib.import_module({module}).SmallNet(**options)
"""
USER = """
import torch
import zoo

net = zoo.load({asked}, width=3).cuda()
print(net(torch.ones(2, 3).cuda()))
"""


@pytest.mark.parametrize(
    "module", ["f'{__name__}.{name}'", "'.' + name, __name__", "f'{__package__}.{name}'", "'.' + name, 'zoo'"]
)
@pytest.mark.parametrize("asked", ["'small'", "input()"])
def test_a_package_imports_what_is_beside_it(module: str, asked: str) -> None:
    texts = {
        "main.py": USER.format(asked=asked),
        "zoo/__init__.py": PLUGINS.format(module=module),
        "zoo/small.py": NET.format(name="Small"),
    }
    assert [(f.path, f.code) for f in check_texts(texts)] == [("zoo/small.py", "DF104")]
    right = texts["zoo/small.py"].replace("zeros(1, 1)", "zeros(1, 1, device=x.device)")
    assert not check_texts({**texts, "zoo/small.py": right})


def test_what_is_beside_the_file_is_not_what_is_in_the_package() -> None:
    train = TRAIN.format(module='".small", package="zoo"', net="module.SmallNet")
    texts = {
        "train.py": train,
        "small.py": RIGHT,
        "zoo/__init__.py": "",
        "zoo/small.py": NET.format(name="Small"),
    }
    assert [(f.path, f.code) for f in check_texts(texts)] == [("zoo/small.py", "DF104")]


RIGHT = NET.replace("torch.zeros(1, 1)", "1").format(name="Big")


@pytest.mark.parametrize("parts", ["import torch\n", "class Part:\n    pass\n"])
def test_a_network_of_which_the_usual_one_is_not_there(parts: str) -> None:
    train = TRAIN.format(module='"zoo." + args.net', net="module.BigNet")
    forgotten = train.replace("args.width).cuda()))", "args.width)))")
    texts = {"train.py": forgotten, "zoo/big.py": RIGHT, "zoo/parts.py": parts, "zoo/__init__.py": ""}
    assert "args.width, device=next(net.parameters()).device)" in fix_texts(texts)[0]["train.py"]
    assert check_texts(texts | {"train.py": train}) == []


@pytest.mark.parametrize("module", ['"zoo.small"', '"elsewhere." + args.net', '"zoo.small_" + args.net'])
def test_what_is_not_there_is_none_of_the_others(module: str) -> None:
    train = TRAIN.format(module=module, net="module.BigNet").replace("args.width).cuda()))", "args.width)))")
    assert check_texts({"train.py": train, "zoo/big.py": RIGHT}) == []


def test_files_belong_together_that_a_run_imports() -> None:
    texts = {
        "train.py": TRAIN.format(module='"zoo." + args.net', net="module.Net"),
        "zoo/small.py": "",
        "b.py": "",
    }
    assert [sorted(p.sources) for p in project(texts).programs()] == [["b.py"], ["train.py", "zoo/small.py"]]


BUILD = """
import importlib

def build(node):
    module, _, name = node["target"].rpartition(".")
    return getattr(importlib.import_module(module), name)(**node["params"])
"""
CONFIG = """
CONFIG = {"model": {"target": "lib.nets.SmallNet", "params": {"width": 3}}, "note": "lib.nowhere.Else"}
"""
RUN = """
import torch
from lib.build import build
from lib.config import CONFIG

model = build(CONFIG["model"]).cuda()
print(model(torch.ones(2, 3).cuda()))
"""


def test_modules_that_the_texts_of_a_configuration_name() -> None:
    texts = {
        "main.py": RUN,
        "lib/build.py": BUILD,
        "lib/config.py": CONFIG,
        "lib/nets.py": NET.format(name="Small"),
    }
    assert [sorted(program.sources) for program in project(texts).programs()] == [sorted(texts)]
    assert [(finding.path, finding.code) for finding in check_texts(texts)] == [("lib/nets.py", "DF104")]
    # Where nothing is imported by such a name, a text is a text.
    texts["lib/build.py"] = "def build(node):\n    return node\n"
    assert len(project(texts).programs()) == 2


MODEL = """
import torch
from torch import nn


class Config(object):
    def __init__(self, size):
        self.size = size
        self.device = torch.device("cuda")


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.line = nn.Linear(config.size, 2)

    def forward(self, x):
        return self.line(x)
"""
CHOOSING = """
import sys
from importlib import import_module

import torch

x = import_module("models." + sys.argv[1])
config = x.Config(3)
model = x.Model(config).to(config.device)
out = model(torch.randn(2, 3).to(config.device))
print(out.detach(){fetched}.numpy())
"""


@pytest.mark.parametrize("many", [1, 2, 7])
def test_any_module_that_the_name_fits_may_be_meant(many: int) -> None:
    models = {f"models/m{number}.py": MODEL for number in range(many)}
    missing, whole = CHOOSING.format(fetched=""), CHOOSING.format(fetched=".cpu()")
    assert fix_texts({"run.py": missing, **models}, Applicability.SAFE)[0]["run.py"] == whole
    assert fix_texts({"run.py": whole, **models}, Applicability.SAFE)[0]["run.py"] == whole


def test_a_name_that_fits_everything_says_nothing() -> None:
    text = CHOOSING.format(fetched="").replace('"models." + ', "")
    assert fix_texts({"run.py": text, "models/m.py": MODEL}, Applicability.SAFE)[0]["run.py"] == text


ADDED = """
import argparse
import importlib
import os
import sys
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "nets"))
parser = argparse.ArgumentParser()
parser.add_argument("--net", default="small")
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = importlib.import_module(parser.parse_args().net).Net(3)
print(net(torch.ones(2, 3, device=device)))
"""


def test_a_module_in_a_folder_that_the_script_adds() -> None:
    texts = {"train.py": ADDED, "nets/small.py": NET.format(name="").replace("zeros(1, 1)", "zeros(())")}
    after, _ = fix_texts(texts, Applicability.UNSAFE)
    assert after == {**texts, "train.py": ADDED.replace(".Net(3)", ".Net(3).to(device)")}


ENTRY_POINTS = """
import importlib

_NETS = {{"small": "{entry}"}}

def load(name):
    module, _, attribute = _NETS[name].partition(":")
    return getattr(importlib.import_module(module), attribute)
"""


@pytest.mark.parametrize("module", ["zoo.nets.small", "small"])
def test_what_an_entry_point_names_is_followed(module: str) -> None:
    net = f"{module.replace('.', '/')}.py"
    texts = {
        "main.py": USER.format(asked="'small'").replace("'small', width=3", "'small')(width=3"),
        "zoo/__init__.py": ENTRY_POINTS.format(entry=f"{module}:SmallNet"),
        net: NET.format(name="Small"),
    }
    assert [(f.path, f.code) for f in check_texts(texts)] == [(net, "DF104")]
    right = texts[net].replace("zeros(1, 1)", "zeros(1, 1, device=x.device)")
    assert not check_texts({**texts, net: right})


def test_texts_that_may_name_modules() -> None:
    text = """names = ["a.b.C", 'd.e:F', "g:h.i", "cuda:0", "j", "k: l", "m.n:"]"""
    assert list(named_in(text)) == ["a.b.C", "a.b", "d.e", "g"]
