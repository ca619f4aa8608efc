"""What PyTorch's own database of operators, which takes a while to load, says of dtypes is what the tables say."""

from __future__ import annotations

import torch
from fidelity import operator_rows

from devfix.analysis.torch_model.tensors import float_operations, narrow_floats


def test_what_floats_are_asked_of_is_what_torch_lists() -> None:
    """Its own database of operators says which dtypes each takes on the CPU, and which on CUDA."""
    whole = {torch.int64, torch.int32, torch.int16, torch.int8, torch.bool}
    listed: dict[str, tuple[bool, bool]] = {}
    for operator in operator_rows.database():
        if torch.float32 not in operator.dtypesIfCUDA or operator.variant_test_name == "with_dtype":
            continue  # what has no floats, and what is told to make some
        if operator.name.startswith("masked."):
            continue
        name = operator.name.rpartition(".")[2]
        on_host, there = listed.get(name, (False, False))
        listed[name] = on_host or bool(operator.dtypes & whole), there or bool(operator.dtypesIfCUDA & whole)
    everywhere = float_operations.OF_FLOATS | float_operations.TOGETHER
    there_alone = float_operations.OF_FLOATS_THERE | float_operations.TOGETHER_THERE
    assert [name for name in sorted(everywhere & listed.keys()) if any(listed[name])] == []
    assert [name for name in sorted(there_alone & listed.keys()) if listed[name][1]] == []
    assert len((everywhere | there_alone) & listed.keys()) > 0.8 * len(everywhere | there_alone)


def test_what_is_refused_is_what_torch_lists_for_accelerators() -> None:
    """Its own database of operators says which dtypes each takes on CUDA; it leaves out what it cannot compare there."""
    listed = {
        operator.name.rpartition(".")[2]: {
            str(dtype).removeprefix("torch.") for dtype in operator.dtypesIfCUDA
        }
        for operator in operator_rows.database()
        if not operator.variant_test_name and not operator.name.startswith("nn.")
    }
    known = {name: refused for name, (_, refused) in narrow_floats.REFUSED.items() if name in listed}
    assert len(known) > len(narrow_floats.REFUSED) - 3
    assert [name for name, refused in known.items() if refused & listed[name]] == []
