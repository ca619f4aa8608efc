"""Functions that code from outside calls back are looked at where they are handed over."""

from __future__ import annotations

import pytest
from test_adoption import adopted
from text_program import clashes, files

SEARCH = """
import scipy.optimize
import torch

net = torch.nn.Linear(3, 1){moved}
x = torch.ones(4, 3){there}


def search():
    target = torch.zeros(4, 1)

    def loss_of(flat):
        return (net(x) - {target}).pow(2).mean().item()

    scipy.optimize.minimize({handed}, [0.0])


search()
"""


def text(handed: str = "loss_of", target: str = "target") -> str:
    return SEARCH.format(moved=".cuda()", there=".cuda()", handed=handed, target=target)


@pytest.mark.parametrize("handed", ["loss_of", "lambda flat: loss_of(flat)"])
def test_a_closure_that_a_stranger_calls_is_followed(handed: str) -> None:
    assert clashes(text(handed)) == ["13: device"]


def test_a_method_that_a_stranger_calls_is_followed() -> None:
    found = clashes(
        """
        import optuna
        import torch

        class Search:
            def __init__(self):
                self.net = torch.nn.Linear(3, 1).cuda()
                self.x = torch.ones(4, 3)

            def objective(self, trial):
                return self.net(self.x).sum().item()

        search = Search()
        optuna.create_study().optimize(search.objective, n_trials=3)
        """
    )
    assert found == ["11: device"]


@pytest.mark.parametrize(
    ("handed", "target"),
    [
        ("loss_of", "target.to(x.device)"),  # it is right
        ("loss_of(0) and str", "target.cuda()"),  # it is called, and not handed over
    ],
)
def test_what_is_right_is_left_alone(handed: str, target: str) -> None:
    assert clashes(text(handed, target)) == []


def test_what_a_stranger_calls_leaves_nothing_behind() -> None:
    found = clashes(
        """
        import atexit
        import torch

        kept = {"x": torch.ones(3).cuda()}

        def leave():
            kept["x"] = kept["x"].cpu()

        atexit.register(leave)
        print(kept["x"] + torch.ones(3).cuda())
        """
    )
    assert found == []


def test_what_a_closure_brings_back_comes_along_in_an_adopted_program() -> None:
    program = SEARCH.format(moved="", there="", handed="loss_of", target="target")
    program = program.replace(".item()", ".data.double().numpy()")
    after = adopted(files(program))["main.py"]
    assert "target = torch.zeros(4, 1, device=device)" in after
    assert ".mean().data.double().cpu().numpy()" in after


def test_a_vector_goes_to_where_the_parameters_are_that_take_its_memory() -> None:
    program = """
    import torch
    from torch.nn.utils import parameters_to_vector, vector_to_parameters

    net = torch.nn.Linear(3, 1)
    start = parameters_to_vector(net.parameters()).detach().numpy()
    vector_to_parameters(torch.Tensor(start * 2), net.parameters())
    print(net(torch.ones(2, 3)).sum().item())
    """
    after = adopted(files(program))["main.py"]
    assert "vector_to_parameters(torch.Tensor(start * 2).to(device), net.parameters())" in after
    assert clashes(program.replace("(3, 1)", "(3, 1).cuda()").replace(".detach()", ".detach().cpu()")) == []


MINIMISER = """
import scipy.optimize
import torch


def minimise(closure):
    def asked(flat):
        return float(closure())

    scipy.optimize.minimize(asked, [0.0])


def demonstrate():
    net, x = torch.nn.Linear(3, 1).cuda(), torch.ones(4, 3).cuda()
    minimise(lambda: net(x).sum())


if __name__ == "__main__":
    demonstrate()
"""
FITTING = """
import torch
from minimiser import minimise


def fit(net, x):
    def closure():
        return net(x).sum()

    minimise(closure)
    return net


net = torch.nn.Linear(3, 1).cuda()
fit(net, torch.ones(4, 3){there})
{again}
"""


def fitting(there: str, again: str = "") -> str:
    return FITTING.format(there=there, again=again)


@pytest.mark.parametrize("first", ["main", "zoo"])
def test_each_function_that_a_closure_calls_is_followed(first: str) -> None:
    assert clashes(**{first: fitting(""), "minimiser": MINIMISER}) != []


def test_the_functions_that_two_closures_call_are_both_followed_in_one_script() -> None:
    again = "other = torch.ones(4, 3)\nminimise(lambda: net(other).sum())"
    assert clashes(main=fitting(".cuda()", again), minimiser=MINIMISER) != []


def test_closures_that_are_right_are_left_alone() -> None:
    again = "other = torch.ones(4, 3).cuda()\nminimise(lambda: net(other).sum())"
    assert clashes(main=fitting(".cuda()", again), minimiser=MINIMISER) == []
