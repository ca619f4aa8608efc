"""Programs that choose among very many models, or collect them in a list that grows in different ways."""

from __future__ import annotations

from text_program import clashes

CLASSES = "\n".join(f"class Net{n}(torch.nn.Linear):\n    pass" for n in range(15))
HEAD = f"""\
import argparse
import torch
{CLASSES}
parser = argparse.ArgumentParser()
parser.add_argument("--arch", required=True)
parser.add_argument("--with-head", action="store_true")
args = parser.parse_args()
"""
CHAIN = "\n".join(f"{'el' if n else ''}if args.arch == 'net{n}':\n    net = Net{n}(2, 2)" for n in range(15))
TABLE = "table = {" + ", ".join(f"'net{n}': Net{n}" for n in range(15)) + "}\nnet = table[args.arch](2, 2)"


def kinds(body: str) -> list[str]:
    """The kinds of mismatches that a program has."""
    return sorted({found.rpartition(": ")[2] for found in clashes(HEAD + body)})


def test_one_of_a_long_chain_of_branches() -> None:
    assert kinds(f"{CHAIN}\nnet = net.cuda()\nnet(torch.ones(1, 2))\n") == ["device"]
    assert kinds(f"{CHAIN}\nnet = net.cuda()\nnet(torch.ones(1, 2).cuda())\n") == []


def test_one_of_a_long_table() -> None:
    assert kinds(f"{TABLE}\nnet = net.cuda()\nnet(torch.ones(1, 2))\n") == ["device"]
    assert kinds(f"{TABLE}\nnet = net.cuda()\nnet(torch.ones(1, 2).cuda())\n") == []


LIST = """
nets = torch.nn.ModuleList([])
nets.append(Net0(2, 2))
if args.with_head:
    nets.append(Net1(2, 2))
nets.append(Net2(2, 2))
nets.cuda()
"""


def test_the_first_of_a_list_that_may_have_grown() -> None:
    assert kinds(LIST + "nets[0](torch.ones(1, 2))\n") == ["device"]
    assert kinds(LIST + "nets[-1](torch.ones(1, 2))\n") == ["device"]
    assert kinds(LIST + "nets[0](torch.ones(1, 2).cuda())\n") == []


NETS = "\n".join(f"def net{n}(**options):\n    return torch.nn.Linear(2, 2)\n" for n in range(9))
LOOKUP = """
import argparse
import torch
import nets

parser = argparse.ArgumentParser()
parser.add_argument("--arch", default="large")
args = parser.parse_args()
net = nets.__dict__[args.arch](width=2)
net = net.cuda()
net(torch.ones(1, 2){})
"""


def test_a_function_of_a_file_by_a_name_that_nobody_knows() -> None:
    made = f"import torch\n\n{NETS}"
    assert [found.rpartition(": ")[2] for found in clashes(LOOKUP.format(""), nets=made)] == ["device"]
    assert clashes(LOOKUP.format(".cuda()"), nets=made) == []
