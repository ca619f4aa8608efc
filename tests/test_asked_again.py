"""A test that only looks comes out the same both times that it is asked, as long as nothing changes what it looks at."""

from __future__ import annotations

import pytest
from text_program import clashes

SCRIPT = """
import argparse, os
from pathlib import Path
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--path", default="w.pt")
parser.add_argument("--names", nargs="*", default=[])
args = parser.parse_args()

def main(path, place, names, options, x):
{body}

main(args.path, Path(args.path), args.names, dict(each.split("=") for each in args.names), torch.ones(4, 3, device="cuda"))
"""
LOADED = "torch.load(path, map_location='cuda', weights_only=False)"
#: What chooses a value by a test, and what is then done to it by the same test, so that it is on the accelerator.
SOUND = {
    "a model or its file": "m = " + LOADED + " if {t} else nn.Linear(3, 2)\nif not {t}:\n    m = m.cuda()\nm(x)",
    "a model made here or there": "m = nn.Linear(3, 2).cuda() if {t} else nn.Linear(3, 2)\nif not {t}:\n    m.cuda()\nm(x)",
    "a model in branches": (
        "if {t}:\n    m = nn.Linear(3, 2).cuda()\nelse:\n    m = nn.Linear(3, 2)\nif not {t}:\n    m = m.cuda()\nm(x)"
    ),
    "a tensor or its file": "if {t}:\n    w = " + LOADED + "\nelse:\n    w = torch.zeros(3)\nif not {t}:\n    w = w.cuda()\nw * x",
    "one branch each": "w = torch.zeros(3)\nif {t}:\n    w = w.cuda()\nprint(w)\nif not {t}:\n    w = w.cuda()\nw * x",
    "expressions": "w = " + LOADED + " if {t} else torch.zeros(3)\nw = w if {t} else w.cuda()\nw * x",
    "an expression that uses it": "w = torch.ones(3, device='cuda') if {t} else torch.zeros(3)\nprint(w * x if {t} else w)",
    "a condition beside it": (
        "if {t}:\n    w = torch.zeros(3).cuda()\nelse:\n    w = torch.ones(3)\nif {t} and x.sum() > 0:\n    w * x"
    ),
}  # fmt: skip
TESTS = [
    "os.path.exists(path)", "place.is_file()", "path.startswith('a')", "len(names) > 3", "options.get('old')",
    "isinstance(names, dict)", "path.lower() == 'a'", "x.size(0) > 3 * len(names)",
]  # fmt: skip


def found(body: str) -> list[str]:
    return clashes(SCRIPT.format(body="".join(f"    {line}\n" for line in body.splitlines())))


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("body", SOUND.values(), ids=SOUND)
def test_what_is_asked_again_comes_out_as_it_did(body: str, test: str) -> None:
    assert found(body.format(t=test)) == []


@pytest.mark.parametrize(("one", "other"), [(">", "<="), ("<", ">=")])
def test_the_opposite_of_a_comparison_is_the_same_test(one: str, other: str) -> None:
    body = f"w = torch.zeros(3)\nif x.size(0) {one} 3:\n    w = w.cuda()\nif x.size(0) {other} 3:\n    w = w.cuda()\nw * x"
    assert found(body) == []


#: What is left on the CPU where a file is there, or is not.
FAULTY = {
    "never moved": "if {t}:\n    w = torch.ones(3).cuda()\nelse:\n    w = torch.zeros(3)\nw * x",
    "moved the wrong way round": "if {t}:\n    w = torch.ones(3)\nelse:\n    w = torch.zeros(3).cuda()\nif not {t}:\n    w = w.cuda()\nw * x",
    "moved for another file": "if {t}:\n    w = torch.ones(3).cuda()\nelse:\n    w = torch.zeros(3)\nif not os.path.exists('b'):\n    w = w.cuda()\nw * x",
    "used where it was not moved": "if {t}:\n    w = torch.ones(3).cuda()\nelse:\n    w = torch.zeros(3)\nif not {t}:\n    w * x",
    "made anew": "if {t}:\n    w = torch.ones(3).cuda()\nelse:\n    w = torch.zeros(3)\nw = torch.zeros(3)\nif {t}:\n    w * x",
    "a model that is never moved": "m = " + LOADED + " if {t} else nn.Linear(3, 2)\nif {t}:\n    m = m.cuda()\nm(x)",
}  # fmt: skip


@pytest.mark.parametrize("body", FAULTY.values(), ids=FAULTY)
def test_what_either_answer_leaves_on_the_cpu_is_found(body: str) -> None:
    assert len(found(body.format(t="os.path.exists(path)"))) == 1


@pytest.mark.parametrize(
    ("test", "between"),
    [
        ("os.path.exists(path)", "torch.save(w, path)"),
        ("os.path.exists(path)", "download(path)"),
        ("os.path.exists(path)", "path = path + '.old'"),
        ("x.size(0) > 3 * len(names)", "names.append('a')"),
        ("x.size(0) > 3 * len(names)", "names[0:] = 'a', 'b'"),
    ],
)
def test_an_answer_counts_until_what_is_asked_for_changes(test: str, between: str) -> None:
    body = f"if {test}:\n    w = torch.ones(3).cuda()\nelse:\n    w = torch.zeros(3)\n{{}}\nif {test}:\n    w * x"
    assert found(body.format("pass")) == []
    assert len(found(body.format(between))) == 1


ROUND = """for i, y in enumerate(torch.ones(8, 4, 3, device="cuda")):
    n = y.size(0)
    if {test}:
        w = torch.zeros(3)
    else:
        w = torch.ones(3).cuda()
    {between}
    if {again}:
        w * x
"""


@pytest.mark.parametrize(
    ("test", "again"),
    [
        ("i % 2 == 0", "i % 2 != 0"),
        ("i % 2 == 0", "i % 2 == 1"),
        ("i % 2 == 0", "i % 2"),
        ("i % 3", "i % 3 == 0"),
        ("not i % 2", "i % 2 == 1 and n"),
        ("n < 4", "n >= 4"),
        ("y.size(0) < 4", "not y.size(0) < 4"),
        ("n * 2 < 9", "n * 2 >= 9 and i"),
    ],
)
def test_a_round_asks_for_what_it_brings(test: str, again: str) -> None:
    assert found(ROUND.format(test=test, again=again, between="pass")) == []
    assert len(found(ROUND.format(test=test, again=test, between="pass"))) == 1


@pytest.mark.parametrize("between", ["i = int(input())", "n += 1", "y = y[1:]"])
def test_until_it_gives_that_another_value(between: str) -> None:
    asked = {"i": "i % 2 == 0", "n": "n * 2 < 9", "y": "y.size(0) < 4"}
    test = asked[next(name for name in "iny" if between.startswith(name))]
    assert len(found(ROUND.format(test=test, again=f"not {test}", between=between))) == 1


def test_the_next_round_brings_something_else() -> None:
    body = """w = torch.ones(3).cuda()
for i in range(9):
    if i % 3 == 0:
        w * x
    if i % 3 == 0:
        w = torch.ones(3).cuda()
    else:
        w = torch.zeros(3)
"""
    assert len(found(body)) == 1
