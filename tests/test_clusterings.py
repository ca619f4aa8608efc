"""What scikit-learn clusters is read in the host's memory, and the centres that it finds are there."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

PROGRAM = """
import torch
from sklearn.cluster import {name}

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.rand(8, 3, device=device)
found = {name}(4)
{clustered}
{used}
"""


def _program(used: str, clustered: str = "found.fit(x.cpu().numpy())", name: str = "KMeans") -> str:
    return PROGRAM.format(name=name, clustered=clustered, used=used)


@pytest.mark.parametrize("name", ["KMeans", "MiniBatchKMeans"])
@pytest.mark.parametrize("method", ["fit", "fit_predict", "predict", "transform"])
def test_what_is_clustered_is_copied_to_the_host(name: str, method: str) -> None:
    text = _program("", f"found.{method}(x)", name)
    assert fix_texts({"main.py": text})[0]["main.py"] == text.replace(f"{method}(x)", f"{method}(x.cpu())")


def test_centres_are_made_where_they_are_used() -> None:
    text = _program("print(x - torch.tensor(found.cluster_centers_)[0])")
    made = "torch.tensor(found.cluster_centers_"
    assert fix_texts({"main.py": text})[0]["main.py"] == text.replace(f"{made})", f"{made}, device=device)")


def test_the_centres_of_what_was_fitted_at_once_are_known() -> None:
    used = "centres = torch.from_numpy(KMeans(4).fit(x.cpu()).cluster_centers_)\nprint(x[:4] - centres)"
    assert len(clashes(_program(used))) == 1


@pytest.mark.parametrize(
    "used",
    [
        "print(x - torch.tensor(found.cluster_centers_, device=device)[0])",
        "print(x - torch.tensor(found.inertia_))",  # one number
        "print(torch.nn.Linear(3, 2).to(device)(x[:4] - torch.tensor(found.cluster_centers_).to(x)))",
        "print(x[torch.tensor(found.labels_ == 0)])",
        "x.data = torch.tensor(found.cluster_centers_).to(device)\nprint(x + 1)",
    ],
)
def test_what_stays_as_it_is(used: str) -> None:
    assert clashes(_program(used)) == []
