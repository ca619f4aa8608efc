"""Ranks of what is looked up: a CPU scalar may meet the accelerator, and nothing larger may."""

from __future__ import annotations

from text_program import clashes


def test_a_row_for_each_index_has_one_dimension_more() -> None:
    text = (
        "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"
        "table = nn.Embedding(4, 3).cuda()\nindex = torch.zeros(2, 5, dtype=torch.long).cuda()\n"
        "mean = {made}.detach().cpu().mean(0).mean(0)\nprint(mean + torch.ones(3).cuda())\n"
    )
    assert clashes(text.replace("{made}", "table(index)"))
    assert clashes(text.replace("{made}", "F.embedding(index, table.weight)"))
    assert not clashes(text.replace("{made}", "table(index)").replace(".mean(0)\n", ".mean(0).mean(0)\n"))
    bag = text.replace("nn.Embedding", "nn.EmbeddingBag").replace(".mean(0).mean(0)", ".mean(0)")
    assert clashes(bag.replace("{made}", "table(index)"))
