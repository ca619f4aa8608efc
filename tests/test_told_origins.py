"""What a finding says of where its operands came from: places of the device where that does not fit, of the dtype where that does not."""

from __future__ import annotations

from textwrap import dedent

import pytest
from text_program import check_texts

HEAD = """\
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
"""


def told(text: str) -> dict[str, list[str]]:
    """For each message what its notes say."""
    found = check_texts({"main.py": HEAD + dedent(text)})
    return {finding.message: [note.text for note in finding.notes] for finding in found}


def test_a_loader_hands_out_its_batches() -> None:
    (notes,) = told(
        """
        for (batch,) in DataLoader(TensorDataset(torch.randn(8, 4))):
            model(batch)
        """
    ).values()
    assert "`DataLoader(TensorDataset(torch.randn(8, 4)))` hands out its batches here, on the CPU" in notes


def test_a_move_tells_where_to() -> None:
    (notes,) = told("print(torch.ones(2, device=device) * model(torch.ones(4).to(device)).cpu())").values()
    assert [note for note in notes if "moves" in note] == [
        "`model(torch.ones(4).to(device)).cpu()` moves to the CPU here",
    ]


def test_what_is_on_the_accelerator_moved_there() -> None:
    (notes,) = told("x = torch.ones(2).to(device)\nprint(x * torch.ones(2))").values()
    assert "`torch.ones(2).to(device)` moves to the accelerator here" in notes


@pytest.mark.parametrize(
    "moved", [".cpu()", '.to("cpu")', '.to(device="cpu", copy=True)', ".to(torch.half).cpu()"]
)
def test_what_was_brought_to_the_cpu_is_not_said_to_have_moved_to_the_accelerator(moved: str) -> None:
    found = told(f"kept = torch.ones(4){moved}\nresult = model(kept)\nprint(result + torch.ones(2))")
    beside = next(notes for message, notes in found.items() if "torch.ones(2)" in message)
    assert not [note for note in beside if "kept" in note or moved in note]
    assert any("moves to the CPU here" in note for notes in found.values() for note in notes)


@pytest.mark.parametrize("moved", [".cuda()", ".to('cuda:0')", ".to(device)"])
def test_what_is_computed_from_it_is_told_with_its_move(moved: str) -> None:
    (notes,) = told(f"kept = torch.ones(2){moved}\nresult = kept * 2\nprint(result + torch.ones(2))").values()
    assert f"`torch.ones(2){moved}` moves to the accelerator here" in notes


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("torch.from_numpy(np.random.rand(8, 4))", "is made of an array here, in float64"),
        ("torch.zeros(8, 4, dtype=torch.float64)", "is made here, in float64"),
        ("torch.randn(8, 4, dtype=torch.float64)", "is drawn here, in float64"),
        ("torch.ones(8, 4).double()", "is cast to float64 here"),
        ("torch.ones(8, 4).to(torch.float64)", "is cast to float64 here"),
    ],
)
@pytest.mark.parametrize("move", ["", ".to(device)"])
def test_a_dtype_is_told_from_where_it_comes_wherever_it_moved(made: str, expected: str, move: str) -> None:
    found = told(f"data = {made}\nx = data{move}\nnn.Linear(4, 2){move}(x)")
    layer = f"the parameters of `nn.Linear(4, 2){move}`"
    message = f"`x` is float64 and {layer} are float32, which PyTorch does not take together"
    notes = found[message]
    assert notes[-1] == f"`{made}` {expected}"
    assert not any("moves" in note or "CPU" in note for note in notes)


def test_a_loss_says_where_its_weight_and_where_it_is_computed() -> None:
    (message,) = told(
        """
        criterion = nn.CrossEntropyLoss(weight=torch.ones(2))
        criterion(model(torch.ones(3, 4, device=device)), torch.ones(3, dtype=torch.long, device=device))
        """
    )
    assert message == (
        "`torch.ones(2)`, the weight of the loss, stays on the CPU, while the loss is computed on the accelerator"
    )


def test_a_weight_that_a_function_is_given_is_no_layer_with_parameters() -> None:
    found = told("x, w = torch.from_numpy(np.ones((8, 4))), torch.ones(2, 4)\nnn.functional.linear(x, w)")
    assert list(found) == ["`x` is float64 and `w` is float32, which PyTorch does not take together"]


def test_what_is_made_on_the_accelerator_says_where() -> None:
    (notes,) = told("x = torch.ones(4, device=device)\ny = torch.zeros(4)\nprint(x * y)").values()
    assert "`torch.ones(4, device=device)` is made here, on the accelerator" in notes
    assert "`torch.zeros(4)` is made here, on the CPU" in notes


