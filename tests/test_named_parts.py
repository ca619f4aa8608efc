"""A mover that goes through a tuple of names moves a part as well that nobody has added to them."""

from __future__ import annotations

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

PROGRAM = """\
from dataclasses import dataclass, replace
from typing import Optional

import torch

{top}
@dataclass
class Batch:
    x: torch.Tensor
    y: torch.Tensor
    {more}

    {method}


{rest}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = torch.nn.Linear(3, 1).to(device)
batch = {made}(torch.ones(4, 3), torch.ones(4, 1), torch.ones(4, 4)).to(device)
print((torch.mm(batch.edges, model(batch.x)) - batch.y).sum().item())
"""
ALIKE = "def to(self, device):\n        return replace(self, **{name: getattr(self, name).to(device) for name in %s})"
NAMED = (
    "def to(self, device):\n        moved = {k: getattr(self, k).to(device) for k in %s}\n"
    "        return replace(self, **moved)"
)
ITSELF = (
    "def to(self, device):\n        for name in %s:\n"
    "            setattr(self, name, getattr(self, name).to(device))\n        return self"
)
EDGES = "edges: torch.Tensor"
HEIR = "@dataclass\nclass Graph(Batch):\n    edges: torch.Tensor\n\n\n"


def _changed(
    method: str, *, top: str = "", more: str = EDGES, rest: str = "", made: str = "Batch"
) -> set[str]:
    before = PROGRAM.format(top=top, more=more, method=method, rest=rest, made=made)
    after = fix_texts({"main.py": before}, Applicability.UNSAFE)[0]["main.py"]
    return set(after.splitlines()) - set(before.splitlines())


@pytest.mark.parametrize("method", [ALIKE, NAMED, ITSELF])
def test_a_class_that_has_the_names_gets_one_more(method: str) -> None:
    changed = _changed(method % "self.MOVED", more=f"{EDGES}\n\n    MOVED = ('x', 'y')")
    assert changed == {"    MOVED = ('x', 'y', 'edges')"}


@pytest.mark.parametrize("method", [ALIKE, ITSELF])
def test_so_does_a_list_of_the_file(method: str) -> None:
    assert _changed(method % "FIELDS", top='FIELDS = ["x", "y"]\n') == {'FIELDS = ["x", "y", "edges"]'}


@pytest.mark.parametrize("method", [ALIKE, NAMED, ITSELF])
@pytest.mark.parametrize(
    ("names", "longer"), [("('x', 'y')", "('x', 'y', 'edges')"), ('["x", "y"]', '["x", "y", "edges"]')]
)
def test_so_do_names_that_stand_in_the_mover(method: str, names: str, longer: str) -> None:
    changed = _changed(method % names)
    assert len(changed) == 1
    assert longer in changed.pop()


@pytest.mark.parametrize("method", [ALIKE, ITSELF])
def test_names_in_the_mover_stay_where_not_each_object_has_the_part(method: str) -> None:
    heirs = _changed(method % "('x', 'y')", more="kind = 0", rest=HEIR, made="Graph")
    missing = _changed(method % "('x', 'y')", more="edges: Optional[torch.Tensor] = None")
    assert heirs
    assert missing
    assert not any("'y', " in line for line in heirs | missing)


def test_where_each_name_has_a_line_the_new_one_has_too() -> None:
    changed = _changed(ITSELF % "FIELDS", top='FIELDS = (\n    "x",\n    "y",\n)\n')
    assert changed == {'    "edges",'}


@pytest.mark.parametrize("method", [ALIKE, ITSELF])
def test_a_derived_class_extends_the_names_of_its_base(method: str) -> None:
    changed = _changed(method % "self.MOVED", more='MOVED = ("x", "y")', rest=HEIR, made="Graph")
    assert changed == {'    MOVED = (*Batch.MOVED, "edges")'}


