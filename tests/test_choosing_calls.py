"""What meets something that was moved by a function of the program is moved by that function, too."""

from __future__ import annotations

import textwrap

import pytest
from text_program import fix_texts

from devfix.findings import Applicability

UTIL = """\
import torch


def dev():
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


def near(x):
    return x.device
"""
LOOP = """\
import torch
from torch import nn
IMPORT


class Loop:
    def __init__(self, model, batches):
        self.model = model.to(CALL)
        self.batches = batches
        self.weight = torch.linspace(0.5, 1, 3)

    def step(self):
        x, y = next(self.batches)
        return nn.functional.cross_entropy(self.model(x.to(CALL)), y.to(CALL), weight=self.weight)


def batches():
    while True:
        yield torch.randn(8, 4), torch.randint(0, 3, (8,))


print(Loop(nn.Linear(4, 3), batches()).step())
"""
MADE = "torch.linspace(0.5, 1, 3)"


def fixed(text: str, **more: str) -> str:
    """The program in the end, in which nothing is left to fix."""
    files = {"main.py": text, "util.py": UTIL, **{f"{name}.py": code for name, code in more.items()}}
    texts, reports = fix_texts(files, Applicability.UNSAFE)
    assert not any(report.findings for report in reports)
    return texts["main.py"]


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("import util", "util.dev()"),
        ("import util as u", "u.dev()"),
        ("from util import dev", "dev()"),
        ("from util import dev as where", "where()"),
        ("from again import dev", "dev()"),
    ],
)
def test_the_function_that_chose_is_asked_again(line: str, call: str) -> None:
    text = LOOP.replace("IMPORT", line).replace("CALL", call)
    made = MADE.replace(")", f", device={call})")
    assert fixed(text, again="from util import dev\n") == text.replace(MADE, made)


def test_a_function_that_is_given_something_is_not() -> None:
    text = LOOP.replace("IMPORT", "from util import dev, near").replace("model.to(CALL)", "model.to(dev())")
    text = text.replace("CALL", "near(next(self.model.parameters()))")
    assert "device=near" not in fixed(text)


def test_another_function_of_that_name_is_not() -> None:
    text = LOOP.replace("IMPORT", "from util import dev").replace("CALL", "dev()")
    text = text.replace("def __init__(self, model, batches):", "def __init__(self, model, batches, dev=dev):")
    text = text.replace("    def step", "        dev = str\n\n    def step")
    assert "device=dev()" not in fixed(text)


def test_a_module_is_where_its_parameters_are() -> None:
    text = """\
    import torch
    from torch import nn
    from util import dev

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)

        def forward(self):
            return self.fc(torch.ones(2, 4))

    print(Net().to(dev())())
    """
    assert "device=dev()" not in fixed(textwrap.dedent(text))


def test_nothing_is_asked_at_the_top_of_a_file_before_others_ask() -> None:
    text = "import torch\nfrom util import dev\n\nscale = torch.linspace(0.5, 1, 4)\nx = torch.randn(8, 4).to(dev())\n"
    assert fixed(f"{text}print(scale * x)\n") == f"{text}print(scale.to(x.device) * x)\n"