def test_what_lay_on_the_cpu_and_met_a_module_is_not_said_to_be_made_on_the_accelerator() -> None:
    found = told(
        """
        x, y = torch.randn(3, 4), torch.ones(3, 2)
        print(nn.functional.mse_loss(model(x), y))
        """
    )
    assert len(found) == 2
    assert not any("here, on the accelerator" in note for notes in found.values() for note in notes)


def test_a_number_beside_a_tensor_is_not_said_to_be_on_the_accelerator() -> None:
    (notes,) = told(
        """
        x = torch.ones(4, device=device) * torch.tensor(2.0)
        print(x * torch.zeros(4))
        """
    ).values()
    assert not any("torch.tensor" in note for note in notes)


def test_what_stands_in_one_list_is_told_apart() -> None:
    found = told("parts = [torch.ones(4, device=device), torch.zeros(4)]\nprint(torch.stack(parts))")
    assert list(found) == ["one of `parts` is on the CPU and meets another of them on the accelerator"]


def test_what_is_written_to_in_place_keeps_its_name() -> None:
    found = told("mean = torch.zeros(2)\nmean.mul_(0.9).add_(model(torch.ones(4, device=device)), alpha=0.1)")
    (message,) = found
    assert (
        message == "`mean` is on the CPU and meets `model(torch.ones(4, device=device))` on the accelerator"
    )


def test_what_is_made_of_weights_says_where() -> None:
    (found,) = check_texts(
        {
            "main.py": dedent(
                """
                import torch
                from torch import nn

                model = nn.Linear(4, 2)
                shadow = [p.detach().clone() for p in model.parameters()]
                model.to("cuda")
                for s, p in zip(shadow, model.parameters()):
                    s.mul_(0.9).add_(p, alpha=0.1)
                """
            )
        }
    )
    assert found.message == "`s` was made of weights before they moved, and meets `p` on the accelerator"
    assert "`p.detach().clone()` is made of its weights here" in [note.text for note in found.notes]


def test_a_constructor_that_refuses_the_accelerator_is_said_to_be_nowhere() -> None:
    (found,) = check_texts({"main.py": HEAD + "torch.FloatTensor([1.0], device=device)\n"})
    assert found.code == "DF504"
    assert (found.notes, found.marks) == ((), ())


def test_attributes_under_computed_names_are_called_what_they_are() -> None:
    (found,) = check_texts(
        {
            "main.py": dedent(
                """
                import torch
                from torch import nn

                class Kept(nn.Module):
                    def __init__(self):
                        super().__init__()
                        self.keep("scale", torch.ones(4))

                    def keep(self, name, value):
                        setattr(self, name, value)

                    def forward(self, x):
                        return x * self.scale

                Kept().cuda()(torch.ones(4).cuda())
                """
            )
        }
    )
    assert found.message.startswith("what `setattr` calls `name` is a plain attribute of `Kept`")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "i = torch.from_numpy(np.zeros(3))\nprint(torch.ones(4)[i.abs()])",
            "`i.abs()` is float64 and is used as an index, which has to be of integers",
        ),
        (
            "i = torch.zeros(3, dtype=torch.int32)\nprint(nn.functional.one_hot(i))",
            "`i` is int32 and is used as an index, which has to be int64 here",
        ),
        (
            "m = torch.ones(4)\nprint(torch.ones(4).masked_fill(m, 0.0))",
            "`m` is float32 and is used as a mask, which has to be bool",
        ),
        (
            "counts = torch.zeros(3, dtype=torch.int64)\ncounts /= 2",
            "`counts` is int64 and cannot hold the float that this operation writes to it",
        ),
        (
            "counts = torch.zeros(3, dtype=torch.int64)\nlow = torch.ones(3)\ncounts.clamp_(min=low)",
            "`low` is float32, and `counts`, which is bounded by it in place, is int64",
        ),
    ],
)
def test_a_dtype_that_is_refused_says_what_is_taken(text: str, message: str) -> None:
    (said,) = told(text)
    assert said.startswith(message)


def test_an_accelerator_whose_number_nobody_knows_is_the_accelerator() -> None:
    program = """
    import sys
    import torch

    net = torch.nn.Linear(3, 2).to(f"cuda:{int(sys.argv[1])}")
    print(net(torch.ones(4, 3)))
    """
    (finding,) = check_texts({"main.py": dedent(program)})
    assert "parameters: on the accelerator" in [mark.text for mark in finding.marks]
    assert any(note.text.endswith("moves to the accelerator here") for note in finding.notes)
