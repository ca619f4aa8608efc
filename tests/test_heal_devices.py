"""Device mistakes, healed: one mistake at one line is one event, and no consequence is blamed on the innocent."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812 - as everybody writes it

from devfix.simulator import Machine, simulated_accelerator

D = "cuda"


@pytest.fixture
def machine() -> Iterator[Machine]:
    with simulated_accelerator(heal=True) as found:
        yield found


def blamed(mismatch: dict[str, Any]) -> list[dict[str, Any]]:
    return [operand for operand in mismatch["operands"] if operand["blamed"]]


class Positions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = torch.ones(4)
        self.layer = nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x + self.table)  # type: ignore[no-any-return]


def test_a_mistake_in_a_loop_is_one_event_with_a_count(machine: Machine) -> None:
    net = Positions().to(D)
    for _ in range(5):
        loss: Any = net(torch.randn(2, 4, device=D)).sum()
        loss.backward()
    [found] = machine.log.mismatches
    [operand] = blamed(found)
    assert (found["kind"], found["operation"], found["count"]) == ("device", "aten::add", 5)
    assert (operand["role"], operand["paths"], operand["device"]) == ("other", ["self.table"], "cpu")
    assert operand["made"]["by"] == "torch.ones"
    assert operand["made"]["place"]["text"] == "self.table = torch.ones(4)"


def test_the_place_of_a_sink_is_its_expression(machine: Machine) -> None:
    x, y = torch.ones(2, device=D), torch.ones(2)
    z = torch.sqrt(x * y) + 1
    [found] = machine.log.mismatches
    sink = found["sink"]
    assert sink["text"] == "z = torch.sqrt(x * y) + 1"
    if sink["column"] is not None:
        line = "    " + sink["text"]
        assert line[sink["column"] : sink["end_column"]] == "x * y"
    assert [place["function"] for place in found["stack"]][-1] == "test_the_place_of_a_sink_is_its_expression"
    assert z.device.type == D


def test_what_comes_of_a_mistake_is_on_the_accelerator(machine: Machine) -> None:
    out = torch.ones(2, device=D) * torch.ones(2)
    (out + torch.ones(2, device=D)).sum().item()
    assert len(machine.log.mismatches) == 1


def test_a_model_that_was_not_moved_is_one_mistake_at_each_line(machine: Machine) -> None:
    net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(3):
        labels = torch.zeros(8, dtype=torch.int64, device=D)
        loss: Any = F.cross_entropy(net(torch.randn(8, 4, device=D)), labels)
        loss.backward()
        optimizer.step()
    [found] = machine.log.mismatches
    assert {operand["device"] for operand in blamed(found)} == {"cpu"}
    assert found["operands"][0]["module"]["path"] == "net"


def test_two_mistakes_at_one_line_are_two_events(machine: Machine) -> None:
    weight, bias = torch.ones(3, 4), torch.ones(3)
    for _ in range(2):
        F.linear(torch.ones(2, 4, device=D), weight) + bias
    assert [found["operation"] for found in machine.log.mismatches] == ["aten::mm", "aten::add"]
    assert [found["count"] for found in machine.log.mismatches] == [2, 2]


def test_writing_in_place_leaves_the_tensor_where_it_is(machine: Machine) -> None:
    total = torch.zeros(2)
    for _ in range(3):
        total += torch.ones(2, device=D)
    [found] = machine.log.mismatches
    assert (found["count"], total.device.type, total.tolist()) == (3, "cpu", [3.0, 3.0])


def test_the_state_of_an_optimizer_left_behind_is_one_mistake(machine: Machine) -> None:
    net = nn.Linear(4, 3)
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    net.to(D)
    net(torch.ones(2, 4, device=D)).sum().backward()
    optimizer.step()
    [found] = machine.log.mismatches
    assert found["kind"] == "optimizer-state"
    assert found["sink"]["text"] == "optimizer.step()"


@pytest.mark.parametrize(
    ("kind", "act"),
    [
        ("numpy", lambda: torch.ones(2, device=D).numpy()),
        ("numpy", lambda: __import__("numpy").mean([torch.ones(1, device=D)])),
        ("generator", lambda: torch.randn(2, device=D, generator=torch.Generator())),
        ("pin", lambda: torch.ones(2, device=D).pin_memory()),
        ("legacy-constructor", lambda: torch.FloatTensor([1.0], device=D)),
        ("no-leaf", lambda: torch.optim.SGD([torch.ones(2, requires_grad=True).to(D)], 0.1)),
        (
            "no-leaf",
            lambda: nn.Module().register_parameter("w", nn.Parameter(torch.ones(2)).to(D)),  # type: ignore[arg-type]
        ),
        (
            "host-only",
            lambda: nn.utils.rnn.pack_padded_sequence(
                torch.ones(2, 3, 4, device=D), torch.tensor([3, 2], device=D), batch_first=True
            ),
        ),
        ("device", lambda: setattr(torch.ones(2, device=D, requires_grad=True), "grad", torch.ones(2))),
        ("device", lambda: torch.ones(4)[torch.tensor([0], device=D)]),
    ],
)
def test_everything_that_is_refused_goes_on(kind: str, act: Any, machine: Machine) -> None:
    act()
    assert [found["kind"] for found in machine.log.mismatches] == [kind]


def test_lengths_on_the_accelerator_are_named_by_the_program(machine: Machine) -> None:
    lengths = torch.tensor([2, 3], device=D)
    data = torch.ones(2, 3, 4, device=D)
    packed = nn.utils.rnn.pack_padded_sequence(data, lengths, batch_first=True, enforce_sorted=False)
    nn.GRU(4, 3).to(D)(packed)
    [found] = machine.log.mismatches
    [operand] = blamed(found)
    assert (operand["role"], operand["computed_from"]) == ("lengths", ["lengths"])


def test_an_expected_error_is_raised(machine: Machine) -> None:
    with pytest.raises(RuntimeError, match="same device"):
        torch.ones(2, device=D) + torch.ones(2)
    with pytest.raises(RuntimeError, match="dtype"):
        nn.Linear(4, 2)(torch.zeros(1, 4, dtype=torch.float64))
    assert machine.log.mismatches == []


def test_modules_with_a_hash_of_their_own_can_be_made(machine: Machine) -> None:
    class Metric(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.known = 1

        def __hash__(self) -> int:
            return self.known

    assert hash(copy.deepcopy(Metric())) == 1


def test_a_program_without_mistakes_shows_none(machine: Machine) -> None:
    net = nn.Sequential(nn.Embedding(9, 4), nn.Flatten(), nn.Linear(12, 2)).to(D)
    optimizer = torch.optim.AdamW(net.parameters())
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(torch.randint(0, 9, (8, 3)), torch.randint(0, 2, (8,))), batch_size=4
    )
    for ids, labels in loader:
        loss: Any = F.cross_entropy(net(ids.to(D)), labels.to(D))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    ids[torch.ones(4, dtype=torch.bool)].to(D)[torch.tensor([0, 1])] * torch.tensor(2)
    assert machine.log.mismatches == []


def test_a_checkpoint_of_a_device_that_is_not_there_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "weights.pt"
    with simulated_accelerator():
        torch.save(torch.ones(2, device=D), path)
    with simulated_accelerator("none", heal=True) as machine:
        loaded = torch.load(path)
        [found] = machine.log.mismatches
    assert (found["kind"], found["sink"]["text"]) == ("map-location", "loaded = torch.load(path)")
    assert loaded.tolist() == [1.0, 1.0]


class Moving(torch.utils.data.Dataset[torch.Tensor]):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> torch.Tensor:
        moved = torch.full((2,), float(index)).to(D)
        return moved * 2 + torch.ones(2, device=D)


def test_a_worker_that_uses_the_accelerator_is_named_by_the_lines_that_do(machine: Machine) -> None:
    torch.ones(1, device=D)
    for batch in torch.utils.data.DataLoader(Moving(), batch_size=2, num_workers=1):
        assert batch.shape == (2, 2)
    found = {mismatch["sink"]["text"]: mismatch["count"] for mismatch in machine.log.mismatches}
    assert found == {
        "moved = torch.full((2,), float(index)).to(D)": 4,
        "return moved * 2 + torch.ones(2, device=D)": 4,
    }
    assert {mismatch["kind"] for mismatch in machine.log.mismatches} == {"worker"}


def test_what_makes_the_host_wait_is_counted_by_line(machine: Machine) -> None:
    x: Any = torch.arange(6.0, device=D)
    for _ in range(3):
        x[x > 2].unique()
    waits = [t for t in machine.log.transfers if t["what"] == "synchronisation"]
    assert [(t["by"], t["count"]) for t in waits] == [("aten::index", 3), ("aten::_unique2", 3)]
    assert {t["place"]["text"] for t in waits} == {"x[x > 2].unique()"}


LAYERS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "conv1d": (lambda: nn.Conv1d(2, 3, 1), (1, 2, 5)),
    "conv_transpose2d": (lambda: nn.ConvTranspose2d(2, 3, 2), (1, 2, 4, 4)),
    "linear": (lambda: nn.Linear(4, 3), (2, 4)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_what_autocast_leaves_on_the_host_is_a_mistake_of_devices(name: str, machine: Machine) -> None:
    make, shape = LAYERS[name]
    net, x = make().to(D), torch.randn(shape)
    with torch.autocast(D):
        out = net(x)
    out.sum().backward()
    assert out.device.type == D
    assert [found["kind"] for found in machine.log.mismatches] == ["device"]
    assert {operand["made"]["by"] for operand in blamed(machine.log.mismatches[0])} == {"torch.randn"}


@pytest.mark.parametrize("name", LAYERS)
def test_what_autocast_finds_beside_the_weights_is_none(name: str, machine: Machine) -> None:
    make, shape = LAYERS[name]
    net, x = make().to(D), torch.randn(shape).to(D)
    with torch.autocast(D):
        net(x).sum().backward()
    make()(torch.randn(shape))  # all of it is on the host
    assert machine.log.mismatches == []


def test_parameters_of_two_devices_make_no_vector(machine: Machine) -> None:
    parameters = [nn.Parameter(torch.ones(2, device=D)), nn.Parameter(torch.ones(1))]
    assert nn.utils.parameters_to_vector(parameters).tolist() == [1.0, 1.0, 1.0]
    found = machine.log.mismatches[0]
    assert (found["kind"], found["error"]) == ("device", "TypeError")
    assert [each["made"]["place"]["text"] for each in blamed(found)] == [
        "parameters = [nn.Parameter(torch.ones(2, device=D)), nn.Parameter(torch.ones(1))]"
    ]


def test_what_a_pickle_held_was_not_loaded_by_torch(machine: Machine) -> None:
    statistics = pickle.loads(pickle.dumps({"mean": torch.ones(2)}))
    torch.ones(2, device=D) - statistics["mean"]
    torch.ones(2, device=D) - copy.deepcopy(statistics)["mean"]
    [operand] = blamed(machine.log.mismatches[0])
    assert (operand["made"]["kind"], operand["made"]["by"]) == ("other", "pickle.load")


@pytest.mark.parametrize("insist", [False, True])
def test_a_mistake_that_a_handler_answers_is_healed_only_on_demand(insist: bool) -> None:
    given = None
    with simulated_accelerator(heal=True, insist=insist) as machine:
        x, y = torch.ones(2, device=D), torch.ones(2)
        try:
            given = x + y
        except RuntimeError:
            machine.log.clear()
    assert (given is not None, len(machine.log.mismatches)) == (insist, int(insist))


def test_an_error_that_a_block_is_there_to_see_is_raised_on_demand_too() -> None:
    with simulated_accelerator(heal=True, insist=True) as machine:
        x, y = torch.ones(2, device=D), torch.ones(2)
        with pytest.raises(RuntimeError, match="same device"):
            x + y
    assert machine.log.mismatches == []
