"""What a program makes where a file is missing, and writes to it, is what it reads there, whatever error tells it so."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from text_program import clashes

KEEPING = """
import pickle
import numpy as np
import scipy.sparse as sp
import torch

def get(path):
    try:
        {load}
    except {error}:
        {make}
    return a

net = torch.nn.Linear(3, 3).cuda()
net(torch.from_numpy({use}).cuda())
"""
ERRORS = ["FileNotFoundError", "Exception", "(OSError, ValueError)"]
WAYS = [
    ('a = np.load(path + "/a.npy")', 'a = {made}; np.save(path + "/a.npy", a)', 'get("data")'),
    ('a = np.load(path + "/a.npz")["a"]', 'a = {made}; np.savez(path + "/a.npz", a=a)', 'get("data")'),
    ('a = pickle.load(open(path, "rb"))', 'a = {made}; pickle.dump(a, open(path, "wb"))', 'get("data")'),
    (
        "with open(path, 'rb') as f: a = pickle.load(f)",
        "a = {made}\n        with open(path, 'wb') as f: pickle.dump(a, f)",
        'get("data")',
    ),
    (
        'a = sp.load_npz(path + "/a.npz")',
        'a = sp.csr_matrix({made}); sp.save_npz(path + "/a.npz", a)',
        'get("data").toarray()',
    ),
]


def _program(way: tuple[str, str, str], error: str, made: str) -> str:
    load, make, use = way
    return KEEPING.format(load=load, error=error, make=make.format(made=made), use=use)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("way", WAYS)
def test_what_is_made_where_the_file_is_missing_is_what_is_there(
    way: tuple[str, str, str], error: str
) -> None:
    text = _program(way, error, "np.ones((3, 3))")
    assert clashes(text) == [f"{len(text.splitlines())}: dtype"]
    assert not clashes(_program(way, error, "np.ones((3, 3), dtype=np.float32)"))
    assert not clashes(_program(way, error, "np.load('made.npy')"))


def test_a_handler_that_writes_no_file_that_the_body_reads_is_there_for_what_goes_wrong() -> None:
    load, make, use = WAYS[0]
    elsewhere = make.replace("a.npy", "other.npy")
    for other in (elsewhere, "a = {made}", "a = {made}; np.load(path + '/a.npy')", "a = {made}; open(path)"):
        assert not clashes(_program((load, other, use), "Exception", "np.ones((3, 3))"))
    again = "a = {made}; print(open(path, 'r'))"
    assert not clashes(
        _program(("a = np.load(open(path, 'rb'))", again, use), "Exception", "np.ones((3, 3))")
    )


def test_a_body_that_writes_the_file_itself_reads_nothing_from_it() -> None:
    write = "a = {made}; np.save(path, a)"
    for mode, expected in (("rb", 1), ("wb", 0), ("x", 0)):
        body = f'a = strange(open(path, "{mode}"))'
        assert (
            len(clashes(_program((body, write, 'get("data")'), "Exception", "np.ones((3, 3))"))) == expected
        )


MATRICES = """
import numpy as np
import scipy.sparse as sp
import torch

sp.save_npz("{saved}", {matrix})
a = sp.load_npz("{read}")
net = torch.nn.Linear(3, 3).cuda()
net(torch.from_numpy(a.toarray()).cuda())
"""


@pytest.mark.parametrize(
    ("saved", "read", "matrix", "expected"),
    [
        ("a", "a.npz", "sp.eye(3).tocsr()", ["9: dtype"]),
        ("a.npz", "a.npz", "sp.eye(3).tocsr()", ["9: dtype"]),
        ("a.npz", "a.npz", "sp.eye(3, dtype=np.float32).tocsr()", []),
        ("a.npz", "b.npz", "sp.eye(3).tocsr()", []),
        ("a.npz", "a.npz", "strange()", []),
    ],
)
def test_a_sparse_matrix_is_read_as_it_was_written(
    saved: str, read: str, matrix: str, expected: list[str]
) -> None:
    assert clashes(MATRICES.format(saved=saved, read=read, matrix=matrix)) == expected


def test_a_matrix_that_is_written_twice_is_one_of_the_two() -> None:
    text = MATRICES.format(saved="a.npz", read="a.npz", matrix="sp.eye(3).tocsr()")
    again = 'sp.save_npz("a.npz", sp.eye(3, dtype=np.float32))\na ='
    assert not clashes(text.replace("a =", again, 1))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_scipy_keeps_the_dtype_of_what_it_writes(tmp_path: Path, dtype: str) -> None:
    sp = pytest.importorskip("scipy.sparse")
    sp.save_npz(tmp_path / "a", sp.eye(3, dtype=dtype).tocsr())
    assert sp.load_npz(tmp_path / "a.npz").dtype == np.dtype(dtype)


def test_a_matrix_of_which_nothing_is_known_is_one_all_the_same() -> None:
    text = """
    import scipy.sparse as sp
    import torch
    a = sp.load_npz("a.npz") + sp.eye(3)
    net = torch.nn.Linear(3, 3).cuda()
    net(torch.from_numpy(a.toarray()).cuda())
    """
    assert clashes(dedent(text)) == ["6: dtype"]
