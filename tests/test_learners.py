"""scikit-learn makes arrays of what it learns of, which an accelerator's tensors cannot become."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

TEXT = """
import numpy as np
import torch
from sklearn import cluster
from sklearn.linear_model import LogisticRegression
from sklearn.manifold import TSNE
from sklearn.preprocessing import StandardScaler

x, y = torch.ones(6, 2).cuda(), torch.arange(6).cuda()
rows = np.ones((6, 2))
{line}
"""


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("cluster.KMeans(2).fit(x)", "cluster.KMeans(2).fit(x.cpu())"),
        ("cluster.KMeans(n_clusters=2).fit_predict(x)", "cluster.KMeans(n_clusters=2).fit_predict(x.cpu())"),
        ("LogisticRegression().fit(x, y)", "LogisticRegression().fit(x.cpu(), y.cpu())"),
        ("LogisticRegression().fit(rows, [1, 2] * 3).predict(x)", None),
        ("LogisticRegression().fit(rows, [1, 2] * 3).score(rows, y)", None),
        ("TSNE(2).fit_transform(x.requires_grad_())", None),
        ("StandardScaler().fit(x)", "StandardScaler().fit(x.cpu())"),
    ],
)
def test_what_is_learnt_of_is_fetched(line: str, after: str | None) -> None:
    text = TEXT.format(line=line)
    assert {each.split(": ")[1] for each in clashes(text)} == {"numpy"}
    fixed = fix_texts({"main.py": text})[0]["main.py"]
    assert clashes(fixed) == []
    assert after is None or fixed == TEXT.format(line=after)


@pytest.mark.parametrize(
    "line",
    [
        "cluster.KMeans(2).fit(x.cpu())",
        "cluster.KMeans(2).fit(rows)",
        "model = LogisticRegression().fit(rows, [1, 2] * 3)\nprint(x + torch.from_numpy(model.coef_).to(x))",
        "model = LogisticRegression()\nmodel.held = x",
        "cluster.k_means(rows, 2)",
        "import sklearn\nsklearn.set_config(array_api_dispatch=True)\ncluster.KMeans(2).fit(x)",
        "from sklearn.linear_model._elsewhere import Fitted\nFitted().take(x)",
    ],
)
def test_what_it_does_not_read_stays(line: str) -> None:
    assert clashes(TEXT.format(line=line)) == []
