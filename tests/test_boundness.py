"""A device expression is only written where Python is certain to find the names in it."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest
from text_program import fix_texts

from devfix.analysis.text.outline import Outline
from devfix.findings import Applicability
from devfix.placement.devices.boundness import is_bound, is_set_before
from devfix.source import Source

BOUND = r"""
x = 1; HERE
if a:\n    x = 1\nelse:\n    x = 2\nHERE
for x in y:\n    HERE
with a as x:\n    HERE
with a as x:\n    pass\nHERE
[HERE for x in y]
[z for x in y for z in HERE]
[z for x in y if HERE]
def f(x):\n    HERE
def f(*, x):\n    return lambda: HERE
def f(x):\n    HERE\n    del x
def f(x):\n    for y in x:\n        HERE\n    del x
lambda x: HERE
x = 1\ndef f():\n    HERE
def f():\n    HERE\nx = 1\nf()
def f():\n    x = 1\n    def g():\n        HERE
def f():\n    def g():\n        HERE\n    x = 1\n    return g
import x\nHERE
from y import z as x\nHERE
def f():\n    global x\n    HERE\nx = 1
"""

UNBOUND = r"""
HERE; x = 1
if a:\n    x = 1\nHERE
for x in y:\n    pass\nHERE
for x in HERE:\n    pass
with HERE as x:\n    pass
[x for x in HERE]; HERE
[x for x in y]; HERE
[x for z in HERE for x in z]
x = 1; del x; HERE
def f(x):\n    del x\n    HERE
def f(x):\n    if y:\n        del x\n    HERE
def f(x):\n    while y:\n        HERE\n        del x
def f(x):\n    def g():\n        HERE\n    del x\n    return g
x = 1\ndef f():\n    HERE\n    x = 2
def f(x=HERE):\n    pass
def f():\n    HERE\nf()\nx = 1
def f():\n    HERE\ndef g():\n    f()\ng()\nx = 1
def f():\n    x = 1\nHERE
try:\n    x = 1\nexcept E:\n    pass\nHERE
x: int\nHERE
"""


def ask(text: str) -> bool:
    source = Source("main.py", text.replace("\\n", "\n") + "\n")
    here = [n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == "HERE"]
    return is_bound(Outline(source), here[-1], "x")


@pytest.mark.parametrize("text", [line for line in BOUND.split("\n") if line])
def test_bound(text: str) -> None:
    assert ask(text)


@pytest.mark.parametrize("text", [line for line in UNBOUND.split("\n") if line])
def test_not_bound(text: str) -> None:
    assert not ask(text)


CLASS = """
class A:
    def __init__(self):
        self.early()
        self.device = d
        self.late()
    def early(self):
        self.between()
    def between(self): pass
    def late(self): pass
    def never(self): pass
"""


@pytest.mark.parametrize(
    ("name", "is_set"), [("early", False), ("between", False), ("late", True), ("never", True)]
)
def test_attribute_in_methods_that_the_constructor_calls(name: str, is_set: bool) -> None:
    source = Source("main.py", CLASS)
    outline = Outline(source)
    (method,) = (n for n in ast.walk(source.tree) if isinstance(n, ast.FunctionDef) and n.name == name)
    assert is_set_before(outline, method, "device") is is_set


def test_generator_under_a_default_device() -> None:
    """The loop's and the comprehension's ``x`` are no names that the call above could read."""
    before = dedent(
        """
        import torch

        def main():
            torch.set_default_device("cuda")
            order = torch.randperm(6, generator=torch.Generator().manual_seed(1)).tolist()
            rows = torch.zeros(6, 2)
            for x in rows:
                print(x)
            print([x.sum() for x in rows], order)

        main()
        """
    )
    after, _ = fix_texts({"main.py": before})
    assert "torch.Generator(device=torch.get_default_device())" in after["main.py"]


def test_generator_under_a_default_tensor_type() -> None:
    """``get_default_device`` says "cpu" there: what a tensor without a device has is asked instead."""
    before = dedent(
        """
        import torch

        torch.set_default_tensor_type("torch.cuda.FloatTensor")
        order = torch.randperm(6, generator=torch.Generator().manual_seed(1)).tolist()
        print(order)
        """
    )
    after, _ = fix_texts({"main.py": before})
    assert "torch.Generator(device=torch.empty(0).device).manual_seed(1)" in after["main.py"]


EARLY = """
import torch

def shifted(size):
    offset = torch.zeros(size)
    def decorate(function):
        return lambda x: function(x) + offset
    return decorate

{early}
def doubled(x):
    return 2 * x

