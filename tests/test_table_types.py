"""Tables of pandas: which dtype comes out of what a program computes with columns."""

from __future__ import annotations

from typing import Any

import pytest
from text_program import Ending, clashes

from devfix.analysis.domain.lattice import AT_LEAST_1
from devfix.analysis.domain.values import Array
from devfix.analysis.torch_model.arrays import numpy_types

HEAD = """
import io
import numpy as np
import pandas as pd

read = pd.read_csv(io.StringIO("a,b,c\\n1,2.5,0\\n3,4.5,1\\n5,1.5,0\\n"))
table = pd.DataFrame({"a": [1, 2, 3], "b": [0.5, 1.0, 2.0], "c": np.ones(3, np.float32)})
rows = pd.DataFrame([{"a": 1, "b": 2.5}, {"a": 3, "b": 4.5}])
narrow = pd.DataFrame(np.ones((3, 2), np.float32))
read["half"] = read["a"] / 2
read["small"] = read["a"].astype(np.float32)
chosen, names = __import__('ast').literal_eval("[0, 1], ['a', 'b', 'c']")
days = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=3)})
stamps = pd.DataFrame({"day": ["2020-01-01", "2020-02-01", None]})
stamps["day"] = pd.to_datetime(stamps["day"])
days["late"] = (days.day.dt.month > 6).astype(int)
days["week"] = days.day.dt.day_of_week
spans = pd.Series(pd.to_timedelta([1, 2], unit="D"))
"""

