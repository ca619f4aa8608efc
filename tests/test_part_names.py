"""The keys of dicts of modules: a ``ModuleDict`` refuses those that its own attributes are called, and all that are no names."""

from __future__ import annotations

from dataclasses import replace
from textwrap import indent
from typing import Any

import pytest
import torch
from reality import run
from text_program import analyse_text, check_texts, clashes, fix_texts
from torch import nn

from devfix.analysis.torch_model.modules import part_names
from devfix.findings import Applicability
from devfix.placement.modules.module_container import container_fix

PROGRAM = """\
import torch
from torch import nn


def build(names):
    return {{name: nn.Linear(4, 4) for name in names}}


class Net(nn.Module):
    def __init__(self, names=("one", "two")):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.names = names
{made}

    def forward(self, x):
        x = self.inner(x)
        for name in self.names:
            x = self.parts[name](x)
        return x


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Net({names}).to(device)
y = net(torch.ones(2, 4, device=device))
"""
BESIDE = "\nself.parts_modules = nn.ModuleList(self.parts.values())"


def program(made: str, names: object) -> str:
    return PROGRAM.format(made=indent(made, " " * 8), names=names)


def fixed(text: str) -> str:
    return fix_texts({"main.py": text}, wanted=Applicability.UNSAFE)[0]["main.py"]


@pytest.mark.parametrize("container", [nn.ModuleDict, nn.ParameterDict])
def test_a_name_fits_where_the_containers_take_it(container: type[Any]) -> None:
    part: Any = nn.Linear(1, 1) if container is nn.ModuleDict else nn.Parameter(torch.ones(1))
    every = {
        *dir(nn.ModuleDict()),
        *dir(nn.ParameterDict()),
        "",
        "a.b",
        1,
        ("a", "b"),
        None,
        "one",
        "train_",
        "x y",
    }
    for key in every:
        held = container()
        try:
            held[key] = part
        except (AttributeError, KeyError, TypeError):
            assert not part_names.is_fit(key), key
    assert all(map(part_names.is_fit, ("one", "train_", "x y")))


@pytest.mark.parametrize(
    "made",
    [
        "self.parts = {name: nn.Linear(4, 4) for name in names}",
        "self.parts = build(names)",
        "self.parts = dict(zip(names, [nn.Linear(4, 4) for _ in names]))",
        "self.parts = {}\nfor name in names:\n    self.parts[name] = nn.Linear(4, 4)",
        "parts = {}\nfor name in names:\n    parts[name] = nn.Linear(4, 4)\nself.parts = parts",
        "self.parts = {}\nself.parts.update((name, nn.Linear(4, 4)) for name in names)",
    ],
)
@pytest.mark.parametrize(
    "names", [("train", "val"), ("one", "type"), ("values", "two"), ("a.b", "two"), (1, 2)]
)
def test_what_is_kept_under_other_keys_is_registered_beside(made: str, names: object) -> None:
    before, wanted = program(made, names), program(made + BESIDE, names)
    assert clashes(before)
    assert fixed(before) == wanted
    assert clashes(wanted) == []
    names_after = run(wanted)
    assert torch.equal(names_after["y"], run(before)["y"])
    assert len(list(names_after["net"].parameters())) == 6


@pytest.mark.parametrize(
    ("made", "after"),
    [
        (
            "self.parts = {name: nn.Linear(4, 4) for name in names}",
            "self.parts = nn.ModuleDict({name: nn.Linear(4, 4) for name in names})",
        ),
        ("self.parts = build(names)", "self.parts = nn.ModuleDict(build(names))"),
        (
            "self.parts = {}\nfor name in names:\n    self.parts[name] = nn.Linear(4, 4)",
            "self.parts = nn.ModuleDict()\nfor name in names:\n    self.parts[name] = nn.Linear(4, 4)",
        ),
    ],
)
def test_names_that_are_known_to_fit_are_those_of_parts(made: str, after: str) -> None:
    names = ("one", "training_part")
    assert fixed(program(made, names)) == program(after, names)


