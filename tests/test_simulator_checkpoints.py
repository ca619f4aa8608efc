"""Checkpoints under the simulator: files that other machines read and wrote, and resumed training."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from devfix.simulator import simulated_accelerator

WRITTEN_ON_H200 = Path(__file__).parent / "data" / "written_on_h200.pt"
_NO_CUDA = (
    r"Attempting to deserialize object on a CUDA device but torch.cuda.is_available\(\) is False. "
    r"If you are running on a CPU-only machine, please use torch.load with map_location=torch.device\('cpu'\) "
    "to map your storages to the CPU."
)


def _saved(content: Any, **options: Any) -> io.BytesIO:
    file = io.BytesIO()
    torch.save(content, file, **options)
    file.seek(0)
    return file


def test_a_file_written_on_a_gpu_is_read() -> None:
    with simulated_accelerator():
        loaded = torch.load(WRITTEN_ON_H200)
        assert loaded.device == torch.device("cuda:0")
        assert loaded.tolist() == [1.0, 1.0]
        with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
            loaded.numpy()


@pytest.mark.parametrize("legacy", [False, True])
def test_what_is_saved_needs_a_gpu_elsewhere(legacy: bool) -> None:
    with simulated_accelerator():
        file = _saved({"x": torch.ones(2, device="cuda")}, _use_new_zipfile_serialization=not legacy)
    with pytest.raises(RuntimeError, match=_NO_CUDA):
        torch.load(file)
    file.seek(0)
    assert torch.load(file, map_location="cpu")["x"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("where", [None, "cuda", "cuda:0", {"cuda:0": "cuda:0"}])
def test_a_machine_without_accelerator_says_so(where: Any) -> None:
    with simulated_accelerator("none"), pytest.raises(RuntimeError, match=_NO_CUDA):
        torch.load(WRITTEN_ON_H200, map_location=where)
    with simulated_accelerator("none"):
        assert torch.load(WRITTEN_ON_H200, map_location="cpu").device.type == "cpu"
        assert torch.load(WRITTEN_ON_H200, map_location=lambda storage, _: storage).device.type == "cpu"


def test_two_devices_keep_their_numbers() -> None:
    with simulated_accelerator(count=2):
        file = _saved([torch.ones(2, device="cuda:1"), torch.zeros(2, device="cuda:0")])
        assert [str(t.device) for t in torch.load(file)] == ["cuda:1", "cuda:0"]
        file.seek(0)
        assert [str(t.device) for t in torch.load(file, map_location={"cuda:1": "cuda:0"})] == ["cuda:0"] * 2
    file.seek(0)
    with (
        simulated_accelerator(),
        pytest.raises(RuntimeError, match=r"device 1 but torch.cuda.device_count\(\) is 1"),
    ):
        torch.load(file)


def test_mps_checkpoints_are_tagged_so() -> None:
    with simulated_accelerator("mps"):
        file = _saved(torch.ones(2, device="mps"))
        assert torch.load(file).device == torch.device("mps:0")
        file.seek(0)
        assert torch.load(file, map_location="cpu").numpy().tolist() == [1.0, 1.0]


def test_loading_to_a_device_is_a_copy_to_it() -> None:
    file = _saved(torch.ones(2))
    with simulated_accelerator() as machine:
        torch.load(file, map_location="cuda")
        copies = [(t["what"], t["bytes"]) for t in machine.log.transfers]
    assert copies == [("host-to-device", 8)]


def test_what_is_loaded_remembers_it() -> None:
    file = _saved({"x": torch.ones(2)})
    with simulated_accelerator(heal=True) as machine:
        loaded = torch.load(file)["x"]
        loaded + torch.zeros(2, device="cuda")
        [mismatch] = machine.log.mismatches
    [made] = [operand["made"] for operand in mismatch["operands"] if operand["blamed"]]
    assert (made["kind"], made["by"]) == ("checkpoint", "torch.load")
    assert made["place"]["text"] == 'loaded = torch.load(file)["x"]'


class _Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.3))
        self.head = nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.head(self.body(x))
        return found


def _optimizer(kind: str, net: nn.Module) -> torch.optim.Optimizer:
    if kind == "sgd":
        return torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    if kind == "adagrad":
        return torch.optim.Adagrad(net.parameters())
    return torch.optim.AdamW(net.parameters(), amsgrad=True)


def _epoch(net: nn.Module, optimizer: torch.optim.Optimizer, device: str) -> None:
    data = TensorDataset(torch.randn(12, 4), torch.randint(0, 3, (12,)))
    for x, y in DataLoader(data, batch_size=4, shuffle=True, pin_memory=device != "cpu"):
        loss = nn.functional.cross_entropy(net(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()


def _trained(kind: str, device: str, reload: Callable[[io.BytesIO], Any]) -> list[torch.Tensor]:
    """Train for an epoch, save, start afresh, load, and train for another one."""
    torch.manual_seed(3)
    net = _Net().to(device)
    optimizer = _optimizer(kind, net)
    _epoch(net, optimizer, device)
    file = _saved(
        {"net": net.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state()}
    )
    state = reload(file)
    net = _Net().to(device)
    optimizer = _optimizer(kind, net)
    net.load_state_dict(state["net"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["rng"].cpu())
    _epoch(net, optimizer, device)
    return [value.detach().cpu() for value in net.state_dict().values()]


@pytest.mark.parametrize("kind", ["adamw", "sgd", "adagrad"])
@pytest.mark.parametrize("where", [None, "cpu", "cuda"])
def test_resumed_training_has_the_numbers_of_the_cpu(kind: str, where: str | None) -> None:
    expected = _trained(kind, "cpu", torch.load)
    with simulated_accelerator():
        found = _trained(kind, "cuda", lambda file: torch.load(file, map_location=where))
    assert all(torch.equal(a, b) for a, b in zip(found, expected, strict=True))
