"""The runtime: the functions of ``torch._C`` through which torch's Python code talks to a driver.

``torch.cuda``, ``torch.xpu``, ``torch.mps`` and ``torch.accelerator`` are written in Python on top of a few dozen of
these (torch/csrc/cuda/Module.cpp and its siblings), which a build without an accelerator lacks. With
answers of their own, that Python code runs as it is.
"""

from __future__ import annotations

from typing import Any, Callable

import torch

from ..machine import Machine
from ..patching import Patcher
from ..refusals import not_simulated
from .properties import MEMORY, DeviceProperties

_POOLS = ("all", "small_pool", "large_pool")
_POOLED = (
    "allocation",
    "segment",
    "active",
    "inactive_split",
    "allocated_bytes",
    "reserved_bytes",
    "active_bytes",
    "inactive_split_bytes",
    "requested_bytes",
)
_COUNTED = ("num_alloc_retries", "num_ooms", "num_sync_all_streams", "num_device_alloc", "num_device_free")
#: What nobody asks of a program that runs without the real thing.
_REFUSED = {
    "cuda": (
        "cudaHostAllocator",
        "cudaCachingAllocator_raw_alloc",
        "cudaCachingAllocator_raw_delete",
        "customAllocator",
        "changeCurrentAllocator",
        "getAllocator",
        "jiterator_compile_and_launch_kernel",
        "getCheckpointState",
        "setCheckpointPoolState",
        "beginAllocateCurrentStreamToPool",
        "beginAllocateCurrentThreadToPool",
        "beginAllocateToPool",
        "endAllocateToPool",
        "releasePool",
        "getHipblasltVersion",
        "allocationTraceback",
    ),
    "xpu": ("customAllocator", "changeCurrentAllocator", "getAllocator", "recordMemoryHistory"),
}
_REFUSED_ALONE = (
    "_nccl_all_reduce",
    "_nccl_reduce",
    "_nccl_broadcast",
    "_nccl_all_gather",
    "_nccl_reduce_scatter",
    "_nccl_init_rank",
    "_nccl_unique_id",
    "_gds_register_buffer",
    "_gds_deregister_buffer",
    "_gds_register_handle",
    "_gds_deregister_handle",
    "_gds_load_storage",
    "_gds_save_storage",
)


def install(patcher: Patcher, machine: Machine) -> None:
    """Answer for the driver of the machine's accelerator."""
    if machine.kind in ("cuda", "xpu"):
        for name, function in {**_devices(machine), **_memory(machine), **_settings()}.items():
            patcher.set(torch._C, f"_{machine.kind}_{name}", function)
        for name in _REFUSED[machine.kind]:
            patcher.set(torch._C, f"_{machine.kind}_{name}", _refusing(f"torch._C._{machine.kind}_{name}"))
        _packages(patcher, machine)
    if machine.kind == "cuda":
        for name in _REFUSED_ALONE:
            patcher.set(torch._C, name, _refusing(f"torch._C.{name}"))
        for name, function in _tunable_operators().items():
            patcher.set(torch._C, f"_cuda_{name}", function)
    if machine.kind == "mps":
        for name, function in _metal(machine).items():
            patcher.set(torch._C, f"_mps_{name}", function)
    _accelerator(patcher, machine)


def _packages(patcher: Patcher, machine: Machine) -> None:
    """Names that ``torch.cuda`` and ``torch.xpu`` took from ``torch._C`` when they were imported."""
    package = getattr(torch, machine.kind)
    devices = _devices(machine)
    patcher.set(package, "_exchange_device", devices["exchangeDevice"])
    patcher.set(package, "_maybe_exchange_device", devices["maybeExchangeDevice"])
    patcher.set(package, "_get_device_properties", lambda index: DeviceProperties(machine.kind, index))
    if machine.kind == "cuda":
        patcher.set(package, "_cudart", CudaRuntime())


def _devices(machine: Machine) -> dict[str, Callable[..., Any]]:
    def select(index: int) -> None:
        machine.touch()
        machine.current = machine.device(index).index or 0

    def exchange(index: int) -> int:
        if index < 0:
            return -1
        before = machine.current
        select(index)
        return before

    def synchronize(*_device: Any) -> None:
        machine.touch()
        machine.log.transfer("synchronisation", 0, f"torch.{machine.kind}.synchronize")

    return {
        "init": machine.touch,
        "isInBadFork": lambda: machine.forked,
        "getDeviceCount": lambda: machine.count,
        "getDevice": lambda: machine.current,
        "setDevice": select,
        "exchangeDevice": exchange,
        "maybeExchangeDevice": exchange,
        "canDeviceAccessPeer": lambda device, peer: device != peer,
        "hasPrimaryContext": lambda index: machine.initialised and index == 0,
        "synchronize": synchronize,
        "sleep": _nothing,
        "ipc_collect": _nothing,
        "getArchFlags": lambda: "sm_75 sm_80 sm_86 sm_90 compute_90" if machine.kind == "cuda" else "pvc dg2",
        "getCompiledVersion": lambda: 12060,
        "getCurrentBlasHandle": lambda: 1,
        "getCurrentSolverHandle": lambda: 1,
        "isCurrentStreamCapturing": lambda: False,
    }