def test_keys_that_nobody_knows_may_be_refused() -> None:
    made = "self.parts = {name: nn.Linear(4, 4) for name in names}"
    names = "open('names.txt').read().split()"
    assert fixed(program(made, names)) == program(made + BESIDE, names)


def test_one_object_of_a_class_has_keys_that_are_refused() -> None:
    made = "self.parts = {name: nn.Linear(4, 4) for name in names}"
    text = program(made, ("one", "two"))
    other = 'other = Net(("eval", "two")).to(device)\nother(y)\n'
    assert fixed(text + other) == program(made + BESIDE, ("one", "two")) + other


def test_an_empty_text_is_no_name() -> None:
    made = "self.parts = {name: nn.Linear(4, 4) for name in names}"
    assert fixed(program(made, ("", "two"))) == program(made + BESIDE, ("", "two"))


def test_what_gets_more_in_another_method_stays_as_it_is() -> None:
    made = """self.parts = {"train": nn.Linear(4, 4)}

def add(self, name):
    self.parts[name] = nn.Linear(4, 4)"""
    text = program(made, ("train",))
    assert clashes(text)
    assert fixed(text) == text


@pytest.mark.parametrize(
    ("made", "fit"),
    [
        ("{name: nn.Linear(4, 4) for name in ('one', 'two')}", True),
        ("{'one': nn.Linear(4, 4), 'two': nn.Linear(4, 4)}", True),
        ("{name: nn.Linear(4, 4) for name in ('one', 'train')}", False),
        ("{'one': nn.Linear(4, 4), 'eval': nn.Linear(4, 4)}", False),
        ("{name: nn.Linear(4, 4) for name in names}", False),
        ("build(names)", False),
    ],
)
def test_what_a_run_tells_of_has_the_keys_that_are_written(made: str, fit: bool) -> None:
    """A run tells which modules stayed behind, and not what else the dict holds."""
    facts = analyse_text(program(f"self.parts = {made}", ("one",)))
    (found,) = facts.mismatches()
    detail = tuple(pair for pair in found.detail if pair[0] not in ("keys", "rows"))
    fix = container_fix(facts, replace(found, detail=detail), found.operands[0])
    assert fix is not None
    assert ("ModuleDict" in fix.title) is fit
    assert ("register" in fix.title) is not fit


def test_parameters_are_kept_under_names_as_well() -> None:
    text = program('self.parts = {"train": nn.Parameter(torch.ones(4))}', ("train",))
    text = text.replace("self.parts[name](x)", "x * self.parts[name]")
    after = fixed(text)
    assert "self.parts_modules = nn.ParameterList(self.parts.values())" in after
    assert check_texts({"main.py": after}) == []
    assert len(list(run(after)["net"].parameters())) == 3
    named = text.replace('"train"', '"scale"').replace("'train'", "'scale'")
    assert 'nn.ParameterDict({"scale": nn.Parameter(torch.ones(4))})' in fixed(named)


@pytest.mark.parametrize(
    ("made", "names"),
    [
        ("{name: nn.Linear(4, 4) for name in names}", ("train", "two")),
        ("{name: nn.Linear(4, 4) for name in names}", ("one", "two")),
        ('{"one": nn.Linear(4, 4), "two": nn.Linear(4, 4)}', ("one", "two")),
        ("[nn.Linear(4, 4) for name in names]", (0, 1)),
    ],
)
def test_nothing_is_registered_before_the_module_has_begun(made: str, names: object) -> None:
    text = program(f"self.parts = {made}", names)
    begin = "        super().__init__()\n"
    lines = text.replace(begin, "")
    inner = "        self.inner = nn.Linear(4, 4)\n"
    kept = f"        self.parts = {made}\n"
    late = lines.replace(inner, "").replace(kept, kept + begin + inner)
    assert late.count(begin) == 1
    assert clashes(late)
    after = fixed(late)
    assert "ModuleList" not in after
    assert "ModuleDict" not in after
    assert "nn.Module" in fixed(text).partition("self.parts")[2]  # where the module has begun
