"""JSON that a program holds itself is as good as a dict."""

from __future__ import annotations

import pytest
from reality import lies
from text_program import clashes

HEAD = """
import json
import torch
x = torch.ones(3, device="cuda")
"""


def test_what_a_text_says_is_known() -> None:
    program = """
settings = json.loads('{"run": {"device": "cpu", "sizes": [3, 3]}, "deep": null}')
layer = torch.nn.Linear(*settings["run"]["sizes"]).to(settings["run"]["device"])
layer(x if settings["deep"] is None else x.cpu())
"""
    assert clashes(HEAD + program) == ["8: device"]


@pytest.mark.parametrize(
    "read",
    [
        "json.loads(open('settings.json').read())",
        'json.loads(\'{"device": "cpu"}\', object_hook=print)',
        "json.loads('{\"device\": ')",
    ],
)
def test_what_is_not_there_to_read_is_not_known(read: str) -> None:
    assert clashes(f"{HEAD}torch.nn.Linear(3, 3).to({read}['device'])(x)\n") == []


@pytest.mark.parametrize("layout", ["", ", indent=2", ", sort_keys=True"])
def test_what_was_written_down_comes_back_as_a_copy(layout: str) -> None:
    program = f"""
settings = {{"device": "cuda", "sizes": (3, 3), "rows": [[1], [2]]}}
other = json.loads(json.dumps(settings{layout}))
other["device"] = "cpu"
layer = torch.nn.Linear(*other["sizes"]).to(settings["device"])
layer(x)
layer(torch.ones(3, device=other["device"]))
"""
    assert clashes(HEAD + program) == ["11: device"]


def test_what_comes_back_is_what_python_has() -> None:
    assert not lies(
        """
        import json
        kept = {"a": [1.5, 2.0], "b": (True, None), "c": {"d": "e"}}
        text = json.dumps(kept)
        kept["a"].append(3.0)
        back = json.loads(text)
        first, pair, inner = back["a"], back["b"], back["c"]["d"]
        """
    )


@pytest.mark.parametrize(
    "written", ["json.dumps(kept, default=str)", "json.dumps(kept, cls=Own)", "str(kept)"]
)
def test_what_is_written_by_others_is_not_known(written: str) -> None:
    program = f"kept = {{'device': 'cpu'}}\ntorch.nn.Linear(3, 3).to(json.loads({written})['device'])(x)\n"
    assert clashes(HEAD + program) == []
