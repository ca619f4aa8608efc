"""What an expression changes by a test that nobody decides is changed in some runs, and in others it is not."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

NETWORK = """
    import argparse
    import sys
    import torch
    from torch import nn

    def halved(value):
        value.half()
        return True

    parser = argparse.ArgumentParser()
    parser.add_argument("--low", type=int)
    parser.add_argument("--usual", action="store_true")
    args = parser.parse_args()
    net = nn.Linear(4, 2)
    x = torch.randn(3, 4)
    {made}
    print(net(x))
"""


@pytest.mark.parametrize(
    "made",
    [
        "net = net.half() if args.low else net",
        "net = net if len(sys.argv) > 2 else net.half()",
        "args.low and net.half()",
        "len(sys.argv) > 2 or net.half()",
        "args.low and args.usual and halved(net)",
        "ready = args.low == 3 and halved(net)",
        "args.usual and net.cuda()",
        "print((moved := net.half()) if args.low else 1)",
    ],
)
def test_what_only_some_runs_change_is_not_what_it_is_in_all(made: str) -> None:
    assert clashes(NETWORK.format(made=made)) == []


@pytest.mark.parametrize(
    "made",
    [
        "net = net.half() if args.low else net.half()",
        "net = net.half() if len(sys.argv) > 2 else halved(net) and net",
        "halved(net) and args.low",
        "halved(net) or args.low",
        "True and net.half()",
        "args.low and print(1); net.half()",
        "False or net.half()",
    ],
)
def test_what_every_run_changes_is(made: str) -> None:
    assert len(clashes(NETWORK.format(made=made))) == 1


@pytest.mark.parametrize("made", ["net = net if args.low else net.half()", "args.low or net.half()"])
def test_what_is_changed_in_a_run_without_options_fails_in_it(made: str) -> None:
    assert len(clashes(NETWORK.format(made=made))) == 1


def test_a_branch_sees_what_it_changed_itself_and_not_what_the_other_did() -> None:
    text = NETWORK.format(made="{made}").replace("print(net(x))", "")
    assert clashes(text.format(made="y = net.half()(x) if args.low else net(x)")) == ["17: dtype"]
    assert clashes(text.format(made="y = net.half()(x.half()) if args.low else net(x)")) == []
    assert clashes(text.format(made="args.low and net.half() and net(x)")) == ["17: dtype"]
    assert clashes(text.format(made="args.low and net.half() or net(x)")) == []


def test_a_branch_that_raises_changes_nothing_of_what_follows() -> None:
    program = """
        import sys
        import torch
        from torch import nn

        def refuse(net):
            net.half()
            raise ValueError(net)

        net = nn.Linear(4, 2)
        len(sys.argv) > 1 and refuse(net)
        other = net if len(sys.argv) < 3 else refuse(net)
        print(net(torch.randn(3, 4)), other(torch.randn(3, 4{dtype})))
    """
    assert clashes(program.format(dtype="")) == []
    assert len(clashes(program.format(dtype=", dtype=torch.float64"))) == 1


def test_what_a_guard_changes_is_changed_in_the_cases_behind_it() -> None:
    program = """
        import sys
        import torch
        from torch import nn

        def halved(net):
            net.half()
            return len(sys.argv) > 1

        net = nn.Linear(4, 2)
        match {subject}:
            case {pattern} if halved(net):
                print(1)
            case _:
                print(net(torch.randn(3, 4)))
    """
    assert len(clashes(program.format(subject="3", pattern="3"))) == 1
    assert clashes(program.format(subject="3", pattern="4")) == []
    assert clashes(program.format(subject="len(sys.argv)", pattern="4")) == []


def test_python_agrees() -> None:
    text = """
        import random
        import torch
        from torch import nn

        def doubled(net):
            net.double()
            return net

        drawn = random.random() > 0.5
        net, other, third = nn.Linear(4, 2), nn.Linear(4, 2), nn.Linear(4, 2)
        same = doubled(net) if drawn else net
        made = drawn and doubled(other)
        either = drawn or doubled(third)
        kept = (named := doubled(nn.Linear(3, 3))) if drawn else 1
        weights = [each.weight for each in (net, other, third)]
        both = doubled(nn.Linear(4, 2)) if drawn else nn.Linear(4, 2).double()
        weight = both.weight
    """
    assert lies(text) == []