def _memory(machine: Machine) -> dict[str, Callable[..., Any]]:
    """The caching allocator, which never holds anything: all memory is the host's."""
    fractions: dict[int, float] = {}

    def set_fraction(fraction: float, index: int) -> None:
        fractions[machine.device(index).index or 0] = fraction

    return {
        "emptyCache": _nothing,
        "memoryStats": lambda *_device: memory_statistics(),
        "resetPeakMemoryStats": _nothing,
        "resetAccumulatedMemoryStats": _nothing,
        "hostMemoryStats": _host_statistics,
        "resetPeakHostMemoryStats": _nothing,
        "resetAccumulatedHostMemoryStats": _nothing,
        "getMemoryInfo": lambda *_device: (MEMORY, MEMORY),
        "getMemoryFraction": lambda index: fractions.get(index, 1.0),
        "setMemoryFraction": set_fraction,
        "memorySnapshot": lambda *_pool: {"segments": [], "device_traces": [], "allocator_settings": {}},
        "getAllocatorBackend": lambda: "native",
        "cudaCachingAllocator_is_enabled": lambda: True,
        "cudaCachingAllocator_enable": _nothing,
        "record_memory_history": _nothing,
        "record_memory_history_legacy": _nothing,
        "isHistoryEnabled": lambda: False,
        "attach_out_of_memory_observer": _nothing,
        "getMemoryMetadata": lambda: "",
        "setMemoryMetadata": _nothing,
        "checkPoolLiveAllocations": lambda *_pool: True,
        "clearCublasWorkspaces": _nothing,
    }


def _settings() -> dict[str, Callable[..., Any]]:
    """Settings that are kept and change nothing."""
    found: dict[str, Callable[..., Any]] = {}
    for getter, setter, value in (
        ("get_sync_debug_mode", "set_sync_debug_mode", 0),
        ("get_cudnn_benchmark_limit", "set_cudnn_benchmark_limit", 10),
        ("get_conv_benchmark_empty_cache", "set_conv_benchmark_empty_cache", True),
        ("getCublasWorkspaceSize", "setCublasWorkspaceSize", 8519680),
        ("getCublasLtWorkspaceSize", "setCublasLtWorkspaceSize", 1048576),
    ):
        found[getter], found[setter] = _setting(value)
    return found


def _tunable_operators() -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {}
    for getter, setter, value in (
        ("tunableop_is_enabled", "tunableop_enable", False),
        ("tunableop_tuning_is_enabled", "tunableop_tuning_enable", True),
        ("record_untuned_is_enabled", "record_untuned_enable", False),
        ("tunableop_get_max_tuning_duration", "tunableop_set_max_tuning_duration", 30),
        ("tunableop_get_max_tuning_iterations", "tunableop_set_max_tuning_iterations", 100),
        ("tunableop_get_rotating_buffer_size", "tunableop_set_rotating_buffer_size", 0),
        ("tunableop_get_filename", "tunableop_set_filename", "tunableop_results0.csv"),
    ):
        found[getter], found[setter] = _setting(value)
    found["tunableop_get_results"] = tuple
    found["tunableop_get_validators"] = tuple
    found["tunableop_read_file"] = lambda *_name: False
    found["tunableop_set_numerical_check_tolerances"] = _nothing
    return found


def _setting(value: Any) -> tuple[Callable[[], Any], Callable[..., None]]:
    kept = [value]

    def keep(value: Any, *_rest: Any) -> None:
        kept[0] = value

    return lambda: kept[0], keep


def memory_statistics() -> dict[str, Any]:
    """The allocator's statistics as torch nests them, of an allocator that was never asked for anything."""
    found: dict[str, Any] = {name: {pool: _counts() for pool in _POOLS} for name in _POOLED}
    found.update({name: _counts() for name in ("oversize_allocations", "oversize_segments")})
    found.update(dict.fromkeys(_COUNTED, 0))
    found["max_split_size"] = -1
    return found


def _host_statistics() -> dict[str, Any]:
    found: dict[str, Any] = {name: _counts() for name in ("allocation", "segment", "active_requests")}
    found.update({name: _counts() for name in ("allocated_bytes", "reserved_bytes", "active_bytes")})
    found.update(dict.fromkeys(("num_host_alloc", "num_host_free"), 0))
    return found


def _counts() -> dict[str, int]:
    return {"current": 0, "peak": 0, "allocated": 0, "freed": 0}


