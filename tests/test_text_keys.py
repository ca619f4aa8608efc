"""Keys of dicts that are put together: what is written under one is read under one that begins and ends the same."""

from __future__ import annotations

import pytest
from text_program import Ending, clashes, fix_texts

from devfix.analysis.domain.values import Const, TupleValue
from devfix.findings import Applicability

STATE = """
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight = torch.ones(4, 3, device=device)
state = {"step": 0, "momentum": weight.clone()}
for axis, size in enumerate(weight.size()):
    state[f"factor_{axis}"] = torch.eye(size)
    state[f"root_{axis}"] = torch.zeros(size, size)
for axis, size in enumerate(weight.size()):
    flat = weight.transpose(0, axis).reshape(size, -1)
"""


@pytest.mark.parametrize(
    "use",
    [
        'state[f"factor_{axis}"] + flat @ flat.t()',
        'state["factor_" + str(axis)] + flat @ flat.t()',
        'state["factor_%d" % axis] + flat @ flat.t()',
        'state["factor_{}".format(axis)] + flat @ flat.t()',
        'state[f"root_{axis}"] @ flat',
        'state["factor_0"] + flat @ flat.t()',
    ],
)
def test_what_is_read_is_what_was_written_under_such_keys(use: str) -> None:
    assert clashes(f"{STATE}    {use}\n")


@pytest.mark.parametrize(
    "use",
    [
        'state["momentum"] * weight',
        'state[f"mom{axis}"] * weight',
        'state[f"{axis}"] * weight',
        'state[f"factor_{axis}"] @ torch.eye(size)',
        'state[f"other_{axis}"] @ flat',
        'state["other_%d" % axis] @ flat',
        'state["{}_root_{}".format(axis, axis)] @ flat',
    ],
)
def test_no_other_entry_is_meant(use: str) -> None:
    assert not clashes(f"{STATE}    {use}\n")


def test_each_of_them_is_repaired() -> None:
    use = '    state[f"factor_{axis}"].add_(flat @ flat.t())\n    print(state[f"root_{axis}"] @ flat)\n'
    after = fix_texts({"train.py": STATE + use}, Applicability.SAFE)[0]["train.py"]
    assert after.count("device=device)") == 3


def test_an_entry_that_may_be_replaced_is_not_known_any_more() -> None:
    text = STATE.replace('"momentum"', '"factor_1"').replace("torch.eye(size)", "torch.eye(size).to(device)")
    assert not clashes(text + '    state["factor_1"].sum(0) + torch.ones(3, device=device)\n')
    moved = 'for axis in weight.size():\n    state[f"factor_{axis}"] = weight\n'
    assert not clashes(STATE + moved + 'print(state[f"factor_{axis}"] * weight)\n')


def test_such_a_key_makes_no_other_known_to_be_missing() -> None:
    text = (
        "import sys\nimport torch\ndevice = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "found = {}\nfor name in sys.argv:\n    found[f'{name}_a'] = torch.ones(3)\n"
        "mean = found['x_a'] if 'x_a' in found else torch.ones(3, device=device)\n{}\n"
    )
    assert not clashes(text.replace("{}\n", "print(mean + torch.ones(3, device=device))\n"))


UNKNOWN_KEYS = "import sys\nfound = dict([(sys.argv[1], 1), (sys.argv[2], 2)])\n"


@pytest.mark.parametrize("asked", ['"x" in found', 'found.get("x", 5)', 'found.get("x")', "len(found)"])
def test_what_is_under_keys_that_nobody_knows_is_not_denied(asked: str) -> None:
    assert not isinstance(Ending(f"{UNKNOWN_KEYS}answer = {asked}\n")["answer"], Const)


def test_an_entry_under_an_unknown_key_beside_it_leaves_a_known_one() -> None:
    text = 'import sys\nfound = dict([(sys.argv[1], 1), ("x", 2)])\nanswer = "x" in found, "x" not in {**found}\n'
    assert Ending(text)["answer"] == TupleValue((Const(True), Const(False)))
