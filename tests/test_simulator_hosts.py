"""What the host may and may not do with the accelerator's tensors: healing, origins, transfers, and what is undone."""

from __future__ import annotations

import gc
import os
import threading
import weakref
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

from devfix.simulator import simulated_accelerator
from devfix.simulator.machine import Machine

_dlpack: Any = torch.utils.dlpack
_Storage: Any = torch.UntypedStorage


class _Moving(Dataset[Any]):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> Any:
        sample = torch.full((2,), float(index))
        return sample.to("cuda")


def _raised(action: Any) -> BaseException | None:
    """What a call raises; a block that says which error it expects would not be healed."""
    try:
        action()
    except BaseException as error:  # noqa: BLE001 - whatever it is is what was asked
        return error
    return None


def _seen(machine: Machine) -> list[tuple[str, str, int]]:
    return [(m["kind"], m["sink"]["text"], m["count"]) for m in machine.log.mismatches]


def test_numpy_goes_on_with_the_host_data_where_mismatches_are_healed() -> None:
    with simulated_accelerator(heal=True) as machine:
        x = torch.arange(3.0, device="cuda")
        for _ in range(2):
            array = np.array([x[0], x[2]])
        assert array.tolist() == [0.0, 2.0]
        [mismatch] = machine.log.mismatches
    assert (mismatch["kind"], mismatch["error"], mismatch["count"]) == ("numpy", "TypeError", 4)
    assert mismatch["sink"]["text"] == "array = np.array([x[0], x[2]])"
    assert mismatch["operands"][0]["made"]["by"] == "torch.arange"


def test_a_healed_array_is_a_copy() -> None:
    with simulated_accelerator(heal=True):
        x = torch.zeros(2, device="cuda")
        x.numpy()[0] = 1.0
        assert x.tolist() == [0.0, 0.0]


def test_healing_does_not_hide_what_the_cpu_refuses() -> None:
    with simulated_accelerator(heal=True):
        x = torch.ones(2, device="cuda", requires_grad=True)
        raised = _raised(x.numpy)
    assert str(raised).startswith("Can't call numpy() on Tensor that requires grad")
    assert type(raised) is RuntimeError


def test_numpy_of_another_consumer_is_refused_by_the_consumer() -> None:
    with simulated_accelerator():
        # NumPy changed the class of this error.
        with pytest.raises((BufferError, RuntimeError), match="Unsupported device in DLTensor"):
            np.from_dlpack(torch.ones(2, device="cuda"))
        shared = _dlpack.from_dlpack(torch.ones(2, device="cuda"))
        assert shared.device.type == "cuda"


def test_a_capsule_keeps_its_tensor_no_longer_than_it_lives() -> None:
    with simulated_accelerator():
        x = torch.ones(2, device="cuda")
        capsule = _dlpack.to_dlpack(x)
        pointer = x.data_ptr()
        del x
        assert _dlpack.from_dlpack(capsule).data_ptr() == pointer


def test_reading_values_is_counted() -> None:
    with simulated_accelerator() as machine:
        x = torch.ones(4, device="cuda")
        x.tolist(), x.numpy(force=True), x.sum().item()
        host = torch.zeros(4)
        host.copy_(x)
        host.tolist()
        counted = [(t["what"], t["by"], t["bytes"]) for t in machine.log.transfers]
    assert counted == [
        ("device-to-host", "Tensor.tolist", 16),
        ("device-to-host", "Tensor.numpy", 16),
        ("synchronisation", "aten::_local_scalar_dense", 0),
        ("device-to-host", "Tensor.copy_", 16),
    ]


