"""The tables of arguments, held against PyTorch's own schemas."""

from __future__ import annotations

import inspect

import pytest
import torch
from torch import nn

from devfix.tracebacks.signatures import CALLS, OPERATORS, ROLES, argument_role, before, roles

#: Operators that this release no longer has.
GONE = ("thnn_conv2d_forward",)


def tensor_arguments(name: str) -> list[list[str]]:
    """The tensor arguments of each overload of an operator."""
    bare = name.removeprefix("sparse.")
    names = (bare, f"_{bare}", f"{bare}_", f"_{bare}_")
    schemas = (schema for each in names for schema in torch._C._jit_get_schemas_for_operator(f"aten::{each}"))
    return [
        [argument.name for argument in schema.arguments if "Tensor" in str(argument.type)]
        for schema in schemas
    ]


@pytest.mark.parametrize("name", [name for name in OPERATORS if name not in GONE])
def test_arguments_stand_in_the_order_of_the_schema(name: str) -> None:
    overloads = tensor_arguments(name)
    assert overloads, "there is no such operator"
    wanted = OPERATORS[name]
    fitting = [names for names in overloads if [each for each in names if each in wanted] == list(wanted)]
    assert fitting, f"{wanted} is in none of {overloads}"


FUNCTIONS = {
    name: getattr(nn.functional, name)
    for name in CALLS
    if hasattr(nn.functional, name) and inspect.isfunction(getattr(nn.functional, name))
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_parameters_stand_in_the_order_of_the_function(name: str) -> None:
    try:
        own = list(inspect.signature(FUNCTIONS[name]).parameters)
    except ValueError:
        pytest.skip("it has no signature")
    known = CALLS[name]
    if own[:1] == ["input"] and known[0] == "x1":
        return
    assert [parameter for parameter in own if parameter in known] == [each for each in known if each in own]
    assert own.index(known[-1]) == len(known) - 1 or known[-1] not in own or len(known) == 1


def test_roles_are_those_of_as_many_arguments() -> None:
    for call, table in ROLES.items():
        for operator, found in table.items():
            assert len(found) <= len(OPERATORS[operator]), (call, operator)


@pytest.mark.parametrize(
    ("call", "operator", "argument", "role", "earlier"),
    [
        ("linear", "addmm", "mat1", "input", ("bias",)),
        ("linear", "mm", "mat2", "weight", ("input",)),
        ("embedding", "index_select", "index", "input", ("weight",)),
        ("cross_entropy", "nll_loss_forward", "target", "target", ("input",)),
        ("cross_entropy", "nll_loss2d_forward", "weight", "weight", ("input", "target")),
        ("layer_norm", "native_layer_norm", "weight", "weight", ("input",)),
        ("matmul", "mm", "mat2", "other", ("input",)),
        ("mv", "addmv", "mat", "input", ("vec",)),
        ("clamp", "clamp_Tensor", "min", "min", ("input",)),
        ("scatter_", "scatter__src", "src", "src", ("input", "index")),
        ("searchsorted", "Tensor_searchsorted", "self", "input", ("sorted_sequence",)),
        ("gather", "gather", "index", "index", ("input",)),
        ("", "unheard_of", "foo", "foo", ()),
    ],
)
def test_an_argument_means_an_operand(
    call: str, operator: str, argument: str, role: str, earlier: tuple[str, ...]
) -> None:
    assert argument_role(call, operator, argument) == role
    assert before(call, operator, argument) == earlier


def test_roles_of_a_call() -> None:
    assert roles("linear", "addmm") == ("bias", "input", "weight")
    assert roles("", "unheard_of") == ()
