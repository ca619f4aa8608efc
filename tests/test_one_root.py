"""Several findings of one root: the fix that does for all of them is the only one."""

from __future__ import annotations

from textwrap import dedent

from text_program import clashes, fix_texts

from devfix.findings import Applicability, Finding, Note, Span
from devfix.kinship import MOST, are_kin


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
