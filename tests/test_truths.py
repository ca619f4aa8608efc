"""Objects of the project's own classes count as true, unless their class tells otherwise."""

from __future__ import annotations

import pytest
from text_program import clashes

PROGRAM = """
import torch
from torch import nn

class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("factor", torch.ones(3))

    def undo(self, x):
        return x * self.factor


class Processor({base}):
    def __init__(self, scale=None):
        super().__init__()
        self.scale = scale
    {method}
    def after(self, x):
        if self.scale and {test}:
            return self.scale.undo(x)
        return x


processor = Processor(Scale())
{before}
processor.after(torch.ones(3).cuda())
"""


def program(
    base: str = "nn.Module",
    test: str = "not self.training",
    method: str = "",
    before: str = "",
) -> str:
    """A processor that undoes a scale on the CPU, once it is asked whether it has one."""
    return PROGRAM.format(base=base, test=test, method=method, before=before)


def test_what_a_module_does_only_in_evaluation_is_not_done_in_training() -> None:
    assert clashes(program()) == []


@pytest.mark.parametrize("base", ["nn.Module", "object"])
def test_what_is_never_done_is_no_fault(base: str) -> None:
    assert clashes(program(base=base, test="False")) == []


@pytest.mark.parametrize("before", ["processor.eval()", "processor.train(False)"])
def test_what_is_done_after_eval_is_one(before: str) -> None:
    assert clashes(program(before=before)) == ["11: device"]


def test_an_object_is_there_where_nothing_else_was_given() -> None:
    assert clashes(program(test="True")) == ["11: device"]


@pytest.mark.parametrize("special", ["__len__", "__bool__"])
def test_a_class_that_tells_its_length_may_be_empty(special: str) -> None:
    text = """
    import torch

    class Bag:
        def __init__(self, kept):
            self.kept = kept

        def {special}(self):
            return self.kept

    def train(kept, x):
        bag = Bag(kept)
        device = "cuda" if bag else "cpu"
        return torch.ones(3, device="cuda") + torch.ones(3, device=device)
    """
    assert clashes(text.format(special=special)) == []


def test_a_class_of_unknown_bases_may_be_empty() -> None:
    text = """
    import torch
    from frame import Base

    class Bag(Base):
        pass

    def train(x):
        if Bag():
            x = torch.ones(3)
        else:
            x = torch.ones(3).cuda()
        return x + torch.ones(3).cuda()
    """
    assert clashes(text) == []


DECIDED = """
import torch

x = torch.zeros(3)
net = torch.nn.Linear(3, 3)
net = net.half() if {test} else net
net(x)
"""
_ASKED = ['hasattr(net, "half")', "torch.backends.cudnn.enabled"]


@pytest.mark.parametrize("asked", _ASKED)
def test_what_the_last_operand_says_is_said_whatever_the_others_say(asked: str) -> None:
    assert clashes(DECIDED.format(test=f"{asked} and x.dtype is torch.float16")) == []
    assert clashes(DECIDED.format(test=f"not ({asked} or x.dtype is torch.float32)")) == []
    assert clashes(DECIDED.format(test=f"{asked} or x.dtype is torch.float32"))
