"""Dates, spans of time and their fields tell numbers, which become arrays of float64 as any others do."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import Ending, clashes, fix_texts

from devfix.analysis.domain.values import Array, Const, Scalar
from devfix.findings import Applicability

_MADE = """
import calendar
import datetime as dt
import statistics
import time
from datetime import date, datetime, timedelta

import numpy as np

at = datetime(2024, 2, 29, 13, 30)
day = date(2024, 2, 29)
hours = [at + timedelta(hours=step) for step in range(30)]
"""

_WHOLE = """
at.hour
at.weekday()
day.toordinal()
at.timetuple().tm_yday
(at - datetime(2024, 1, 1)).days
(at - timedelta(days=2)).minute
(timedelta(days=1) * 3).days
timedelta(hours=7) // timedelta(hours=2)
at.replace(hour=2).hour
at.date().year
day.isocalendar()[1]
time.localtime().tm_wday
calendar.monthrange(2024, 2)[1]
datetime.strptime("2024-01-02", "%Y-%m-%d").day
dt.datetime.fromtimestamp(0).second
""".split("\n")[1:-1]

_REAL = """
at.timestamp()
(hours[3] - hours[0]).total_seconds()
(hours[3] - hours[0]) / timedelta(days=1)
(timedelta(hours=1) + timedelta(hours=2)).total_seconds() / 60
(timedelta(hours=1) / 2).total_seconds()
at.hour / 24
statistics.fmean([1, 2])
statistics.pstdev([1, 2])
""".split("\n")[1:-1]


@pytest.mark.parametrize("told", [*_WHOLE, *_REAL])
def test_what_a_date_tells_is_a_number_of_its_kind(told: str) -> None:
    text = f"{_MADE}told = {told}\nlisted = np.array([told])\n"
    kind = "int" if told in _WHOLE else "float"
    ending = Ending(text)
    assert ending["told"] == Scalar(kind)
    assert isinstance(listed := ending["listed"], Array)
    assert listed.dtype == f"{kind}64"
    assert not lies(text)


@pytest.mark.parametrize(
    "told",
    [
        "at - day.today", "at * 2", "at.tzinfo", "at.utcoffset()", "np.array(hours)", "at + np.timedelta64(1, 'h')",
        "timedelta(days=1) / np.ones(2)",
    ],
)  # fmt: skip
def test_what_else_comes_of_a_date_is_not_known(told: str) -> None:
    value = Ending(f"{_MADE}told = {told}\n")["told"]
    assert not isinstance(value, (Scalar, Const))
    assert not isinstance(value, Array) or value.dtype is None


_TRAINING = """
import math
from datetime import datetime, timedelta

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def turns(moment):
    return np.array([FIRST, SECOND]DTYPE)


class Loads(Dataset):
    def __init__(self, count):
        self.moments = [datetime(2022, 1, 1) + timedelta(minutes=30 * step) for step in range(count)]
        self.loads = torch.rand(count)

    def __len__(self):
        return len(self.moments)

    def __getitem__(self, place):
        return turns(self.moments[place]), self.loads[place]


layer = nn.Linear(2, 1).to(device)
for moments, loads in DataLoader(Loads(32), batch_size=8):
    moments, loads = moments.to(device), loads.to(device)
    loss = nn.functional.mse_loss(layer(moments).squeeze(1), loads)
    loss.backward()
"""


def _training(first: str, second: str, dtype: str = "") -> str:
    return _TRAINING.replace("FIRST", first).replace("SECOND", second).replace("DTYPE", dtype)


_CYCLE = "2 * math.pi * (moment.hour + moment.minute / 60) / 24"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (f"math.sin({_CYCLE})", f"math.cos({_CYCLE})"),
        (f"np.sin({_CYCLE})", f"np.cos({_CYCLE})"),
        ("moment.weekday() / 7", "moment.month"),
        ("(moment - datetime(2022, 1, 1)).total_seconds()", "1"),
        ("(moment - datetime(2022, 1, 1)) / timedelta(days=1)", "moment.timetuple().tm_yday / 366"),
    ],
)
def test_features_of_dates_are_cast_for_a_layer(first: str, second: str) -> None:
    text = _training(first, second)
    assert clashes(text) == ["32: dtype"]
    fixed, _ = fix_texts({"main.py": text}, Applicability.UNSAFE)
    assert not clashes(fixed["main.py"])


def test_features_of_dates_that_are_narrow_already_are_left_alone() -> None:
    assert not clashes(_training(f"np.sin({_CYCLE})", "moment.hour", ", dtype=np.float32"))
    assert not clashes(_training(f"np.sin({_CYCLE})", "strange(moment)"))


def test_hours_look_up_rows_of_a_table() -> None:
    text = """
from datetime import datetime

import torch

table = torch.nn.Embedding(24, 4)
rows = table(torch.tensor([datetime.now().hour]))
"""
    assert not clashes(text)
    assert clashes(text.replace(".hour]", ".hour / 2]"))


@pytest.mark.parametrize(
    ("power", "kind"), [("2 ** -step", "float"), ("2 ** step", "int"), ("step ** -1", "float")]
)
def test_a_power_with_an_exponent_turned_round_is_a_fraction(power: str, kind: str) -> None:
    text = f"import numpy as np\nmade = np.array([{power} for step in range(1, 5)])\n"
    made = Ending(text)["made"]
    assert isinstance(made, Array)
    assert made.dtype == f"{kind}64"
    assert not lies(text)