def _metal(machine: Machine) -> dict[str, Callable[..., Any]]:
    def synchronize() -> None:
        machine.log.transfer("synchronisation", 0, "torch.mps.synchronize")

    return {
        "deviceSynchronize": synchronize,
        "is_in_bad_fork": lambda: machine.forked,
        "emptyCache": _nothing,
        "setMemoryFraction": _nothing,
        "currentAllocatedMemory": lambda: 0,
        "driverAllocatedMemory": lambda: 0,
        "recommendedMaxMemory": lambda: MEMORY,
        "maxBufferLength": lambda: MEMORY // 2,
        "profilerStartTrace": _nothing,
        "profilerStopTrace": _nothing,
        "isCaptureEnabled": lambda: False,
        "isCapturing": lambda: False,
        "get_name": lambda: "Apple M (simulated)",
        "get_core_count": lambda: 10,
        "is_on_macos_13_or_newer": lambda *_minor: True,
        "compileShader": _refusing("torch.mps.compile_shader"),
        "startCapture": _refusing("torch.mps.profiler.metal_capture"),
        "stopCapture": _refusing("torch.mps.profiler.metal_capture"),
        "host_alias_storage": _refusing("torch.mps._host_alias_storage"),
        "loadMetalllib": _refusing("torch.mps.load_metallib"),
        "loadMetallibFromPath": _refusing("torch.mps.load_metallib"),
    }


def _accelerator(patcher: Patcher, machine: Machine) -> None:
    """What ``torch.accelerator`` and its forerunners ask; ``_get_accelerator`` is what it was in torch 2.4."""
    present = machine.kind != "none"
    device = torch.device(machine.kind) if present else None
    devices = _devices(machine)
    answers = {
        "_accelerator_getAccelerator": lambda: device,
        "_accelerator_getDeviceIndex": lambda: machine.current,
        "_accelerator_setDeviceIndex": devices["setDevice"],
        "_accelerator_exchangeDevice": devices["exchangeDevice"],
        "_accelerator_maybeExchangeDevice": devices["exchangeDevice"],
        "_accelerator_synchronizeDevice": devices["synchronize"],
        "_accelerator_isAllocatorInitialized": lambda: machine.initialised,
        "_accelerator_emptyCache": _nothing,
        "_accelerator_emptyHostCache": _nothing,
        "_accelerator_getDeviceStats": lambda *_device: memory_statistics(),
        "_accelerator_resetAccumulatedStats": _nothing,
        "_accelerator_resetPeakStats": _nothing,
        "_accelerator_getMemoryInfo": lambda *_device: (MEMORY, MEMORY),
        "_accelerator_getDeviceCapability": lambda *_device: {"supported_dtypes": _dtypes(machine)},
        "_accelerator_getAllocatorSettings": lambda *_args: "",
        "_accelerator_setAllocatorSettings": _nothing,
        "_accelerator_hooks_device_count": lambda: machine.count,
        "_accelerator_hooks_get_current_device": lambda: machine.current,
        "_accelerator_hooks_set_current_device": devices["setDevice"],
        "_accelerator_hooks_exchange_device": devices["exchangeDevice"],
        "_accelerator_hooks_maybe_exchange_device": devices["exchangeDevice"],
    }
    patcher.set(torch._C, "_get_accelerator", lambda *_check: device or torch.device("cpu"))
    for name, function in answers.items():
        # Without an accelerator everything but the question whether there is one is left to fail as it does.
        if hasattr(torch._C, name) and (present or name == "_accelerator_getAccelerator"):
            patcher.set(torch._C, name, function)


def _dtypes(machine: Machine) -> set[torch.dtype]:
    found = {value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    return found - {torch.float64, torch.complex128} if machine.kind == "mps" else found


class CudaRuntime:
    """``torch.cuda.cudart()``: the few functions of the CUDA runtime that torch exposes."""

    class cudaError(int):  # noqa: N801 - the name is CUDA's
        """A status of the CUDA runtime."""

        success = 0

    @staticmethod
    def cudaGetErrorString(error: int) -> str:
        """The text of a status, of which a simulated runtime knows two."""
        return "no error" if error == 0 else "unknown error"

    @staticmethod
    def cudaMemGetInfo(_device: int) -> tuple[int, int]:
        """Free and total memory of a device in bytes: all of it is free."""
        return MEMORY, MEMORY

    def __getattr__(self, name: str) -> Callable[..., int]:
        if name.startswith("cuda"):
            return _succeed
        raise AttributeError(name)


def _succeed(*_args: Any) -> int:
    return 0


def _nothing(*_args: Any, **_kwargs: Any) -> None:
    """Do nothing: there is no driver."""


def _refusing(name: str) -> Callable[..., Any]:
    def refuse(*_args: Any, **_kwargs: Any) -> Any:
        raise not_simulated(name)

    return refuse