device = torch.device("cuda")
print(doubled(torch.ones(3).to(device)))
"""


@pytest.mark.parametrize(
    "early",
    ["@shifted(3)", "@globals()['shifted'](3)", "def other(x=shifted(3)): pass\n\n@other.__defaults__[0]"],
)
def test_what_a_definition_calls_runs_before_the_names_below_it(early: str) -> None:
    """A decorator runs when the function is defined: `device` is not there yet."""
    text = EARLY.format(early=early)
    after = fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]
    assert "torch.zeros(size, device=device)" not in after


def _branches(text: str) -> str:
    program = """
        import numpy as np
        import torch

        def shifted(x, device, mean=None, half=None):
            {branches}
            print(mean)
            return x - mean

        device = torch.device("cuda")
        shifted(torch.ones(1, 3, device=device), device, np.ones(3))
    """
    return dedent(program).replace("    {branches}", dedent(text).replace("\n", "\n    ").rstrip() + "\n")


@pytest.mark.parametrize(
    "branches",
    [
        """
        if mean is None:
            mean = torch.zeros(3).to(device)
        else:
            mean = torch.from_numpy(mean)
        """,
        """
        if mean is not None:
            mean = torch.from_numpy(mean)
        elif half is None:
            mean = torch.zeros(3, device=device)
        else:
            mean = torch.from_numpy(half).to(device)
        """,
    ],
)
def test_one_of_the_branches_that_all_give_a_name_its_value(branches: str) -> None:
    before = _branches(branches)
    after = before.replace("torch.from_numpy(mean)", "torch.from_numpy(mean).to(device)")
    assert fix_texts({"main.py": before})[0]["main.py"] == after


@pytest.mark.parametrize("last", ["half = torch.zeros(3).to(device)", "pass"])
def test_a_branch_beside_which_another_value_stays(last: str) -> None:
    before = _branches(f"""
        kept = mean
        mean = torch.ones(3, device=device)
        if half is None:
            mean = torch.from_numpy(kept)
        else:
            {last}
    """)
    assert ".from_numpy(kept).to" not in fix_texts({"main.py": before})[0]["main.py"]


def test_an_object_has_no_name_yet_while_it_is_made() -> None:
    text = dedent("""
    import torch
    from torch import nn

    class Trainer:
        def __init__(self, model):
            self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
            self.model = model

        def train(self):
            return self.model(torch.ones(1, 4).to(self.device))

    trainer = Trainer(nn.Linear(4, 3))
    trainer.train()
    """)
    after = fix_texts({"main.py": text})[0]["main.py"]
    assert after == text.replace("self.model = model\n", "self.model = model.to(self.device)\n")


SCRIPT = """
import torch

def train(data):
    model = torch.nn.Linear(3, 3)
    {read}
    return model(x).sum()

if __name__ == "__main__":
    {begin}
    train([1.0, 2.0, 3.0])
"""
CHOICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'


def _script(read: str, begin: str) -> tuple[str, str]:
    text = SCRIPT.format(read=read, begin=begin)
    return text, fix_texts({"main.py": text}, Applicability.UNSAFE)[0]["main.py"]


def test_what_a_script_begins_with_is_bound_in_functions_that_read_it_anyway() -> None:
    text, after = _script("x = torch.tensor(data).to(device)", CHOICE)
    assert after == text.replace("Linear(3, 3)\n", "Linear(3, 3).to(device)\n")


@pytest.mark.parametrize(
    ("read", "begin"),
    [
        ("x = torch.tensor(data).cuda()", CHOICE),  # imported, the function has no device
        ("x = torch.tensor(data).to(device)", f"started = train\n    {CHOICE}"),
        ("x = torch.tensor(data).to(device)", f"train([]) if False else None\n    {CHOICE}"),
        ("x = (lambda: torch.tensor(data).to(device))()", f"if torch:\n        {CHOICE}"),
    ],
)
def test_what_a_script_may_not_have_bound_is_not_asked_for(read: str, begin: str) -> None:
    _, after = _script(read, begin)
    assert "Linear(3, 3).to(device)" not in after


BASE = """import torch

class Task:
    def __init__(self):
        {first}
        {second}

    def build(self):
        raise NotImplementedError

    def score(self, x):
        return self.model(x.to(self.device)).sum()
"""
DERIVED = """import torch
from base import Task
from torch import nn

class Own(Task):
    def build(self):
        return nn.Linear(3, 2)

print(Own().score(torch.rand(4, 3)))
"""
OF_OBJECT = 'self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")'


@pytest.mark.parametrize(
    ("first", "second", "path", "line"),
    [
        ("self.model = self.build()", OF_OBJECT, "base.py", "        self.model.to(self.device)\n"),
        (
            OF_OBJECT,
            "self.model = self.build()",
            "main.py",
            "        return nn.Linear(3, 2).to(self.device)\n",
        ),
    ],
)
def test_a_method_that_the_constructor_of_a_base_calls_has_what_that_has_set_before(
    first: str, second: str, path: str, line: str
) -> None:
    texts = {"base.py": BASE.format(first=first, second=second), "main.py": DERIVED}
    after, reports = fix_texts(texts, Applicability.UNSAFE)
    assert not [finding for report in reports for finding in report.findings]
    assert [name for name in texts if texts[name] != after[name]] == [path]
    assert line in after[path]


def test_what_a_class_sets_after_the_constructor_of_its_base_is_not_there_when_that_calls_a_method() -> None:
    base = BASE.format(first="self.model = self.build()", second="self.steps = 0")
    derived = DERIVED.replace(
        "    def build",
        f"    def __init__(self):\n        super().__init__()\n        {OF_OBJECT}\n\n    def build",
    )
    after, reports = fix_texts({"base.py": base, "main.py": derived}, Applicability.UNSAFE)
    assert not [finding for report in reports for finding in report.findings]
    assert "nn.Linear(3, 2).to(self.device)" not in after["main.py"]
