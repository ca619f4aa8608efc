"""What metrics of torchmetrics come to is where their state is, and what is ranked must be in one place."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torchmetrics import MetricCollection
from torchmetrics.classification import MulticlassAccuracy, MulticlassConfusionMatrix

metric = {made}
metric.update(torch.zeros(4, 3).{at}(), torch.zeros(4, dtype=torch.int64).{at}())
{read}
"""
_TABLE, _SEVERAL = "MulticlassConfusionMatrix(3)", 'MetricCollection({"a": MulticlassAccuracy(3)})'
_READS = [
    (_TABLE, "metric.compute().numpy()"),
    (_SEVERAL, "for value in metric.compute().values():\n    value.numpy()"),
    (_SEVERAL, 'metric.compute()["a"].numpy()'),
]


@pytest.mark.parametrize(("made", "read"), _READS)
def test_it_is_beside_the_state(made: str, read: str) -> None:
    assert clashes(PROGRAM.format(made=f"{made}.cuda()", at="cuda", read=read))
    assert clashes(PROGRAM.format(made=made, at="cpu", read=read)) == []
    back = read.replace(".numpy()", ".cpu().numpy()")
    assert clashes(PROGRAM.format(made=f"{made}.cuda()", at="cuda", read=back)) == []


@pytest.mark.parametrize("read", ["metric.compute().item()", "metric.reset()", "print(metric.compute() + 1)"])
def test_other_reads_are_right(read: str) -> None:
    assert clashes(PROGRAM.format(made=f"{_TABLE}.cuda()", at="cuda", read=read)) == []


RANKED = """
import torch
from torchmetrics.retrieval import RetrievalMRR

metric = RetrievalMRR()
metric.update(torch.zeros(4){preds}, torch.zeros(4).bool(){target}, indexes=torch.zeros(4).long())
"""


@pytest.mark.parametrize(("preds", "target"), [(".cuda()", ""), ("", ".cuda()")])
def test_targets_are_ranked_where_the_predictions_are(preds: str, target: str) -> None:
    assert clashes(RANKED.format(preds=preds, target=target))


@pytest.mark.parametrize("at", ["", ".cuda()"])
def test_numbers_of_queries_may_be_elsewhere(at: str) -> None:
    assert clashes(RANKED.format(preds=at, target=at)) == []
