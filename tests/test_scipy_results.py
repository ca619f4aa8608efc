"""SciPy and scikit-learn: which dtype comes out of their matrices, signals, distributions and data sets."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
from text_program import Ending, clashes

from devfix.analysis.domain.values import Array

SCIPY = """
import numpy as np
import scipy
import scipy.integrate
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.sparse as sp
import scipy.spatial
import scipy.stats

a = np.linspace(0, 1, 25).reshape(5, 5)
a32, whole = a.astype(np.float32), np.arange(25).reshape(5, 5)
row, col = np.array([0, 1, 2]), np.array([1, 2, 0])
wide = sp.coo_matrix((np.ones(3), (row, col)), shape=(5, 5))
narrow = sp.coo_matrix((np.ones(3, dtype=np.float32), (row, col)), shape=(5, 5))
counts = sp.csr_matrix((np.ones(3, dtype=np.int64), (row, col)), shape=(5, 5))
b, c = scipy.signal.butter(2, 0.5)
"""
SKLEARN = """
import numpy as np
import scipy.sparse
from sklearn import datasets, decomposition, feature_extraction, model_selection, preprocessing

a = np.linspace(0, 1, 25).reshape(5, 5)
a32, whole = a.astype(np.float32), np.arange(25).reshape(5, 5)
texts = ["one two", "two three"]
"""

#: Of each expression the dtype as far as devfix knows it; the parts of a tuple one by one.
OF_SCIPY: dict[str, str | None] = {
    "wide.data": "float64",
    "narrow.data": "float32",
    "counts.data": "int64",
    "wide.tocoo().row": None,
    "wide.tocsr().indices": None,
    "wide.toarray()": "float64",
    "narrow.tocsr().todense()": "float32",
    "counts.astype(np.float32).toarray()": "float32",
    "narrow.T.toarray()": "float32",
    "narrow.tocsr()[0].toarray()": "float32",
    "sp.eye(5).toarray()": "float64",
    "sp.eye(5, dtype=np.float32).toarray()": "float32",
    "sp.identity(5).data": "float64",
    "sp.diags(np.ones(3)).toarray()": "float64",
    "sp.diags(np.ones(3, dtype=np.float32)).toarray()": "float32",
    "sp.diags([1, 2, 3]).toarray()": None,
    "(wide + sp.eye(5)).toarray()": "float64",
    "(narrow + sp.eye(5)).toarray()": "float64",
    "(sp.coo_matrix(scipy.__dict__.get('none', counts)) + sp.eye(5)).toarray()": "float64",
    "sp.diags(np.ones(5)).dot(sp.coo_matrix(scipy.__dict__.get('none', counts))).tocoo().data": "float64",
    "(sp.coo_matrix(scipy.__dict__.get('none', counts)) + narrow).toarray()": None,
    "(narrow @ narrow).toarray()": "float32",
    "narrow.dot(narrow).toarray()": "float32",
    "sp.diags(np.ones(5)).dot(narrow).tocoo().data": "float64",
    "narrow.multiply(2.0).toarray()": "float32",
    "(counts * 0.5).toarray()": "float64",
    "narrow.multiply(narrow > narrow.T).toarray()": "float32",
    "(wide > 0).toarray()": "bool",
    "np.array(narrow.sum(1))": "float32",
    "np.power(np.array(wide.sum(1)), -0.5).flatten()": "float64",
    "np.array(counts.sum(1))": "int64",
    "narrow.mean()": "float32",
    "sp.csr_matrix(a32).data": "float32",
    "sp.csr_matrix((5, 5)).toarray()": "float64",
    "sp.csr_matrix((5, 5), dtype=np.float32).toarray()": "float32",
    "sp.lil_matrix((5, 5)).toarray()": "float64",
    "sp.vstack([narrow, narrow]).toarray()": "float32",
    "sp.hstack([narrow, wide]).toarray()": "float64",
    "sp.triu(narrow).toarray()": "float32",
    "sp.find(narrow)[2]": "float32",
    "sp.csgraph.shortest_path(narrow)": "float64",
    "sp.csgraph.laplacian(narrow).toarray()": "float32",
    "sp.csgraph.connected_components(narrow)[1]": "int32",
    "(narrow / 2).toarray()": None,
    "(counts / 2).toarray()": "float64",
    "abs(narrow).toarray() * 2": None,
    "counts.power(0.5).toarray()": None,
    "narrow.power(2).toarray()": "float32",
    "sp.eye(3, 3, 0, np.float32).toarray()": "float32",
    "sp.random(3, 3, 0.5, 'csr', np.float32).toarray()": "float32",
    "sp.diags(a[0], 0, (5, 5), 'csr', np.float32).toarray()": "float32",
    "sp.csr_matrix(a, (5, 5), np.float32).toarray()": "float32",
    "sp.kronsum(narrow, wide).toarray()": "float64",
    "sp.csgraph.connected_components(narrow, return_labels=False)": None,
    "scipy.signal.resample(a32, 3, a[0])[1]": None,
    "scipy.stats.zscore(a32)": "float32",
    "scipy.stats.zscore(whole)": "float64",
    "scipy.stats.norm.rvs(size=3)": "float64",
    "scipy.stats.poisson.rvs(2.0, size=3)": "int64",
    "scipy.stats.norm.pdf(a32)": "float64",
    "scipy.signal.lfilter(b, c, a32)": "float64",
    "scipy.signal.lfilter(a32[0], a32[1] + 1, a32)": "float32",
    "scipy.signal.filtfilt(b, c, np.zeros(50))": "float64",
    "scipy.signal.convolve2d(a32, a32)": "float32",
    "scipy.signal.fftconvolve(a, a32)": "float64",
    "scipy.signal.resample(a32, 3)": "float32",
    "scipy.signal.savgol_filter(whole, 3, 1)": "float64",
    "scipy.signal.medfilt(a32)": "float32",
    "scipy.signal.windows.hann(5)": "float64",
    "scipy.signal.get_window('hann', 5)": "float64",
    "scipy.signal.hilbert(a32)": "complex64",
    "scipy.linalg.block_diag(a, a32)": "float64",
    "scipy.linalg.circulant(a32[0])": "float32",
    "scipy.linalg.inv(a + np.eye(5))": "float64",
    "scipy.spatial.distance.cdist(a32, a32)": "float64",
    "scipy.spatial.distance_matrix(a32, a32)": "float64",
    "scipy.ndimage.distance_transform_edt(a32 > 0.5)": "float64",
    "scipy.integrate.odeint(lambda y, t: -y, 1.0, np.linspace(0, 1, 3))": "float64",
}
OF_SKLEARN: dict[str, str | None] = {
    "datasets.make_blobs(5)[0]": "float64",
    "datasets.make_blobs(5)[1]": "int64",
    "datasets.make_friedman1(5)[1]": "float64",
    "datasets.make_hastie_10_2(5)[1]": "float64",
    "datasets.load_iris().data": "float64",
    "datasets.load_iris()['target']": "int64",
    "datasets.load_digits(return_X_y=True)[1]": "int64",
    "datasets.load_diabetes().target": "float64",
    "datasets.load_iris(as_frame=True).target.values": None,
    "preprocessing.StandardScaler().fit_transform(a32)": "float32",
    "preprocessing.MinMaxScaler().fit(whole).transform(whole)": "float64",
    "preprocessing.normalize(a32)": "float32",
    "preprocessing.scale(whole)": "float64",
    "preprocessing.LabelEncoder().fit_transform(texts)": "int64",
    "preprocessing.OneHotEncoder().fit_transform([['a'], ['b']]).toarray()": "float64",
    "preprocessing.OneHotEncoder(sparse_output=False).fit_transform([['a'], ['b']])": "float64",
    "preprocessing.OneHotEncoder(dtype=np.float32).fit_transform([['a'], ['b']]).toarray()": None,
    "decomposition.PCA(2).fit_transform(a32)": "float32",
    "decomposition.PCA(2).fit_transform(a)": "float64",
    "decomposition.PCA(2).fit(a).transform(a32)": None,
    "decomposition.PCA(2).fit(a32).transform(a)": "float64",
    "preprocessing.normalize(a32, return_norm=True)[0]": None,
    "preprocessing.MaxAbsScaler().fit_transform(scipy.sparse.csr_matrix(a32)).toarray()": None,
    "datasets.make_regression(5, n_targets=2)[1]": None,
    "feature_extraction.text.TfidfVectorizer().fit_transform(texts).toarray()": "float64",
    "feature_extraction.text.CountVectorizer().fit_transform(texts).toarray()": "int64",
    "model_selection.train_test_split(a32)[0]": "float32",
    "model_selection.train_test_split(a, whole[:, 0])[2]": "int64",
}


@pytest.mark.parametrize(
    ("head", "text", "dtype"),
    [(SCIPY, *pair) for pair in OF_SCIPY.items()] + [(SKLEARN, *pair) for pair in OF_SKLEARN.items()],
)
def test_dtypes_are_known_as_far_as_they_are_certain(head: str, text: str, dtype: str | None) -> None:
    found = Ending(f"{head}found = {text}\n")["found"]
    assert (found.dtype if isinstance(found, Array) else None) == dtype


@pytest.mark.parametrize(
    ("head", "dtypes", "needed"), [(SCIPY, OF_SCIPY, "scipy"), (SKLEARN, OF_SKLEARN, "sklearn")]
)
def test_the_libraries_make_what_is_claimed(head: str, dtypes: dict[str, str | None], needed: str) -> None:
    pytest.importorskip(needed)
    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(head, names)
        real = {text: str(getattr(eval(text, names), "dtype", None)) for text in dtypes}
    assert [
        f"{text}: {real[text]}" for text, dtype in dtypes.items() if dtype not in (None, real[text])
    ] == []


def test_the_values_of_a_matrix_may_be_replaced() -> None:
    text = f"{SCIPY}copy = wide.copy()\ncopy.data = copy.data.astype(np.float32)\n"
    for name, dtype in (("copy", "float32"), ("wide", "float64")):
        found = Ending(f"{text}found = {name}.toarray()\n")["found"]
        assert isinstance(found, Array)
        assert found.dtype == dtype


@pytest.mark.parametrize(
    "text", ["scipy.stats.multivariate_normal.pdf(a[:, :2], [0, 0])", "scipy.signal.windows.dpss(8, 2, 3)"]
)
def test_what_has_fewer_or_more_dimensions(text: str) -> None:
    found = Ending(f"{SCIPY}found = {text}\n")["found"]
    assert isinstance(found, Array)
    assert (found.dtype, found.rank) == ("float64", None)


MATRIX = """
import numpy as np
import scipy.sparse as sp
import torch

adjacency = sp.coo_matrix((np.ones(3), ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
degree = sp.diags(np.power(np.array(adjacency.sum(1)), -0.5).flatten())
normalised = degree.dot(adjacency).dot(degree).tocoo()
weight = torch.nn.Linear(3, 2).weight.t()
"""


def test_values_of_a_matrix_meet_float32() -> None:
    text = MATRIX + "torch.from_numpy(normalised.toarray()) @ weight\n"
    assert clashes(text) == ["10: dtype"]
    text = MATRIX + "torch.from_numpy(normalised.astype(np.float32).toarray()) @ weight\n"
    assert clashes(text) == []


def test_a_signal_is_no_tensor_of_the_accelerator() -> None:
    text = """
    import scipy.signal
    import torch

    scipy.signal.medfilt(torch.ones(3, device="cuda"))
    scipy.signal.lfilter([1.0], [1.0], torch.ones(3, device="cuda"))
    """
    assert clashes(text) == ["5: numpy", "6: numpy"]
