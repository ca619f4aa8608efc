"""Several findings of one root: the fix that does for all of them is the only one."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability, FileEdit, Finding, Fix, Note, Span, WrapExpression
from devfix.kinship import MOST, are_kin, are_mended, in_common
from devfix.source import Source


def changed(text: str) -> list[str]:
    """The lines that the repair of a program writes."""
    before = dedent(text).lstrip("\n")
    after = fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"]
    return [line.strip() for line in after.splitlines() if line not in before.splitlines()]


def test_what_is_computed_from_one_value_is_mended_where_the_value_is_made() -> None:
    assert changed("""
        import torch
        import torch.nn as nn

        class Net(nn.Module):
            def __init__(self, device):
                super().__init__()
                self.device = device
                self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])

            def forward(self, graphs):
                h = torch.cat([graph for graph in graphs], 0)
                weight = torch.ones(3, 3).to(self.device)
                kept = [h]
                for layer in self.layers:
                    pooled = torch.mm(h, weight)
                    h = layer(pooled)
                    kept.append(h)
                total = 0
                for h in kept:
                    total = total + torch.mm(h, weight)
                return total

        device = torch.device("cuda")
        net = Net(device).to(device)
        net([torch.ones(2, 3), torch.ones(1, 3)])
    """) == ["h = torch.cat([graph.to(self.device) for graph in graphs], 0)"]


def test_a_mask_that_is_divided_in_place_is_cast_once_before() -> None:
    assert changed("""
        import torch

        def share(labels, value):
            if value is None:
                mask = ~torch.isnan(labels)
            else:
                mask = labels != value
            mask /= torch.mean(mask)
            return mask

        def main(strict):
            print(share(torch.ones(3), 0.0 if strict else None))

        main(input())
    """) == ["mask = mask.float()"]


def test_a_mask_that_only_takes_masks_stays_one() -> None:
    assert clashes("import torch\nmask = torch.ones(3) > 0\nmask &= torch.zeros(3) > 0\nmask |= mask\n") == []


def _finding(line: int, *notes: int) -> Finding:
    spans = [Span(number, 1, number, 2) for number in (line, *notes)]
    told = tuple(Note("main.py", span, "here") for span in spans[1:])
    return Finding("main.py", spans[0], "DF102", "operand-not-moved", "message", told)


def test_findings_are_kin_by_what_they_and_others_between_them_speak_of() -> None:
    assert are_kin([_finding(1, 9), _finding(2, 9)])
    assert are_kin([_finding(1, 8), _finding(2, 9), _finding(3, 8, 9)])
    assert are_kin([_finding(5, 9), _finding(9)])
    assert not are_kin([_finding(1, 9), _finding(2, 8)])
    assert not are_kin([_finding(1, 9), _finding(2, 9), _finding(3, 7)])


def test_one_finding_or_very_many_are_not_tried_one_by_one() -> None:
    assert not are_kin([_finding(1, 9)])
    assert not are_kin([_finding(line, 99) for line in range(1, MOST + 2)])


ASKING = """
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x, mixing):
        total = torch.zeros(2, 3)
        if x.is_cuda:
            total = total.cuda()
        total += self.layer(x)
        return total @ mixing

net = Net().cuda()
mixing = torch.ones(3, 3).cuda()
{lines}
"""


def test_what_asks_for_the_place_of_another_comes_along_with_it() -> None:
    assert changed(ASKING.format(lines="net(torch.ones(2, 3), mixing)")) == [
        "net(torch.ones(2, 3, device=next(net.parameters()).device), mixing)"
    ]


def test_a_fault_of_its_own_is_mended_beside_one_that_others_follow() -> None:
    lines = "net(torch.ones(2, 3), mixing)\nprint(mixing + torch.eye(3))"
    assert changed(ASKING.format(lines=lines)) == [
        "net(torch.ones(2, 3, device=next(net.parameters()).device), mixing)",
        "print(mixing + torch.eye(3, device=mixing.device))",
    ]


TWO_WAYS = """
import argparse
import torch
import torch.nn as nn

class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.Embedding(9, 3)

    def forward(self, numbers):
        {asked}
        {used}

class Net(nn.Module):
    def __init__(self, weights=None):
        super().__init__()
        self.table = Table()
        self.weights = None
        if weights is not None:
            self.weights = torch.tensor(weights)

    def forward(self, rows):
        if self.weights is not None:
            drawn = torch.multinomial(self.weights, 4, replacement=True)
        else:
            drawn = torch.randint(0, 9, (4,))
        return self.table(rows) + self.table(drawn)

