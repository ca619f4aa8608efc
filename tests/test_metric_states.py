"""Which metrics of torchmetrics have to be where they are updated: what each keeps was asked of torchmetrics itself."""

from __future__ import annotations

import pytest
from text_program import clashes, files, fix_texts

PROGRAM = """
import json
import random
import torch
import torchmetrics
from torch import nn
from torchmetrics import Metric, MetricCollection
from torchmetrics.functional import accuracy, mean_squared_error
from torchmetrics.functional.classification import multiclass_roc
from torchmetrics.functional.text import perplexity

class Total(Metric):
    def __init__(self):
        super().__init__()
        self.add_state("total", default=torch.zeros(3), dist_reduce_fx="sum")
        self.add_state("seen", default=[])
        self.plain = torch.zeros(3)

    def update(self, x):
        self.total += x.sum(0)
        self.seen.append(x)

    def compute(self):
        return self.total

x, y = torch.zeros(4, 3), torch.zeros(4, dtype=torch.int64)
there, labels = x.cuda(), y.cuda()
{used}
"""


def _clashes(used: str) -> list[str]:
    return clashes(PROGRAM.format(used=used))


_NUMBERS = [
    ("torchmetrics.MeanMetric()", "there.sum()", "x.sum()"),
    ("torchmetrics.SumMetric()", "there", "x"),
    ("torchmetrics.MeanSquaredError()", "there, there", "x, x"),
    ("torchmetrics.Accuracy(task='multiclass', num_classes=3)", "there, labels", "x, y"),
    ("torchmetrics.classification.MulticlassF1Score(3, average='micro')", "there, labels", "x, y"),
    ("torchmetrics.classification.MulticlassF1Score(3, 1, 'micro')", "there, labels", "x, y"),
    ("torchmetrics.classification.MulticlassFBetaScore(0.5, 3, 1, 'micro')", "there, labels", "x, y"),
    ("torchmetrics.image.PeakSignalNoiseRatio(1.0)", "there, there", "x, x"),
    ("torchmetrics.wrappers.Running(torchmetrics.MeanMetric(), 3)", "there.sum()", "x.sum()"),
]
_TABLES = [
    ("torchmetrics.ConfusionMatrix(task='multiclass', num_classes=3)", "there, labels", "x, y"),
    ("torchmetrics.classification.MulticlassF1Score(3)", "there, labels", "x, y"),
    ("torchmetrics.AUROC(task='multiclass', num_classes=3, thresholds=9)", "there, labels", "x, y"),
    ("torchmetrics.classification.MulticlassFBetaScore(0.5, 3, 1, 'macro')", "there, labels", "x, y"),
    ("torchmetrics.PearsonCorrCoef()", "there[:, 0], there[:, 0]", "x[:, 0], x[:, 0]"),
]
_LISTS = [
    ("torchmetrics.AUROC(task='multiclass', num_classes=3)", "there, labels", "x, y"),
    ("torchmetrics.R2Score()", "there[:, 0], there[:, 0]", "x[:, 0], x[:, 0]"),
    ("torchmetrics.MaxMetric()", "there", "x"),
    ("torchmetrics.KLDivergence()", "there, there", "x, x"),
    ("torchmetrics.Accuracy(task='binary', multidim_average='samplewise')", "there, there", "x, x"),
]


@pytest.mark.parametrize("how", ["metric.update({})", "metric({})"])
@pytest.mark.parametrize(("made", "there", "here"), [*_NUMBERS, *_TABLES])
def test_a_state_on_the_cpu_takes_nothing_of_the_accelerator(
    made: str, there: str, here: str, how: str
) -> None:
    assert _clashes(f"metric = {made}\n{how.format(there)}")
    assert _clashes(f"metric = {made}.cuda()\n{how.format(there)}") == []
    assert _clashes(f"metric = {made}\n{how.format(here)}") == []


@pytest.mark.parametrize(("made", "there", "here"), _NUMBERS)
def test_numbers_take_such_of_the_cpu(made: str, there: str, here: str) -> None:
    assert _clashes(f"metric = {made}.cuda()\nmetric.update({here})") == []


@pytest.mark.parametrize(("made", "there", "here"), _TABLES)
def test_tables_do_not(made: str, there: str, here: str) -> None:
    assert _clashes(f"metric = {made}.cuda()\nmetric.update({here})")


@pytest.mark.parametrize(("made", "there", "here"), _LISTS)
def test_what_comes_along_may_be_anywhere(made: str, there: str, here: str) -> None:
    for device in ("cpu", "cuda"):
        assert _clashes(f"metric = {made}.{device}()\nmetric.update({there})\nmetric.compute()") == []
        assert _clashes(f"metric = {made}.{device}()\nmetric.update({here})\nmetric.compute()") == []


@pytest.mark.parametrize(
    "made",
    [
        "classification.MulticlassF1Score(3, **json.load(open('options')))",
        "AUROC(task='multiclass', num_classes=3, thresholds=json.load(open('options')))",
        "AUROC(task='multiclass', num_classes=3, thresholds=9 if random.random() > 0.5 else None)",
    ],
)
def test_what_options_nobody_knows_may_make_of_a_metric_is_not_known(made: str) -> None:
    assert _clashes(f"metric = torchmetrics.{made}.cuda()\nmetric.update(x, y)") == []


