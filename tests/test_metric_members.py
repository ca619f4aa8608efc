"""Collections and wrappers of torchmetrics call the metrics that a program wrote itself."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

PROGRAM = """
import torch
import torchmetrics
from torchmetrics import Metric, MetricCollection

class Gain(Metric):
    def __init__(self):
        super().__init__()
        self.add_state("total", default=torch.tensor(0.0), dist_reduce_fx="sum")

    def update(self, scores, target):
        discount = torch.arange(3, dtype=torch.float32{made})
        self.total += ((scores == target) * discount).sum()

    def compute(self):
        return self.total

class Seen(Metric):
    def __init__(self):
        super().__init__()
        self.add_state("seen", default=torch.zeros(3), dist_reduce_fx="sum")

    def update(self, scores):
        self.seen = self.seen + scores.sum(0)

    def compute(self):
        return self.seen

device = "cuda" if torch.cuda.is_available() else "cpu"
scores, target = torch.zeros(4, 3, device=device), torch.zeros(4, 3, device=device)
metric = {metric}
{used}
"""
_HELD = [
    "MetricCollection({'gain': Gain()})",
    "MetricCollection([Gain()])",
    "MetricCollection(Gain(), prefix='test_')",
    "MetricCollection([Gain(), torchmetrics.MeanSquaredError()])",
    "MetricCollection([Gain(), torchmetrics.R2Score()])",
    "MetricCollection([Gain(), Seen()])",
    "torchmetrics.MinMaxMetric(Gain())",
]
_CALLS = [
    "metric.update(scores, target)",
    "metric(scores, target)",
    "metric.update(scores=scores, target=target)",
]


def _text(metric: str, used: str, made: str = ", device=scores.device") -> str:
    return PROGRAM.format(metric=metric, used=used, made=made)


@pytest.mark.parametrize("metric", [each for each in _HELD if "Seen" not in each])
@pytest.mark.parametrize("used", _CALLS)
def test_what_is_made_in_the_metric_meets_what_the_whole_is_given(metric: str, used: str) -> None:
    assert clashes(_text(f"{metric}.to(device)", used, made="")) == ["13: device"]
    assert clashes(_text(f"{metric}.to(device)", used)) == []


def test_each_is_given_what_it_asks_for_by_name() -> None:
    metric, used = "MetricCollection([Gain(), Seen()])", _CALLS[2]
    assert clashes(_text(f"{metric}.to(device)", used)) == []
    assert clashes(_text(metric, used))


@pytest.mark.parametrize("metric", _HELD)
def test_its_state_moves_with_the_whole(metric: str) -> None:
    text = _text(metric, _CALLS[2])
    assert clashes(text)
    fixed = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert fixed == text.replace(f"= {metric}", f"= {metric}.to(device)")


@pytest.mark.parametrize("value", ["['Gain']", "['Seen']"])
def test_what_they_come_to_is_where_their_states_are(value: str) -> None:
    metric, used = (
        "MetricCollection([Gain(), Seen()]).to(device)",
        f"{_CALLS[2]}\nfound = metric.compute(){value}\n",
    )
    assert clashes(_text(metric, f"{used}found.numpy()"))
    assert clashes(_text(metric, f"{used}found.cpu().numpy()")) == []
    assert clashes(_text(metric, f"{used}round(found.sum().item(), 3)")) == []


def test_a_call_of_the_whole_gives_what_they_come_to() -> None:
    metric = "MetricCollection([Gain()]).to(device)"
    assert clashes(_text(metric, "metric(scores, target)['Gain'].numpy()"))
    assert clashes(_text(metric, "metric(scores, target)['Gain'].cpu().numpy()")) == []


def test_a_whole_on_the_cpu_is_right_there() -> None:
    used = "metric.update(scores.cpu(), target.cpu())\nmetric.compute()['Gain'].numpy()"
    assert clashes(_text("MetricCollection([Gain()])", used)) == []


CAST = """
import torch
from torch import nn
from torchmetrics import Metric

class Gain(Metric):
    def __init__(self):
        super().__init__()
        self.add_state("total", default=torch.zeros(2, 2), dist_reduce_fx="sum")
        self.register_buffer("scale", torch.ones(2, 2))

    def update(self, scores):
        self.total += scores.float()

    def compute(self):
        return self.total @ torch.ones(2, 2, device=self.total.device)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.gain = Gain()

    def forward(self, x):
        y = self.layer(x)
        self.gain.update(y)
        return y

net = Net().{cast}.cuda()
net(torch.ones(2, 2, device="cuda", dtype=torch.float64))
net.gain.{used}
"""


def test_a_cast_may_leave_the_states_of_metrics_as_they_are() -> None:
    assert clashes(CAST.format(cast="double()", used="compute()")) == []
    assert clashes(CAST.format(cast="to(torch.float64)", used="compute()")) == []
    wrong = CAST.format(cast="double()", used="scale @ torch.ones(2, 2, device='cuda')")
    assert len(clashes(wrong)) == 1
    assert len(clashes(CAST.format(cast="double()", used="total + torch.ones(2).cpu()"))) == 1


def test_collections_that_hold_one_another_call_each_metric_once() -> None:
    used = "other = MetricCollection([Seen()]).to(device)\nmetric.to(device)\nmetric.other, other.metric = other, metric\n"
    text = _text("MetricCollection([Gain()])", used + "metric.update(scores=scores, target=target)")
    assert clashes(text) == []
    assert len(clashes(text.replace(", device=scores.device", ""))) == 1


@pytest.mark.parametrize(
    "metric",
    [
        "torchmetrics.MetricTracker(MetricCollection([Gain()]), maximize=True)",
        "torchmetrics.MinMaxMetric(Gain())",
    ],
)
def test_several_values_come_by_their_names(metric: str) -> None:
    used = "metric.to(device)\nfor value in metric.compute().values():\n    value + torch.ones(3)"
    assert len(clashes(_text(metric, used))) == 1
    assert clashes(_text(metric, used.replace("ones(3)", "ones(3, device=device)"))) == []