#: An expression that is an array, and its dtype as far as devfix knows it.
DTYPES = {
    "read['a'].values": numpy_types.WIDE,
    "read[['a', 'b']].values": numpy_types.WIDE,
    "(read['a'] / 10).values": "float64",
    "((read['a'] - read['a'].mean()) / read['a'].std()).values": "float64",
    "((read[['a', 'b']] - read[['a', 'b']].mean()) / read[['a', 'b']].std()).to_numpy()": "float64",
    "(read.iloc[:, :2] * 0.5).values": None,
    "(rows.iloc[:, :2] * 0.5).values": "float64",
    "read.loc[:, 'half'].values": "float64",
    "read['small'].values": "float32",
    "(read['small'] / 2).values": "float32",
    "(read['small'] * read['half']).values": "float64",
    "read.drop(columns='a').values / 2": None,
    "read[['a', 'small']].values / 2": "float64",
    "read['a'].astype('int32').to_numpy()": "int32",
    "read.astype({'a': 'float32'})['a'].values": "float32",
    "(read['a'] > 1).values": "bool",
    "read['a'].isin([1, 2]).values": "bool",
    "read.values[:, :2] / 2": "float64",
    "table['a'].values": "int64",
    "table['b'].values": "float64",
    "table['c'].values": "float32",
    "table.values": "float64",
    "table[['a', 'b']].values": "float64",
    "table[['c']].values / 2": "float32",
    "table.iloc[:, 2].values / 2": None,
    "table.iloc[0].values": "float64",
    "table.loc[table['a'] > 1, 'c'].values": "float32",
    "table[table['a'] > 1]['a'].values": "int64",
    "(table['a'] * 2).values": "int64",
    "(2.0 * table['a']).values": "float64",
    "(table['a'] - 0.5).values": "float64",
    "(table['a'] / table['c']).values": "float64",
    "(table['c'] - table['c'].mean()).values": "float32",
    "(np.ones(3) - table['c']).values": "float64",
    "table['a'].diff().values": "float64",
    "table['c'].shift().values": "float32",
    "table['a'].div(2).values": "float64",
    "table['a'].rank().values": "float64",
    "table['c'].abs().values": "float32",
    "table['a'].unique()": "int64",
    "table.c.values": "float32",
    "np.array(table['c'])": "float32",
    "np.log(table['a'])": "float64",
    "np.asarray(table)": "float64",
    "pd.concat([table, table])['a'].values": None,
    "pd.concat([read[['a']], read[['b']]]).values": numpy_types.WIDE,
    "pd.to_numeric(table['a']).values": "int64",
    "rows.values": numpy_types.WIDE,
    "(rows / 2).values": "float64",
    "narrow.values": "float32",
    "(narrow / narrow.max()).values": "float32",
    "pd.Series([1, 2.5]).values": "float64",
    "pd.Series([1, 2]).values": "int64",
    "table['a'].map({1: 0.5}).values": None,
    "table['a'].astype('category').cat.codes.values": None,
    "table['c'].rolling(2).mean().values": "float64",
    "table[['a', 'c']].rolling(2, min_periods=1).max()['c'].values": "float64",
    "table['a'].ewm(span=2).mean().values": "float64",
    "table['c'].expanding().sum().values": "float64",
    "table['c'].rolling(2).agg(['min', 'max']).values": None,
    "table.groupby('a').rolling(2).sum().values": None,
    "(-table['c']).values": "float32",
    "(-(table['a'] ** 2) / 4).values": "float64",
    "(~(table['a'] > 1)).values": "bool",
    "pd.get_dummies(table['a'], dtype=float).values": "float64",
    "pd.get_dummies(table['a'], dtype='float32').values": "float32",
    "pd.get_dummies(table['a']).values": None,
    "pd.get_dummies(table, columns=['a'], dtype='float32').values": None,
    "table[['b']].join(pd.get_dummies(table['a'], dtype=float)).values": "float64",
    "table[['c']].join(pd.get_dummies(table['a'], dtype='float32')).values": "float32",
    "table.loc[table['b'] > 1]['a'].values": "int64",
    "table.iloc[[0]]['a'].values": "int64",
    "table.iloc[chosen]['a'].values": None,
    "narrow.iloc[chosen][0].values": "float32",
    "table[['a', 'b']].max()['a']": "float64",
    "table[['a', 'b']].iloc[0]['a']": "float64",
    "table.loc[0, 'a']": "int64",
    "table.at[0, 'c']": "float32",
    "rows.iat[0, 1]": numpy_types.WIDE,
    "np.ones(3, np.float32) * table.at[0, 'b']": None,
    "np.ones(3, np.float32) * read['a'].max()": None,
    "np.ones(3) * read['a'].max()": "float64",
    "(table['c'] * read['a'].max()).values": None,
    "(table['a'] * read['a'].max()).values": numpy_types.WIDE,
    "table['c'].corr(table['b'])": None,
    "table['c'].pct_change().values": "float32",
    "table['c'].quantile([0.1, 0.9]).values": None,
    "table['a'].quantile([0.1, 0.9]).values": "float64",
    "narrow.quantile(0.5).values": None,
    "table['a'].clip(0, 1.5).values": numpy_types.WIDE,
    "table['a'].clip(0, 2).values": "int64",
    "table['c'].clip(0, 1.5).values": "float32",
    "table['c'].where(table['b'] > 1, table['b']).values": None,
    "table['a'].isna().cumsum().values": "int64",
    "table.isna().sum().values": "int64",
    "table['a'].astype('int32').sum()": None,
    "(table['a'].iloc[1:] - table['a'].iloc[:-1]).values": numpy_types.WIDE,
    "(table['a'] // table['a'].values).values": numpy_types.WIDE,
    "pd.to_numeric(table['a'] > 1).values": "bool",
    "pd.to_numeric(read['a'].map({1: 0.5})).values": None,
    "narrow.reset_index().values": None,
    "narrow.reset_index(drop=True).values": "float32",
    "table.astype({name: 'float32' for name in names})['b'].values": None,
    "pd.DataFrame({'a': table['a']}, index=[5, 6, 7])['a'].values": numpy_types.WIDE,
    "pd.DataFrame({'a': table['a'], 'b': table['a'].head(2)})['b'].values": numpy_types.WIDE,
    "pd.Series(table['a'], index=[7, 8]).values": numpy_types.WIDE,
    "np.array([1, True])": "int64",
    "days['day'].dt.day_of_week.values": numpy_types.WIDE,
    "(days.day.dt.hour / 23.0).values": "float64",
    "(days['day'].dt.month == 12).values": "bool",
    "days['day'].dt.is_month_end.values": "bool",
    "days['day'].dt.is_leap_year.values": "bool",
    "days['day'].dt.isocalendar().week.values": None,
    "days['day'].dt.strftime('%d').values": None,
    "days['late'].values": "int64",
    "days['week'].astype('float32').values": "float32",
    "(days[['late', 'week']] / 7).values": "float64",
    "stamps['day'].dt.day.values": numpy_types.WIDE,
    "stamps['day'].values": None,
    "spans.dt.days.values": numpy_types.WIDE,
    "spans.dt.total_seconds().values": "float64",
}