def test_both_operands_are_in_one_place() -> None:
    made = "torchmetrics.Accuracy(task='multiclass', num_classes=3).cuda()"
    assert _clashes(f"{made}.update(there, y)")
    assert _clashes(f"{made}.update(x, labels)")
    assert _clashes("torchmetrics.text.Perplexity().cuda().update(there, y)") == []


@pytest.mark.parametrize("made", ["[torchmetrics.SumMetric()]", '{"a": torchmetrics.SumMetric()}'])
def test_a_copy_of_several_is_where_they_are(made: str) -> None:
    copied = f"several = MetricCollection({made})\nown = several.clone()\nown.update(there)"
    moved = copied.replace("clone()", "clone().cuda()")
    assert _clashes(copied)
    assert _clashes(moved) == []
    assert _clashes(moved + "\nseveral.update(there)")


@pytest.mark.parametrize(
    "around",
    [
        "MetricCollection([base])",
        'MetricCollection({"sum": base})',
        "MetricCollection(base)",
        "torchmetrics.MetricTracker(base)",
        "torchmetrics.MetricTracker(MetricCollection([base]))",
        "torchmetrics.MinMaxMetric(base)",
    ],
)
def test_what_holds_a_metric_is_where_that_is(around: str) -> None:
    made = f"base = torchmetrics.SumMetric()\nheld = {around}\n"
    assert _clashes(f"{made}held.update(there)")
    assert _clashes(f"{made}base.cuda()\nheld.update(there)") == []
    assert _clashes(f"{made}held.cuda()\nbase.update(there)") == []
    assert _clashes(f"{made}held.cuda()\nheld.update(there)") == []
    assert _clashes(f"{made}held.cuda()\nbase.cpu()\nheld.update(there)")


def test_a_collection_has_the_states_of_its_members() -> None:
    numbers, table = (
        "torchmetrics.SumMetric()",
        "torchmetrics.ConfusionMatrix(task='multiclass', num_classes=3)",
    )
    used = "MetricCollection([{}]).cuda().update(x, y)".format
    assert _clashes(used(numbers)) == []
    assert _clashes(used(f"{numbers}, {table}"))


@pytest.mark.parametrize("how", ["metric.update({})", "metric({})"])
def test_a_state_that_a_program_adds_moves_along(how: str) -> None:
    assert _clashes(f"metric = Total()\n{how.format('there')}")
    assert _clashes(f"metric = Total().cuda()\n{how.format('there')}") == []
    assert _clashes(f"metric = Total().cuda()\n{how.format('there')} \nmetric.plain + there")


def test_what_a_metric_of_the_program_gives_is_what_it_computes() -> None:
    assert _clashes("Total().cuda()(there).numpy()")
    assert _clashes("Total().cuda()(there).cpu().numpy()") == []


@pytest.mark.parametrize(
    "used", ["accuracy({}, task='multiclass', num_classes=3)", "multiclass_roc({}, num_classes=3)"]
)
def test_functions_take_both_in_one_place(used: str) -> None:
    assert _clashes(used.format("there, y"))
    assert _clashes(used.format("preds=x, target=labels"))
    assert _clashes(used.format("there, labels")) == []
    assert _clashes("perplexity(there[None], y[None])") == []


def test_what_a_function_gives_is_beside_the_operands() -> None:
    assert _clashes("mean_squared_error(there, there).numpy()")
    assert _clashes("mean_squared_error(x, x).numpy()") == []
    assert _clashes("multiclass_roc(there, labels, num_classes=3)[0].numpy()") == []


def test_what_a_program_keeps_in_a_metric_has_a_place_of_its_own() -> None:
    """Only what a metric is made of says where its state is, and each may know the other."""
    made = "one, two = (torchmetrics.ConfusionMatrix(task='multiclass', num_classes=3) for _ in range(2))"
    known = f"{made}\none = one.cuda()\none.kept, two.kept = two, one"
    assert _clashes(f"{known}\none.update(there, labels)\ntwo.update(x, y)") == []
    assert _clashes(f"{known}\none.update(x, y)")


_AT_THE_USE = """
import torch
from torch import nn
from torchmetrics import Accuracy


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {layer}
        self.scores = nn.ModuleDict({{"acc": Accuracy(num_classes=3, task="multiclass")}})

    def step(self, batch):
        predictions = torch.from_numpy(batch.guess.numpy())
        for name, score in self.scores.items():
            score(preds=predictions, target=batch.y)
        return predictions


net = Net().to("cuda")
"""


@pytest.mark.parametrize(
    ("layer", "move"), [("self.fc = nn.Linear(4, 3)", ".to(next(self.parameters()).device)"), ("pass", "")]
)
def test_no_metric_is_asked_for_its_parameters(layer: str, move: str) -> None:
    """It has none, so that asking for the first of them would end the program; a network that has some is asked."""
    before = _AT_THE_USE.format(layer=layer)
    after = before.replace("preds=predictions", f"preds=predictions{move}")
    assert fix_texts(files(before))[0]["main.py"] == after
