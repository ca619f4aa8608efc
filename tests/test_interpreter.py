"""The interpreter: it follows a program wherever it goes, and finds what meets there."""

from __future__ import annotations

from textwrap import dedent

import pytest
from reality import lies
from text_program import Ending, analyse_text, clashes

from devfix.analysis import interpreter
from devfix.analysis.domain.lattice import ACCELERATOR
from devfix.analysis.domain.values import Const, Tensor

HEAD = """
import torch
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight = torch.ones(4, device=device)
"""


def faults(text: str) -> list[str]:
    """The text of the lines (after the head) on which something is wrong."""
    lines = (HEAD + dedent(text)).splitlines()
    return [lines[int(found.split(":")[0]) - 1].strip() for found in clashes("\n".join(lines) + "\n")]


def test_a_fault_deep_in_calls_is_found() -> None:
    assert faults("""
        def inner(x):
            return x * weight
        def outer(x):
            return inner(x)
        outer(torch.zeros(4))
        outer(torch.zeros(4).to(device))
    """) == ["return x * weight"]


def test_a_fault_in_each_place_is_found() -> None:
    assert faults("""
        class Thing:
            @property
            def area(self):
                return weight + torch.ones(4)
            def __enter__(self):
                return weight - torch.ones(4)
            def __exit__(self, *args):
                weight / torch.ones(4)
        with Thing() as thing:
            thing = Thing()
        thing.area
        list(weight * x for x in torch.ones(3, 4))
        try:
            pass
        finally:
            weight ** torch.ones(4)
        while weight.sum() < 3:
            weight @ torch.ones(4)
    """) == [
        "return weight + torch.ones(4)",
        "return weight - torch.ones(4)",
        "weight / torch.ones(4)",
        "list(weight * x for x in torch.ones(3, 4))",
        "weight ** torch.ones(4)",
        "weight @ torch.ones(4)",
    ]


def test_a_path_that_ends_does_not_count() -> None:
    assert (
        faults("""
        import sys
        def f(x):
            if x is None:
                raise ValueError
                weight * torch.ones(4)
            return x
        f(weight)
        sys.exit()
        weight * torch.ones(4)
    """)
        == []
    )


def test_what_is_tried_is_judged_and_its_rescue_is_not() -> None:
    """The program under analysis is the one that runs through."""
    assert faults("""
        try:
            x = weight * torch.ones(4)
        except RuntimeError:
            x = weight / torch.ones(4)
    """) == ["x = weight * torch.ones(4)"]


def test_two_paths_to_one_use_make_it_unknown() -> None:
    assert (
        faults("""
        import os
        if os.environ.get("FAST"):
            x = torch.ones(4)
        else:
            x = torch.ones(4, device=device)
        weight * x
    """)
        == []
    )


def test_the_second_round_of_a_loop_sees_the_first() -> None:
    assert faults("""
        state = None
        for step in range(100):
            if state is not None:
                weight * state
            state = torch.zeros(4)
    """) == ["weight * state"]


def test_a_loop_that_heals_itself_is_right() -> None:
    assert (
        faults("""
        hidden = torch.zeros(4)
        for step in range(100):
            hidden = hidden.to(device)
            hidden = hidden * weight
    """)
        == []
    )


def test_flags_choose_the_accelerator() -> None:
    assert faults("""
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--no-cuda", action="store_true")
        args = parser.parse_args()
        args.cuda = not args.no_cuda and torch.cuda.is_available()
        x = torch.zeros(4)
        if args.cuda:
            x = x.cuda()
        weight * x
        y = torch.zeros(4)
        weight * y
    """) == ["weight * y"]


def test_modules_of_the_project_are_followed() -> None:
    main = """
        from helper import shifted, DEVICE
        import torch
        x = torch.ones(3).to(DEVICE)
        shifted(x)
    """
    helper = """
        import torch
        DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
        def shifted(x):
            return x + torch.zeros(3)
    """
    assert clashes(main, helper=helper) == ["helper.py:5: device"]


def test_a_module_is_run_once_and_shared() -> None:
    main = """
        import counter
        import other
        answer = counter.n
    """
    other = """
        import counter
        counter.n = counter.n + 1
    """
    assert Ending(main, other=other, counter="n = 1")["answer"] == Const(2)
    assert lies(main, other=other, counter="n = 1") == []


def test_modules_that_import_each_other_end() -> None:
    assert clashes("import a\n", a="import b\nx = 1\n", b="import a\ny = 2\n") == []


