"""What an option that is not given as a rule chooses, it chooses together."""

from __future__ import annotations

import pytest
from text_program import clashes

ENGINE = """\
    import argparse
    import torch
    from torch import nn

    def step(net, x, scaler):
        if {asked}:
            x = x.half()
            net(x)
        else:
            net(x)

    class Scaler:
        pass

    parser = argparse.ArgumentParser()
    parser.add_argument("--deep", action="store_true")
    parser.add_argument("--shared", action="store_true")
    args = parser.parse_args()
    net = nn.Linear(4, 2)
    if args.deep:
        scaler = {rare}
        {deep}
    else:
        if args.shared:
            net = nn.parallel.DistributedDataParallel(net)
        scaler = {often}
    step(net, torch.randn(2, 4), scaler)
    """


OTHER, SAME = "net = wrap(net)", "print(net)"
#: What a scaler is asked for, what it is with the option, and what without.
ASKED = pytest.mark.parametrize(
    ("asked", "rare", "often"),
    [("scaler is None", "None", "Scaler()"), ("scaler is not None", "Scaler()", "None")],
)


@ASKED
def test_a_network_that_an_option_replaces_is_another_where_that_option_was_given(
    asked: str, rare: str, often: str
) -> None:
    assert clashes(ENGINE.format(asked=asked, rare=rare, often=often, deep=OTHER)) == []


@ASKED
def test_a_network_that_no_option_replaces_is_the_same_wherever_it_is_used(
    asked: str, rare: str, often: str
) -> None:
    assert clashes(ENGINE.format(asked=asked, rare=rare, often=often, deep=SAME)) == ["8: dtype"]


def test_where_the_usual_scaler_is_asked_for_the_network_is_the_usual_one() -> None:
    text = ENGINE.format(asked="scaler is not None", rare="None", often="Scaler()", deep=OTHER)
    assert clashes(text) == ["8: dtype"]


TRUTH = """\
    import argparse
    import torch
    from torch import nn

    parser = argparse.ArgumentParser()
    parser.add_argument("--deep", action="store_true")
    args = parser.parse_args()
    net, scaler = nn.Linear(4, 2), torch.amp.GradScaler("cuda")
    if args.deep:
        {deep}
        scaler = None
    x = torch.randn(2, 4)
    if {asked}:
        net({of_usual})
    else:
        net({of_other})
    """


@pytest.mark.parametrize(("deep", "found"), [(OTHER, []), (SAME, ["16: dtype"])])
def test_what_is_no_object_is_asked_for_by_its_truth_as_well(deep: str, found: list[str]) -> None:
    text = TRUTH.format(deep=deep, asked="scaler", of_usual="x", of_other="x.half()")
    assert clashes(text) == found
    text = TRUTH.format(deep=deep, asked="not scaler", of_usual="x.half()", of_other="x")
    assert clashes(text) == [each.replace("16", "14") for each in found]


def test_where_the_usual_object_is_there_the_network_is_the_usual_one() -> None:
    text = TRUTH.format(deep=OTHER, asked="scaler", of_usual="x.half()", of_other="x")
    assert clashes(text) == ["14: dtype"]
