"""What a function asks before it moves inputs is asked for the module as well, where its caller gives it that."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

PROGRAM = """
import argparse

import torch


def step(net, x, args):
    {moved}
    return net(x).sum()


def main(args):
    {before}
    net = torch.nn.Linear(3, 1)
    print(net)
    for _ in range(3):
        {called}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--early", action="store_true")
    main(parser.parse_args())
"""
GUARDED = "if args.cuda:\n        x = x.cuda()"
CHOSEN = "if args.early:\n        x = x * 2\n        if args.cuda:\n            x = x.cuda()\n    elif args.cuda:\n        x = x.cuda()"
LISTED = "xs = [x]\n    if args.cuda:\n        xs = list(map(lambda x: x.cuda(), xs))\n    x = xs[0]"
CALL = "step(net, torch.ones(2, 3), args)"


def _texts(moved: str = GUARDED, before: str = "args.rows = 4", called: str = CALL) -> tuple[str, str]:
    text = PROGRAM.format(moved=moved, before=before, called=called)
    return text, fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize("moved", [GUARDED, CHOSEN, LISTED])
@pytest.mark.parametrize("called", [CALL, "step(net, args=args, x=torch.ones(2, 3))"])
def test_the_caller_asks_what_it_gives_to_be_asked(moved: str, called: str) -> None:
    text, after = _texts(moved, called=called)
    assert after == text.replace("Linear(3, 1)\n", "Linear(3, 1)\n    if args.cuda:\n        net.cuda()\n")


@pytest.mark.parametrize(
    ("before", "called"),
    [
        ("args.cuda = True", CALL),
        ("other = argparse.Namespace(cuda=True, early=False)", CALL.replace("args", "other")),
        ("args = argparse.Namespace(cuda=True, early=False)\n    args = args", CALL),
        ("steps = [step]", CALL.replace("step(", "steps[0](")),
    ],
    ids=[
        "it sets the option",
        "it gives something else",
        "it makes options of its own",
        "nobody knows what it calls",
    ],
)
def test_what_may_be_another_option_guards_no_module(before: str, called: str) -> None:
    _, after = _texts(before=before, called=called)
    assert "if args.cuda:\n        net.cuda()" not in after


def test_a_function_of_which_there_are_two_is_not_followed() -> None:
    again = "class Other:\n    def step(self, net, x, args):\n        return net(x)\n"
    text = PROGRAM.format(moved=GUARDED, before="args.rows = 4", called=CALL) + again
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert "if args.cuda:\n        net.cuda()" not in after
