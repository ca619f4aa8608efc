"""Successive analyses come to what a new one comes to, and find out little again."""

from __future__ import annotations

import pytest
from edited_packages import Packages
from test_growth import calls
from test_units import program_of, told

from devfix.analysis import analyse
from devfix.analysis.reuse.successive import Successive


@pytest.mark.parametrize("seed", range(6))
def test_each_comes_to_what_a_new_analysis_comes_to(seed: int) -> None:
    packages, successive = Packages(seed), Successive()
    texts = packages.package()
    for _ in range(8):
        assert told(successive(program_of(texts))) == told(analyse(program_of(texts)))
        texts = packages.edited(texts)


def test_of_a_program_that_has_nothing_but_a_script_nothing_is_kept() -> None:
    successive = Successive()
    for text in ("import torch\nx = torch.ones(3)\n", "import torch\ny = torch.ones(3)\n"):
        assert told(successive(program_of({"a.py": text}))) == told(analyse(program_of({"a.py": text})))


def test_what_an_edit_leaves_alone_costs_less_than_what_it_touches() -> None:
    body = "".join(f"    y{step} = torch.ones(3).to(x.device) + x * {step}\n" for step in range(20))
    texts = {
        f"m{number}.py": f"import torch\n\n\ndef use(x):\n{body}    return x\n\n\nDEVICE = 'cuda'\n"
        for number in range(12)
    }
    texts["main.py"] = "".join(f"import m{number}\n" for number in range(12)) + "import torch\n"
    successive = Successive()
    whole = calls("", lambda _: successive(program_of(texts)))
    edited = {**texts, "m3.py": texts["m3.py"].replace("x * 3", "x * 5")}
    assert calls("", lambda _: successive(program_of(edited))) < whole / 2