parser = argparse.ArgumentParser()
parser.add_argument("--weights", action="store_true")
args = parser.parse_args()
net = Net([1.0, 2.0, 3.0] if args.weights else None).cuda()
print(net(torch.tensor([1, 2, 3, 4])).sum())
"""
ASKS = ["print(numbers)", "numbers = numbers if self.rows.weight.is_cuda else numbers"]


@pytest.mark.parametrize("asked", ASKS)
def test_what_all_bring_to_one_place_is_moved_there(asked: str) -> None:
    text = TWO_WAYS.format(asked=asked, used="return self.rows(numbers)")
    assert changed(text) == ["return self.rows(numbers.to(next(self.parameters()).device))"]


@pytest.mark.parametrize("asked", ASKS)
def test_a_way_that_nobody_knows_of_any_more_is_mended_as_well(asked: str) -> None:
    # What one line looks up twice is no one place to move it at.
    text = TWO_WAYS.format(asked=asked, used="return self.rows(numbers) + self.rows(numbers + 1)")
    lines = changed(text)
    repaired = dedent(text).lstrip("\n")
    after = fix_texts({"main.py": repaired}, Applicability.UNSAFE)[0]["main.py"]
    assert not clashes(after)
    assert not clashes(after.replace("if self.weights is not None:", "if True:"))
    assert not clashes(after.replace("if self.weights is not None:", "if False:"))
    assert lines


def test_what_each_brings_from_elsewhere_is_moved_where_nothing_is_longer() -> None:
    text = """
    import torch
    import torch.nn as nn

    net = nn.Linear(3, 3).cuda()
    print(net(torch.ones(2, 3)).sum())
    print(net(torch.zeros(2, 3)).sum())
    """
    assert changed(text) == [
        "print(net(torch.ones(2, 3, device=next(net.parameters()).device)).sum())",
        "print(net(torch.zeros(2, 3, device=next(net.parameters()).device)).sum())",
    ]


FIX = Fix(
    "move it", (FileEdit("a.py", WrapExpression(Span(4, 0, 4, 1), "", ".to(device)")),), Applicability.SAFE
)


def test_a_finding_is_mended_by_a_fix_at_one_of_its_places_or_by_one_of_its_own() -> None:
    made = Finding("a.py", Span(1, 0, 1, 1), "DF102", "operand-not-moved", "x", fix=FIX)
    near = Finding("a.py", Span(4, 3, 4, 5), "DF102", "operand-not-moved", "y")
    far = Finding("a.py", Span(9, 0, 9, 1), "DF102", "operand-not-moved", "z")
    text = "def f():\n" + "    x\n" * 6 + "def g():\n    x\n"
    sources = {"a.py": Source("a.py", text)}
    assert are_mended([near], [made], sources)
    assert are_mended([made], [made], sources)
    assert not are_mended([near, far], [made], sources)
    assert are_mended([replace(far, fix=replace(FIX, edits=()), alternatives=(FIX,))], [made], sources)
    in_one = {"a.py": Source("a.py", text.replace("def g():", "    x"))}
    assert are_mended([near, far], [made], in_one)


def test_what_findings_have_in_common_is_no_less_trusted_than_what_they_prefer() -> None:
    risky = replace(FIX, applicability=Applicability.UNSAFE)
    mark = Note("a.py", Span(4, 0, 4, 9), "input")
    findings = [
        Finding(
            "a.py",
            Span(line, 0, line, 1),
            "DF102",
            "operand-not-moved",
            str(line),
            marks=(mark,),
            fix=replace(FIX, title=str(line), edits=()),
            alternatives=(FIX, risky),
        )
        for line in (1, 2)
    ]
    assert [each.fix for each in in_common(findings, Applicability.SAFE)] == [FIX]
    assert not in_common([findings[0], replace(findings[1], alternatives=())], Applicability.UNSAFE)
    elsewhere = replace(mark, span=Span(5, 0, 5, 9))
    assert not in_common([findings[0], replace(findings[1], marks=(elsewhere,))], Applicability.UNSAFE)
    prefer = [replace(each, fix=replace(risky, edits=())) for each in findings]
    assert [each.fix for each in in_common(prefer, Applicability.UNSAFE)] == [FIX, risky]
    assert [each.fix for each in in_common(prefer, Applicability.SAFE)] == [FIX]


TWO_BIRTHS = """
    import torch
    from torch import nn

    def main(flag):
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        net = nn.Linear(3, 3).to(device)
        mask = torch.rand(3)
        if {asked}:
            x = {first}
        else:
            x = {second}
        print(net(x).sum())

    main(torch.rand(1) > 0.5)
    """
MASKED = "mask * 2\n            print(net.weight * x)"


@pytest.mark.parametrize(("first", "second"), [(MASKED, "torch.ones(3)"), ("torch.ones(3)", MASKED)])
def test_what_begins_below_a_fix_is_not_mended_by_that(first: str, second: str) -> None:
    text = dedent(TWO_BIRTHS.format(asked="flag", first=first, second=second))
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    for asked in ("flag", "True", "False"):
        assert not clashes(after.replace("if flag:", f"if {asked}:"))