def test_pinning_a_loader_of_device_tensors_is_written_down_once() -> None:
    with simulated_accelerator(heal=True) as machine:
        for batch in DataLoader(_Moving(), batch_size=2, pin_memory=True):
            assert batch.is_cuda
        seen = _seen(machine)
        [operand] = machine.log.mismatches[0]["operands"]
    assert seen == [("pin", "for batch in DataLoader(_Moving(), batch_size=2, pin_memory=True):", 2)]
    assert [root["place"]["text"] for root in operand["roots"]] == ['return sample.to("cuda")']


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_workers_that_touch_the_device_are_written_down_by_their_parent() -> None:
    with simulated_accelerator(heal=True) as machine:
        torch.ones(1, device="cuda")
        batches = []
        for batch in DataLoader(_Moving(), batch_size=2, num_workers=1):
            batches.append((batch.tolist(), str(batch.device)))
            del batch
        seen = _seen(machine)
    assert batches == [([[0.0, 0.0], [1.0, 1.0]], "cuda:0"), ([[2.0, 2.0], [3.0, 3.0]], "cuda:0")]
    assert seen == [("worker", 'return sample.to("cuda")', 4)]


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_the_thread_that_pins_stands_where_the_loop_does() -> None:
    with simulated_accelerator(heal=True) as machine:
        data = TensorDataset(torch.ones(2, 2, device="cuda"))
        for (batch,) in DataLoader(data, num_workers=1, pin_memory=True):
            del batch
        pins = [m for m in machine.log.mismatches if m["kind"] == "pin"]
    assert [m["sink"]["text"] for m in pins] == [
        "for (batch,) in DataLoader(data, num_workers=1, pin_memory=True):"
    ]


def test_batches_remember_the_loop_that_took_them() -> None:
    with simulated_accelerator(heal=True) as machine:
        data = TensorDataset(torch.ones(2, 2))
        for (batch,) in DataLoader(data):
            batch + torch.ones(2, device="cuda")
        [mismatch] = machine.log.mismatches
        [made] = [operand["made"] for operand in mismatch["operands"] if operand["blamed"]]
        assert not data.tensors[0].is_cuda
    assert made["kind"] == "loader"
    assert made["place"]["text"] == "for (batch,) in DataLoader(data):"


def test_threads_see_the_machine() -> None:
    found: list[str] = []

    def use() -> None:
        try:
            torch.ones(2, device="cuda") + torch.ones(2)
        except RuntimeError as error:
            found.append(str(error))

    with simulated_accelerator():
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
    assert found == [
        "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
    ]


@pytest.mark.parametrize("heal", [False, True])
def test_no_tensor_is_kept_alive(heal: bool) -> None:
    with simulated_accelerator(heal=heal):
        x = torch.ones(2, 2, device="cuda", requires_grad=True)
        y = (x @ x.cpu().cuda()).sum()
        y.backward()  # type: ignore[no-untyped-call]
        if heal:
            x.detach().numpy(), x + torch.ones(2, 2)
        kept: list[Any] = [weakref.ref(x), weakref.ref(y), weakref.ref(x.untyped_storage())]
        del x, y
        gc.collect()
        assert [ref() for ref in kept] == [None, None, None]


def test_the_locals_that_a_program_asked_for_stay() -> None:
    with simulated_accelerator(heal=True):
        x = torch.ones(2, device="cuda")
        held = locals()
        x.numpy()
        assert held["x"] is x


def test_a_long_run_remembers_no_more_than_a_short_one() -> None:
    def remembered(steps: int) -> int:
        with simulated_accelerator(heal=True) as machine:
            state = torch.zeros(2, device="cuda")
            for _ in range(steps):
                state = (state * 0.9 + torch.ones(2, device="cuda")).detach()
                state.tolist()
                state.cpu() + state
            gc.collect()
            assert len(machine.log.mismatches) == 1
            return sum("devfix.simulator" in str(type(thing)) for thing in gc.get_objects())

    remembered(5)
    assert remembered(400) <= remembered(40) + 5


def test_everything_is_put_back() -> None:
    owners: list[Any] = [torch.UntypedStorage, torch.Tensor, threading.Thread, torch.utils.data.DataLoader]
    before = [dict(vars(owner)) for owner in owners]
    environment = dict(os.environ)
    with simulated_accelerator():
        copied = _Storage(4, device="cuda")
        assert copied.device.type == "cuda"
    assert [dict(vars(owner)) for owner in owners] == before
    assert dict(os.environ) == environment
    assert _Storage(4).device.type == "cpu"
    host: Any = torch.ones(2).untyped_storage()
    assert host.clone().nbytes() == 8