#: A change of a copy, an expression that is an array then, and its dtype as far as devfix knows it.
CHANGES = [
    ("new.b = new.b.astype('float32')", "new['b'].values", "float32"),
    ("new.columns = ['b', 'a', 'c']", "new['a'].values", None),
    ("new.replace(1, 0.5, inplace=True)", "new['a'].values", None),
    ("new.fillna(0, inplace=True)", "new['a'].values", "int64"),
    ("new.update(pd.DataFrame({'b': [7.5]}))", "new['b'].values", None),
    ("new = pd.DataFrame(index=table.index); new['x'] = table['b']", "new.values", "float64"),
    ("new = pd.DataFrame(index=table.index); new['x'] = table['c']", "new.values", "float32"),
    (
        "new = pd.DataFrame(index=table.index)\nfor name in names: new[name] = table['c']",
        "new.values",
        "float32",
    ),
    (
        "new = pd.DataFrame(index=table.index)\nfor name in names: new[name] = table['a']\nnew['x'] = table['c']",
        "new.values",
        "float64",
    ),
    ("new['b'] = new['b'].astype('float32')", "table['b'].values", "float64"),
    ("part = new.head(2); part['b'] = part['b'].astype('float32')", "new['b'].values", "float64"),
    ("part = new[new['a'] > 1]; part['b'] = part['b'].astype('float32')", "new['b'].values", "float64"),
]
#: Columns, rows and entries, and how many dimensions the array of each has as far as devfix knows.
DIMENSIONS = {
    "table['a'].values": 1,
    "table['a'].to_frame().values": AT_LEAST_1,
    "table['a'].reset_index().values": AT_LEAST_1,
    "pd.DataFrame(table['a']).values": AT_LEAST_1,
    "table.iloc[0].values": 1,
    "table.iloc[:, 0].values": 1,
    "table.iloc[0, 1]": 0,
    "table['a'].iloc[0]": 0,
    "table['b'].max()": 0,
    "table['b'].quantile(0.5)": 0,
    "table['b'].quantile([0.5, 0.7]).values": AT_LEAST_1,
}


@pytest.mark.parametrize(("text", "dtype"), DTYPES.items())
def test_dtypes_are_known_as_far_as_they_are_certain(text: str, dtype: str | None) -> None:
    found = Ending(f"{HEAD}found = {text}\n")["found"]
    assert (found.dtype if isinstance(found, Array) else None) == dtype


def test_pandas_makes_what_is_claimed() -> None:
    pytest.importorskip("pandas")
    names: dict[str, object] = {}
    exec(HEAD, names)
    lies = []
    for text, dtype in DTYPES.items():
        real = str(getattr(eval(text, names), "dtype", None))
        if dtype is not None and real not in dtype.split(" or "):
            lies.append(f"{text}: {real}")
    assert lies == []


@pytest.mark.parametrize(("change", "text", "dtype"), CHANGES)
def test_a_copy_is_changed_alone(change: str, text: str, dtype: str | None) -> None:
    found = Ending(f"{HEAD}new = table.copy()\n{change}\nfound = {text}\n")["found"]
    assert isinstance(found, Array)
    assert found.dtype == dtype


@pytest.mark.parametrize(("text", "rank"), DIMENSIONS.items())
def test_dimensions_are_known_as_far_as_they_are_certain(text: str, rank: int | None) -> None:
    found = Ending(f"{HEAD}found = {text}\n")["found"]
    assert isinstance(found, Array)
    assert found.rank == rank


def test_pandas_has_these_dimensions() -> None:
    pytest.importorskip("pandas")
    names: dict[str, Any] = {}
    exec(HEAD, names)
    real = {text: eval(text, names).ndim for text in DIMENSIONS}
    assert [text for text, rank in DIMENSIONS.items() if rank not in (real[text], AT_LEAST_1)] == []


def test_pandas_changes_copies_as_is_claimed() -> None:
    pytest.importorskip("pandas")
    lies = []
    for change, text, dtype in CHANGES:
        names: dict[str, Any] = {}
        exec(f"{HEAD}new = table.copy()\n{change}\nfound = {text}\n", names)
        if dtype not in (None, str(names["found"].dtype)):
            lies.append(f"{change}: {text}")
    assert lies == []


