"""joblib: what calls give that are made in processes, in threads, or one after the other."""

from __future__ import annotations

import pytest
from text_program import clashes, fix_texts

from devfix.findings import Applicability

SCRIPT = """
import torch
from torch import nn
from joblib import Parallel, delayed

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(4, 2).to(device)
seen = []

def encode(n, scale=1.0):
    x = torch.zeros(4)
    x[n] = scale
    return {returned}

def put(n):
    seen.append(encode(n))

def move(module):
    module.to(device)

if __name__ == "__main__":
    {body}
"""
HERE = ["Parallel()", "Parallel(backend='loky')", "Parallel(n_jobs=1)", "Parallel(n_jobs=4, prefer='threads')", "Parallel(4, require='sharedmem')",
        "Parallel(n_jobs=2, backend='threading')"]  # fmt: skip
ELSEWHERE = ["Parallel(n_jobs=4)", "Parallel(-1, prefer='processes')", "Parallel(n_jobs=2, backend='loky')"]
#: Ways to take what calls give.
TAKEN = [
    "for x in {p}(delayed(encode)(n) for n in range(20)): net({used})",
    "x, y = {p}([delayed(encode)(1), delayed(encode)(2, scale=3.0)])\n    net({used})",
    "x = torch.stack({p}(delayed(encode)(n) for n in range(20)))\n    net({used})",
    "with {p} as pool: rows = pool(delayed(encode)(n) for n in range(20))\n    x = rows[0]\n    net({used})",
]


def found(body: str, returned: str = "x") -> list[str]:
    return [each.partition(": ")[2] for each in clashes(SCRIPT.format(body=body, returned=returned))]


@pytest.mark.parametrize("taken", TAKEN)
@pytest.mark.parametrize("parallel", HERE + ELSEWHERE)
def test_what_calls_give_is_where_they_left_it(parallel: str, taken: str) -> None:
    assert found(taken.format(p=parallel, used="x")) == ["device"]
    assert found(taken.format(p=parallel, used="x.to(device)")) == []
    assert found(taken.format(p=parallel, used="x"), "x.to(device)") == []


def test_what_is_taken_one_by_one_is_not_a_list() -> None:
    rows = "rows = Parallel(2, return_as='generator')(delayed(encode)(n) for n in range(20))\n    "
    assert found(rows + "for x in rows: net(x)") == ["device"]


@pytest.mark.parametrize("parallel", HERE)
def test_calls_in_the_same_process_change_what_it_has(parallel: str) -> None:
    put = f"{parallel}(delayed(put)(n) for n in range(20))\n    net(torch.stack(seen))"
    assert found(put) == ["device"]
    moved = (
        f"other = nn.Linear(4, 2)\n    {parallel}(delayed(move)(m) for m in [other])\n    other(net.weight)"
    )
    assert found(moved) == []


@pytest.mark.parametrize("parallel", ELSEWHERE)
def test_calls_in_other_processes_change_copies(parallel: str) -> None:
    put = f"seen.append(torch.ones(4, device=device))\n    {parallel}(delayed(put)(n) for n in range(20))\n    net(torch.stack(seen))"
    assert found(put) == []
    moved = (
        f"other = nn.Linear(4, 2)\n    {parallel}(delayed(move)(m) for m in [other])\n    other(net.weight)"
    )
    assert found(moved) == ["device"]


@pytest.mark.parametrize(
    "parallel",
    [
        "Parallel(n_jobs=2, backend=name)",
        "Parallel(n_jobs=2, **options)",
        "parallel_backend('dask') or Parallel(n_jobs=2)",
    ],
)
def test_where_nobody_knows_how_calls_are_made_nothing_is_known_of_them(parallel: str) -> None:
    body = f"from others import name, options\n    other = nn.Linear(4, 2)\n    ({parallel})(delayed(move)(m) for m in [other])"
    assert (
        found(f"{body}\n    other(net.weight)\n    x, = ({parallel})([delayed(encode)(1)])\n    net(x)") == []
    )


@pytest.mark.parametrize("jobs", ["jobs", "os.cpu_count()", "min(4, jobs)"])
def test_as_many_jobs_as_nobody_knows_may_be_one_that_is_done_here(jobs: str) -> None:
    """What calls give is told all the same, but not where the objects that they got are, nor that anything is forked."""
    body = f"import os\n    from others import jobs\n    parallel = Parallel(n_jobs={jobs}, backend='multiprocessing')\n    "
    moved = "other = nn.Linear(4, 2)\n    parallel(delayed(move)(m) for m in [other])\n    other(net.weight)"
    assert found(body + moved) == []
    rows = "for x in parallel(delayed(encode)(n) for n in range(9)): net(x)"
    assert found(body + rows) == ["device"]
    assert found(body + rows, "x.to(device)") == []


def test_processes_of_its_own_are_forked_if_asked_for() -> None:
    body = "rows = Parallel(2, backend='multiprocessing')(delayed(encode)(n) for n in range(9))\n    for x in rows: net(x.to(device))"
    assert found(body) == []
    assert found(body, "x.to(device)") == ["fork"]


def test_a_function_of_torch_is_given_no_device_by_the_call_of_all() -> None:
    body = (
        "x, y = Parallel(n_jobs=2, prefer='threads')(delayed(torch.zeros)(4) for _ in range(2))\n    net(x)"
    )
    text = SCRIPT.format(body=body, returned="x")
    after = fix_texts({"main.py": text}, Applicability.SAFE)[0]["main.py"]
    assert [line.strip() for line in after.splitlines() if line not in text.splitlines()] == [
        "x = x.to(device)"
    ]