def test_functions_that_nobody_calls_are_judged() -> None:
    assert faults("""
        def never_called(n):
            return weight * torch.ones(4)
    """) == ["return weight * torch.ones(4)"]


def test_forward_of_a_module_that_nobody_builds_is_judged() -> None:
    assert clashes("""
        import torch
        from torch import nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(3, 3)
            def forward(self, x):
                x = self.layer(x)
                return x + torch.zeros(3)
    """) == ["10: device"]


def test_an_unknown_argument_makes_no_fault() -> None:
    assert (
        faults("""
        def never_called(x, y):
            return x * y + weight * x
    """)
        == []
    )


def test_too_much_code_ends_the_run_in_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
        def f0(): return [f1() for _ in range(3)]
        def f1(): return f2() or f2() or f2()
        def f2():
            for i in range(3):
                for j in range(3):
                    pass
        for k in range(9):
            f0()
        weight * torch.ones(4)
    """
    assert faults(text) == ["weight * torch.ones(4)"]
    monkeypatch.setattr(interpreter, "STEP_LIMIT", 20)
    assert faults(text) == []


@pytest.mark.parametrize("depth", [10, 300])
def test_deep_chains_of_calls_end(depth: int) -> None:
    chain = [f"def f{n}(x): return f{n + 1}(x)" for n in range(depth)]
    text = "\n".join([*chain, f"def f{depth}(x): return x", "y = f0(1)", "z = 1"])
    assert Ending(text)["z"] == Const(1)
    assert lies(text) == []


def test_endless_recursion_ends() -> None:
    text = """
        def f(x):
            return f(x + 1)
        def g(*args):
            return g(*args, args)
        try:
            f(0)
            g()
        except RecursionError:
            pass
        z = 1
    """
    assert Ending(text)["z"] == Const(1)


def test_the_life_of_a_value_is_told() -> None:
    facts = analyse_text(HEAD + "\ndef f(y):\n    return y * weight\nx = torch.ones(4)\nz = x\nf(z)\n")
    (mismatch,) = facts.mismatches()
    host = next(operand for operand in mismatch.operands if operand.device == "cpu")
    assert [site.kind for site in host.trail] == ["factory", "name", "name", "argument"]
    assert [site.span.line for site in host.trail] == [8, 8, 9, 6]
    assert (host.text, host.trail[0].text) == ("y", "torch.ones(4)")


def test_a_move_to_the_device_is_followed() -> None:
    end = Ending(HEAD + "x = torch.ones(4)\ny = x.to(device)\nz = x.cuda()\n")
    claims = [end[name] for name in "xyz"]
    assert all(isinstance(claim, Tensor) for claim in claims)
    assert [claim.device == ACCELERATOR for claim in claims if isinstance(claim, Tensor)] == [
        False,
        True,
        True,
    ]


SEVERAL = """
import sys
import torch

class Store:
    def __init__(self, path):
        if path is None:
            raise ValueError(path)
        self.grouping = "legacy"

class Unfinished(Store):
    def __init__(self, path):
        super().__init__(path)
        raise NotImplementedError

def create(kind, path):
    if path == "x":
        return {"a": Unfinished, "b": Store}[kind](path)
    if path == "y":
        return Unfinished(path)
    return Store(path)

grouping = create(sys.argv[1], sys.argv[2]).grouping
x = torch.ones(2).cuda()
layer = torch.nn.Embedding(2, 2) if len(sys.argv) > 4 else torch.nn.Linear(2, 2)
"""


def test_what_is_returned_by_a_call_that_raises_is_not_there() -> None:
    assert Ending(SEVERAL)["grouping"] == Const("legacy")


def test_what_one_of_several_values_fails_with_is_no_mismatch() -> None:
    assert clashes(SEVERAL + "layer.cuda()(x)\n") == []


def test_what_each_of_several_values_fails_with_is_one() -> None:
    found = clashes(SEVERAL + "layer(x)\n")
    assert set(found) == {"26: device"}


def test_what_a_handler_returns_is_not_what_the_program_goes_on_with() -> None:
    text = HEAD + dedent(
        """
        class Ahead:
            def __init__(self, batches):
                self.batches = iter(batches)
                self.load()

            def load(self):
                try:
                    self.batch = next(self.batches)
                except StopIteration:
                    self.batch = None
                    return
                self.batch = self.batch.to(device)

        ahead = Ahead([torch.ones(4), torch.ones(4)])
        print(weight * ahead.batch)
        """
    )
    assert clashes(text) == []
