"""NetworkX: which dtype its graphs have as matrices, and what is computed of them."""

from __future__ import annotations

from typing import Any

import pytest
from text_program import Ending, clashes, fix_texts

from devfix.analysis.domain.values import Array
from devfix.findings import Applicability

GRAPHS = """
import networkx as nx
import numpy as np
import scipy.sparse as sp

plain = nx.from_dict_of_lists({0: [1, 2], 1: [2], 2: []})
weighted = nx.Graph()
weighted.add_edge(0, 1, weight=0.5)
"""
EXPRESSIONS: dict[str, str | None] = {
    "nx.adjacency_matrix(plain).toarray()": None,
    "nx.adjacency_matrix(weighted).toarray()": None,
    "nx.adjacency_matrix(plain, dtype=np.float32).toarray()": "float32",
    "nx.adjacency_matrix(plain, None, np.float32).toarray()": "float32",
    "nx.to_scipy_sparse_array(plain, dtype='float64').data": "float64",
    "nx.to_scipy_sparse_array(plain).data": None,
    "nx.laplacian_matrix(plain).toarray()": None,
    "nx.normalized_laplacian_matrix(plain).toarray()": "float64",
    "(nx.adjacency_matrix(plain) + sp.eye(3)).toarray()": "float64",
    "(nx.adjacency_matrix(weighted) + sp.eye(2)).tocoo().data": "float64",
    "(nx.adjacency_matrix(plain) + sp.eye(3, dtype=np.float32)).toarray()": None,
    "nx.to_numpy_array(plain)": "float64",
    "nx.to_numpy_array(plain, dtype=np.float32)": "float32",
    "nx.to_numpy_array(plain, nonedge=np.int64(0))": None,
}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_is_known_of_a_matrix_is_what_networkx_gives(expression: str) -> None:
    value = Ending(f"{GRAPHS}made = {expression}\n")["made"]
    assert isinstance(value, Array)
    assert value.dtype == EXPRESSIONS[expression]
    space: dict[str, Any] = {}
    exec(f"{GRAPHS}made = {expression}\n", space)
    assert value.dtype in (None, str(space["made"].dtype))


NORMALISED = """\
import networkx as nx
import numpy as np
import scipy.sparse as sp
import torch


def normalised(adjacency):
    adjacency = sp.coo_matrix(adjacency)
    sums = np.power(np.array(adjacency.sum(1)), -0.5).flatten()
    return adjacency.dot(sp.diags(sums)).transpose().dot(sp.diags(sums)).tocoo()


graph = normalised(nx.adjacency_matrix(nx.from_dict_of_lists({{0: [1], 1: [2], 2: []}})) + sp.eye(3))
values = torch.from_numpy(graph.data{cast})
weight = torch.nn.Linear(3, 3).weight
print(weight @ values)
"""


def test_the_values_of_a_normalised_graph_are_cast_once() -> None:
    after, _ = fix_texts({"main.py": NORMALISED.format(cast="")}, Applicability.UNSAFE)
    assert "values = torch.from_numpy(graph.data).float()" in after["main.py"]
    assert clashes(after["main.py"]) == []


def test_values_that_are_cast_already_are_left_alone() -> None:
    assert clashes(NORMALISED.format(cast=".astype(np.float32)")) == []


def test_a_graph_whose_weights_nobody_knows_is_left_alone() -> None:
    text = NORMALISED.format(cast="").replace(" + sp.eye(3)", "")
    assert clashes(text.replace("normalised(nx", "(nx")) == []


SPARSE = """\
import numpy as np
import torch
from torch import nn

net = nn.Linear(3, 4)
places = torch.tensor([[0, 1], [1, 0]])
graph = torch.{made}(places, torch.from_numpy(np.random.rand(2)), torch.Size((2, 2)){told})
features = net(torch.randn(2, 3))
print(torch.spmm(graph, features))
"""


@pytest.mark.parametrize("made", ["sparse.FloatTensor", "sparse_coo_tensor"])
def test_a_sparse_tensor_of_an_array_gives_way_to_what_it_meets(made: str) -> None:
    before = SPARSE.format(made=made, told="")
    after, _ = fix_texts({"main.py": before}, Applicability.UNSAFE)
    assert "torch.from_numpy(np.random.rand(2)).float()" in after["main.py"]
    assert clashes(after["main.py"]) == []


def test_a_sparse_tensor_that_is_told_to_be_narrow_is_left_alone() -> None:
    assert clashes(SPARSE.format(made="sparse_coo_tensor", told=", dtype=torch.float32")) == []
