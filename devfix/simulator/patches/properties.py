"""Properties of a simulated device: what a program may ask of its name, size and abilities."""

from __future__ import annotations

from types import SimpleNamespace

#: Bytes that a simulated device says it has, all of them free.
MEMORY = 24 * 1024**3

_COMMON = {
    "total_memory": MEMORY,
    "is_integrated": 0,
    "is_multi_gpu_board": 0,
    "warp_size": 32,
    "uuid": "00000000-0000-0000-0000-000000000000",
    "pci_bus_id": 0,
    "pci_device_id": 0,
    "pci_domain_id": 0,
}
#: Those of an NVIDIA A100 (Ampere: the first with bfloat16 and TF32), except for its memory.
_CUDA = {
    "major": 8,
    "minor": 0,
    "multi_processor_count": 108,
    "max_threads_per_multi_processor": 2048,
    "max_threads_per_block": 1024,
    "regs_per_multiprocessor": 65536,
    "shared_memory_per_block": 49152,
    "shared_memory_per_block_optin": 166912,
    "shared_memory_per_multiprocessor": 167936,
    "L2_cache_size": 41943040,
    "clock_rate": 1410000,
    "memory_clock_rate": 1215000,
    "memory_bus_width": 5120,
    "gcnArchName": "Simulated CUDA device",
}
_XPU = {
    "platform_name": "simulated",
    "vendor": "simulated",
    "version": "1.0",
    "driver_version": "1.0",
    "max_compute_units": 448,
    "gpu_eu_count": 448,
    "gpu_subslice_count": 56,
    "max_work_group_size": 1024,
    "max_num_sub_groups": 64,
    "sub_group_sizes": [16, 32],
    "local_mem_size": 131072,
    "has_fp16": True,
    "has_fp64": True,
    "has_atomic64": True,
    "has_subgroup_matrix_multiply_accumulate": True,
    "has_bfloat16_conversions": True,
    "type": "gpu",
}


class DeviceProperties(SimpleNamespace):
    """What ``torch.cuda.get_device_properties`` answers."""

    def __init__(self, kind: str, index: int) -> None:
        own = _CUDA if kind == "cuda" else _XPU
        name = f"Simulated {kind.upper()} device"
        super().__init__(**{**_COMMON, **own, "name": name, "pci_bus_id": index})

    def __repr__(self) -> str:
        return f"_{type(self).__name__}(name={self.name!r}, total_memory={self.total_memory // 1024**2}MB)"
