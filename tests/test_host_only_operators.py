"""Operators that have no kernel for an accelerator."""

from __future__ import annotations

from text_program import clashes, files, fix_texts

from devfix.findings import Applicability

COUNTED = """
import torch

x = torch.ones(4, device="cuda", requires_grad=True)
counts, edges = torch.histogram({x}, 4, density=True)
more, _ = {x}.histogram(4)
print((counts + torch.ones(4)).sum(), edges[1:] - more)
"""


def test_a_histogram_is_counted_on_the_cpu() -> None:
    assert clashes(COUNTED.format(x="x")) == ["5: host-only", "6: host-only"]
    after, _ = fix_texts(files(COUNTED.format(x="x")), Applicability.SAFE)
    assert after == files(COUNTED.format(x="x.cpu()"))


def test_what_is_counted_on_the_cpu_is_left_alone() -> None:
    assert clashes(COUNTED.format(x="x.detach().cpu()")) == []
    assert (
        clashes("import torch\nx = torch.ones(4).cuda()\ncounts = torch.histc(x, 4)\nprint(counts + x)\n")
        == []
    )