@pytest.mark.parametrize(
    ("names", "given"),
    [
        ("FIELDS", {"top": 'FIELDS = ("x", "y")\n', "rest": "print([len(name) for name in FIELDS])\n"}),
        ("FIELDS", {"top": 'FIELDS = ("x",) + ("y",)\n'}),
        ("FIELDS", {"top": 'FIELDS = ("x", "y")\n', "rest": HEIR, "made": "Graph", "more": "kind = 0"}),
        ("self.MOVED", {"more": 'edges: Optional[torch.Tensor] = None\n    MOVED = ("x", "y")'}),
        (
            "self.MOVED",
            {"more": f'{EDGES}\n    MOVED = ("x", "y")', "rest": "class Other:\n    MOVED = ('a',)\n\n"},
        ),
        ("Batch.MOVED", {"more": 'MOVED = ("x", "y")', "rest": HEIR, "made": "Graph"}),
    ],
    ids=[
        "read elsewhere",
        "no texts",
        "of a derived class",
        "missing at times",
        "of another class",
        "of the base alone",
    ],
)
@pytest.mark.parametrize("method", [ALIKE, ITSELF])
def test_names_that_serve_others_or_are_not_said_at_once_stay(
    method: str, names: str, given: dict[str, str]
) -> None:
    changed = _changed(method % names, **given)
    assert changed
    assert not any("FIELDS =" in line or "MOVED =" in line for line in changed)


@pytest.mark.parametrize("method", [ALIKE, NAMED, ITSELF])
def test_a_part_that_is_read_on_the_host_alone_stays(method: str) -> None:
    text = PROGRAM.format(
        top="", more=f'{EDGES}\n    MOVED = ("x", "y")', method=method % "self.MOVED", rest="", made="Batch"
    )
    text = text.replace("torch.mm(batch.edges, model(batch.x))", "model(batch.x)")
    text += "print(batch.edges.numpy().sum())\n"
    assert fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"] == text


def test_a_part_of_another_object_that_the_names_help_to_make_is_not_added() -> None:
    method = "def to(self, device):\n        return More(**{k: getattr(self, k).to(device) for k in FIELDS}, edges=torch.ones(4, 4))"
    more = "@dataclass\nclass More:\n    x: torch.Tensor\n    y: torch.Tensor\n    edges: torch.Tensor\n\n\n"
    assert 'FIELDS = ("x", "y", "edges")' not in _changed(method, top='FIELDS = ("x", "y")\n', rest=more)


_MADE = """\
import torch

{top}
class Batch:
    def __init__(self, x, edges=()):
        self.x = x
        {given}

    def join(self, edges):
        self.edges = edges
        return self

    def to(self, device):
        for name in {names}:
            setattr(self, name, getattr(self, name).to(device))
        return self


{heir}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print({other}(torch.ones(4)).join(torch.ones(4)).to(device).x.sum())
batch = Batch(torch.ones(4), torch.ones(4)).to(device)
print((batch.x - batch.edges).sum())
"""
_WITHOUT = "class Points(Batch):\n    def __init__(self, x):\n        self.x = x\n"
_WITH = "class Points(Batch):\n    def __init__(self, x):\n        super().__init__(x, x)\n"


@pytest.mark.parametrize("names", ["('x',)", "FIELDS"])
@pytest.mark.parametrize(
    ("given", "heir", "is_added"),
    [
        ("self.edges = edges", "", True),
        ("self.edges, self.kind = edges, 0", _WITH, True),
        ("self.edges = edges", _WITHOUT, False),
        ("if len(edges):\n            self.edges = edges", "", False),
    ],
)
def test_a_part_is_added_where_each_object_is_made_with_it(
    names: str, given: str, heir: str, is_added: bool
) -> None:
    top = "FIELDS = ('x',)\n\n" if names == "FIELDS" else ""
    other = "Points" if heir else "Batch"
    text = _MADE.format(top=top, names=names, given=given, heir=heir, other=other)
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert after != text
    assert (after == text.replace("('x',)", "('x', 'edges')")) == is_added
