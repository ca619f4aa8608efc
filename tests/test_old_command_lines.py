"""Options of ``optparse``: what a run has that is given none."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

HEAD = """
import optparse
import torch

parser = optparse.OptionParser()
parser.add_option("-r", "--reload", default="0", type="int")
group = optparse.OptionGroup(parser, "Training")
group.add_option("--lr", type=float, default="0.5")
group.add_option("--fresh", action="store_true", dest="anew", default=True)
parser.add_option_group(group)
options, rest = parser.parse_args([])
"""
NET = "net = torch.nn.Linear(2, 2)\nsettings = {'reload': options.reload == 1, 'anew': options.anew}\n"
USE = "net.cuda()\nprint(net(torch.ones(1, 2)))\n"


@pytest.mark.parametrize(
    "test", ["options.reload", "options.reload == 1", "settings['reload']", "not settings['anew']"]
)
def test_what_a_run_without_options_has_fails_for_certain(test: str) -> None:
    assert clashes(HEAD + NET + f"if {test}:\n    net = torch.load('net.pt')\n" + USE) == ["17: device"]


@pytest.mark.parametrize("test", ["options.anew", "settings['anew']", "settings[options.name]", "rest"])
def test_what_such_a_run_loads_may_be_anything(test: str) -> None:
    assert not clashes(HEAD + NET + f"if {test}:\n    net = torch.load('net.pt')\n" + USE)


def test_a_default_that_is_text_is_converted_as_what_a_user_writes_is() -> None:
    text = (
        HEAD
        + "reload, lr, anew = options.reload, options.lr, options.anew\ntotal = torch.ones(2) * lr + reload\n"
    )
    assert not lies(text)


def test_a_device_option_is_taken_to_be_the_accelerator() -> None:
    declared = HEAD.replace("--lr", "--device").replace('type=float, default="0.5"', 'default="{}"')
    use = "net = torch.nn.Linear(2, 2).to(options.device)\nnet(torch.ones(1, 2))\n"
    assert clashes(declared.format("cuda") + use) == ["13: device"]
    assert clashes(declared.format("cpu") + use) == ["13: device"]
