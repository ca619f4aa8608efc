"""Tables of pandas and arrays of scikit-learn: which of them are float64."""

from __future__ import annotations

import pytest
from text_program import clashes

HEAD = """
import numpy as np
import pandas as pd
import torch
from sklearn import datasets
from sklearn.preprocessing import StandardScaler
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight
from torch import nn

table = pd.read_csv("prices.csv")
net = nn.Linear(3, 2)
"""


def found(text: str) -> list[str]:
    return [line.partition(": ")[2] for line in clashes(HEAD + text)]


@pytest.mark.parametrize(
    "made",
    [
        "table.values / 10",
        "table[['a', 'b']].dropna().to_numpy() * 0.5",
        "(table.values - table.values.mean(0)) / table.values.std(0)",
        "StandardScaler().fit_transform(table[['a', 'b']])",
        "StandardScaler().fit(table.values).transform(table.values)",
        "datasets.make_moons(100)[0]",
        "compute_class_weight('balanced', classes=[0, 1, 2], y=[0, 1, 2])",
        "compute_sample_weight({0: 1, 1: 2}, [0, 1, 1])",
        "table.iloc[:, 1:].astype('float64').values",
    ],
)
def test_what_is_float64_for_certain(made: str) -> None:
    assert found(f"net(torch.from_numpy({made}))") == ["dtype"]


@pytest.mark.parametrize(
    "made",
    [
        "table.values",
        "table['label'].values + 1",
        "table['label'].to_numpy()",
        "table.astype(np.float32).values / 2",
        "StandardScaler().fit_transform(table.astype('float32').values)",
        "pd.read_csv('a.csv', dtype=np.float32).values / 2",
        "(table.values / 2).astype(np.float32)",
        "pd.DataFrame(np.zeros((3, 3), dtype=np.float32)).values / 2",
        "table.groupby('a').mean().values / 2",
    ],
)
def test_what_may_be_anything(made: str) -> None:
    assert found(f"net(torch.from_numpy({made}))") == []


def test_numbers_of_a_table_are_no_type_of_a_tensor() -> None:
    text = """
x = torch.tensor(table.values)
print((x + torch.from_numpy(table.values).long()).dtype, nn.Embedding(4, 2)(x), x.float() @ torch.rand(3, 2))
"""
    assert found(text) == []


def test_a_table_does_not_take_tensors_of_the_accelerator() -> None:
    assert found("pd.DataFrame(net.cuda()(torch.rand(2, 3).cuda()))") == ["numpy"]


@pytest.mark.parametrize(
    "feature", ["d.hour / 23.0 - 0.5", "(d.dayofyear - 1) / 365.0", "d.isocalendar().week / 52.0"]
)
def test_features_of_dates_are_as_wide_as_numpy_divides(feature: str) -> None:
    text = f"""
        import numpy as np
        import pandas as pd
        import torch
        import torch.nn as nn

        d = pd.to_datetime(pd.read_csv("t.csv")["date"].values)
        stamp = np.vstack([{feature}]).transpose(1, 0)
        nn.Linear(1, 2)(torch.from_numpy(stamp){{cast}})
    """
    assert [line.split(": ")[1] for line in clashes(text.format(cast=""))] == ["dtype"]
    assert clashes(text.format(cast=".float()")) == []


def test_fields_of_dates_are_integers() -> None:
    assert (
        clashes("""
        import pandas as pd
        import torch

        d = pd.date_range("2020", periods=3)
        torch.nn.Embedding(32, 2)(torch.from_numpy(d.day.values))
    """)
        == []
    )
