"""What runs as an object is made: its constructors, what they call, and perhaps what they name."""

from __future__ import annotations

import ast

from text_program import analyse_text

from devfix.analysis.record.facts import Facts
from devfix.placement.devices import constructed

PROGRAM = """
class Base:
    def __init__(self):
        self.begin()
        self.apply(self.fill)

    def begin(self):
        self.prepare()

    def apply(self, function):
        function(self)

    def later(self):
        self.begin()
        self.end()


class Net(Base):
    def __post_init__(self):
        self.on_end = self.end

    def prepare(self):
        self.build()

    def build(self):
        pass

    def fill(self, part):
        self.weight = 0

    def end(self):
        pass
"""


def _class(facts: Facts, name: str) -> ast.ClassDef:
    classes = (node for node in facts.source("main.py").tree.body if isinstance(node, ast.ClassDef))
    return next(node for node in classes if node.name == name)


def _runs(facts: Facts, *, perhaps: bool) -> set[str]:
    own = {"begin", "apply", "later", "prepare", "build", "fill", "end"}
    return own & constructed.run_as_made(facts, _class(facts, "Net"), perhaps=perhaps)


def test_what_constructors_call_runs_and_what_they_name_may() -> None:
    facts = analyse_text(PROGRAM)
    assert _runs(facts, perhaps=False) == {"begin", "apply", "prepare", "build"}
    assert _runs(facts, perhaps=True) == {"begin", "apply", "prepare", "build", "fill", "end"}


def test_what_is_named_elsewhere_as_well_runs_later_too() -> None:
    facts = analyse_text(PROGRAM)
    outline = facts.outline("main.py")
    methods = {
        node.name: node
        for each in ("Base", "Net")
        for node in _class(facts, each).body
        if isinstance(node, ast.FunctionDef)
    }
    alone = {name for name, node in methods.items() if constructed.is_of_constructors(facts, outline, node)}
    assert alone == {"__init__", "__post_init__", "apply", "fill"}