@pytest.mark.parametrize(
    "text",
    [
        "frame = pd.read_csv('a.csv')\nx = torch.tensor((frame['a'] / 2).values)",
        "frame = pd.read_csv('a.csv')\nx = torch.tensor(frame['a'] / 2)",
        "frame = pd.read_csv('a.csv')\nframe['a'] = frame['a'] / frame['a'].max()\nx = torch.tensor(frame['a'].values)",
        "frame = pd.read_csv('a.csv')\nframe['a'] -= frame['a'].mean()\nx = torch.tensor(frame['a'].values)",
        "frame = pd.DataFrame({'a': [1.5, 2.5]})\nx = torch.from_numpy(frame.to_numpy())",
        (
            "frame = pd.read_csv('a.csv')\nif input():\n    frame = frame.dropna()\nif input():\n    frame = frame.head(9)\n"
            "frame['a'] = frame['a'] / 2\nx = torch.tensor(frame['a'].values)"
        ),
    ],
)
def test_a_column_of_float64_meets_float32(text: str) -> None:
    lines = ["import pandas as pd", "import torch", *text.splitlines(), "torch.nn.Linear(2, 2)(x)"]
    assert clashes("\n".join(lines)) == [f"{len(lines)}: dtype"]


@pytest.mark.parametrize(
    "text",
    [
        "frame = pd.read_parquet('a.parquet')\nx = torch.tensor(frame.values / 2)",
        "frame = pd.read_csv('a.csv', dtype={'a': 'float32'})\nx = torch.tensor(frame['a'].values / 2)",
        "frame = pd.read_csv('a.csv')\nframe['a'] = other(frame)\nx = torch.tensor(frame['a'].values / 2)",
        "frame = pd.read_csv('a.csv')\nframe.loc[:, 'a'] = other(frame)\nx = torch.tensor(frame['a'].values / 2)",
        (
            "frame = pd.read_csv('a.csv')\nif len(frame) > 3:\n    frame['a'] = frame['a'].astype('float32')\n"
            "x = torch.tensor(frame['a'].values / 2)"
        ),
        "frame = pd.DataFrame(other(3))\nx = torch.tensor(frame.values / 2)",
        "frame = pd.DataFrame({'a': other(3)})\nx = torch.tensor(frame['a'].values / 2)",
        "frame = pd.read_csv('a.csv', dtype_backend='pyarrow')\nx = torch.tensor(frame.values / 2)",
        "frame = pd.DataFrame({'a': [1.5], 'b': np.ones(1, 'float32')})\ndel frame['a']\nx = torch.tensor(frame.values)",
        (
            "frame = pd.DataFrame({'a': [1.5], 'b': np.ones(1, 'float32')})\nframe.drop(columns='a', inplace=True)\n"
            "x = torch.tensor(frame.values)"
        ),
        "frame = pd.DataFrame({'a': [1.5], 'b': np.ones(1, 'float32')}).drop(columns='a')\nx = torch.tensor(frame.values)",
        "frame = pd.DataFrame({'a': [1.5], 'b': np.ones(1, 'float32')})\nframe.pop('a')\nx = torch.tensor(frame.values)",
        "frame = pd.read_csv('a.csv')\nframe.insert(0, 'b', other(3))\nx = torch.tensor(frame.values / 2)",
        "frame = pd.read_csv('a.csv').merge(other(3))\nx = torch.tensor(frame.values / 2)",
        "frame = pd.read_csv('a.csv')\nx = torch.tensor(frame['a'].map(other).values / 2)",
        "frame = pd.read_csv('a.csv', dtype=other)\nx = torch.tensor(pd.to_numeric(frame['a']).values / 2)",
        "frame = pd.read_csv('a.csv')\nframe.a = frame.a.astype('float32')\nx = torch.tensor(frame['a'].values / 2)",
        "frame = pd.read_excel('a.xlsx', sheet_name=None)\nx = torch.tensor(frame['a'].values / 2)",
        "frame = pd.read_csv('a.csv')\nx = torch.ones(2) * (np.ones(2, 'float32') / frame['a'].max())",
    ],
)
def test_columns_that_may_be_anything(text: str) -> None:
    head = ["import numpy as np", "import pandas as pd", "import torch", "from elsewhere import other"]
    assert clashes("\n".join([*head, text, "torch.nn.Linear(2, 2)(x)"])) == []
