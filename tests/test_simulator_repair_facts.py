"""What the simulator tells whoever repairs a program: owners of parameters, names around a line, histories."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from devfix.simulator import simulated_accelerator


class Heads(nn.Module):
    """Keeps one head as it should be kept, and others in a plain list."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Linear(2, 2)
        self.others = [nn.Linear(2, 2)]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Use the first of the list."""
        return torch.as_tensor(self.others[0](self.trunk(x)))


def _mismatch(log: Any) -> dict[str, Any]:
    [found] = log.mismatches
    return dict(found)


def _blamed(found: dict[str, Any]) -> dict[str, Any]:
    return next(operand for operand in found["operands"] if operand["blamed"])


def test_the_largest_module_that_stayed_is_the_owner_and_its_line_is_known() -> None:
    with simulated_accelerator(heal=True) as machine:
        model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        model(torch.ones(1, 2).cuda())
        owners = _blamed(_mismatch(machine.log))["owners"]
    [owner] = [each for each in owners if each["path"] == "model"]
    assert (owner["class"], owner["whole"], owner["kept"]) == ("torch.nn.Sequential", True, None)
    assert owner["made"]["text"] == "model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())"


def test_a_plain_list_that_keeps_a_module_from_its_owner_is_told() -> None:
    with simulated_accelerator(heal=True) as machine:
        model = Heads().cuda()
        model(torch.ones(1, 2).cuda())
        owners = _blamed(_mismatch(machine.log))["owners"]
    kept = [each["kept"] for each in owners if each["kept"]]
    assert {"path": "self.others", "type": "list"} in kept


def test_names_tell_devices_tensors_modules_and_loaders() -> None:
    with simulated_accelerator(heal=True) as machine:
        device, words = torch.device("cuda"), "cuda:0"
        net, both = nn.Linear(2, 2).to(device), (torch.ones(1), torch.ones(1))
        loader: Any = torch.utils.data.DataLoader([torch.ones(1)])  # type: ignore[arg-type]
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        x = torch.ones(3)
        _ = x + torch.ones(3, device=device)
        names = _mismatch(machine.log)["names"][-1]
    assert (names["device"], names["words"], names["net"]) == (
        "device:cuda",
        "device:cuda:0",
        "module:cuda:0",
    )
    assert (names["x"], names["both"]) == ("tensor:cpu float32 3", "tensors:cpu")
    assert (names["loader"], names["optimizer"]) == ("loader", "optimizer")
    del words, both, loader, optimizer


def _maker(place: torch.device, size: int) -> torch.Tensor:
    shape = (size, place.index or 0)
    return torch.ones(shape[:1])


def test_names_are_known_where_a_tensor_was_made_though_the_function_has_returned() -> None:
    with simulated_accelerator(heal=True) as machine:
        _ = torch.ones(3).cuda() + _maker(torch.device("cuda"), 3)
        origins = _mismatch(machine.log)["origins"]
    assert [each["names"]["place"] for each in origins if "place" in each["names"]] == ["device:cuda"]


def test_an_optimizer_has_a_history() -> None:
    with simulated_accelerator(heal=True) as machine:
        model = nn.Linear(2, 1)
        optimizer = torch.optim.Adagrad(model.parameters())
        model.to("cuda")
        model(torch.ones(1, 2).cuda()).sum().backward()
        optimizer.step()
        history = _mismatch(machine.log)["history"]
    assert [history["built"][-1]["text"], history["moved"][-1]["text"]] == [
        "optimizer = torch.optim.Adagrad(model.parameters())",
        'model.to("cuda")',
    ]


class Late(nn.Module):
    """Makes a tensor before it is a module."""

    def __init__(self) -> None:
        start = torch.ones(2)
        super().__init__()
        self.start = start


@pytest.mark.parametrize("heal", [True, False])
def test_a_module_that_is_only_half_made_can_be_looked_at(heal: bool) -> None:
    with simulated_accelerator(heal=heal):
        assert Late().start.sum().item() == 2.0


def test_the_cpu_is_one_device_also_for_gradients_that_come_back_to_it() -> None:
    with simulated_accelerator() as machine:
        table = nn.Embedding(4, 2, sparse=True)
        optimizer = torch.optim.SparseAdam(list(table.parameters()))
        table(torch.tensor([1, 2])).to("cuda").sum().backward()
        optimizer.step()  # type: ignore[no-untyped-call]
        assert machine.log.mismatches == []
