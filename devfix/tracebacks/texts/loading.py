"""The texts of checkpoints, loaders, workers and legacy constructors."""

from __future__ import annotations

from devfix.tracebacks.readings import Family

_WORKER = (
    "A loader's worker process used the GPU. Workers are forked copies of the main process, and CUDA cannot be used in a fork:"
    " the Dataset or the collate function holds or makes tensors on the accelerator."
)
_WORKER_ADVICE = "Let the Dataset and the collate function stay on the CPU and move each batch in the loop that uses it. With `num_workers=0` it would run, only slowly."
_FORKED = (
    "A process that was forked from one that had used the GPU used it, too, and CUDA cannot be used in such a fork. In a loader's"
    " worker the Dataset or the collate function holds or makes tensors on the accelerator; in a `Pool` or a `Process` the"
    " function that it runs does."
)
_FORK_ADVICE = (
    "With a loader: let the Dataset and the collate function stay on the CPU and move each batch in the loop that uses it."
    ' With processes of your own: start them by `multiprocessing.get_context("spawn")`, under `if __name__ == "__main__":`.'
)

LOADING: tuple[Family, ...] = (
    Family(
        "cuda-in-fork",
        "worker",
        r"Cannot re-initialize CUDA in forked subprocess",
        near="forked subprocess",
        says=_FORKED,
        advice=_FORK_ADVICE,
        rules=(
            "device-move-in-dataset",
            "device-move-in-collate",
            "fork-after-accelerator",
            "framework-owns-device",
        ),
    ),
    Family(
        "cuda-in-worker",
        "worker",
        r"CUDA error: initialization error|cuda runtime error \(3\)",
        near="rror",
        around="DataLoader worker",
        says=_WORKER,
        advice=_WORKER_ADVICE,
        rules=("device-move-in-dataset", "device-move-in-collate"),
    ),
    Family(
        "pin-device-tensor",
        "pin",
        r"cannot pin '(?P<type>[\w.]{1,60})' only (?:dense )?CPU tensors? can be pinned",
        near="can be pinned",
        operator="pin_memory",
        says="`pin_memory` was asked for tensors that are on the accelerator already ({type}). Only the CPU's memory can be pinned, for fast copies to the device.",
        advice="Let the Dataset and the collate function stay on the CPU and move each batch in the loop; or set `pin_memory=False` where the data lives on the accelerator for good.",
        rules=("pinned-device-tensor", "framework-owns-device", "device-move-in-collate"),
    ),
    Family(
        "pin-device-tensor-2",
        "pin",
        r"[Oo]nly dense CPU tensors can be pinned",
        near="can be pinned",
        operator="pin_memory",
        says="`pin_memory` was asked for tensors that are on the accelerator already. Only the CPU's memory can be pinned.",
        advice="Let the Dataset and the collate function stay on the CPU, or set `pin_memory=False`.",
        rules=("pinned-device-tensor", "framework-owns-device"),
    ),
    Family(
        "checkpoint-without-device",
        "map-location",
        r"Attempting to deserialize object on (?:a |an )?(?P<backend>\w+) device but torch\.\w+\.is_available\(\) is False",
        near="deserialize",
        operator="torch.load",
        says="The checkpoint was saved from a {backend} device, and this machine has none (or PyTorch cannot see it). `torch.load` wants to put every tensor back where it was.",
        advice='Say where it should go: `torch.load(path, map_location=device)`, or `map_location="cpu"`.',
        rules=("load-without-map-location",),
    ),
    Family(
        "checkpoint-of-other-device",
        "map-location",
        r"Attempting to deserialize object on (?P<backend>\w+) device (?P<position>\d+) but torch\.\w+\.device_count\(\) is (?P<count>\d+)",
        near="deserialize",
        operator="torch.load",
        says="The checkpoint was saved from {backend} device {position}, and this machine has {count}. `torch.load` wants to put every tensor back where it was.",
        advice="Say where it should go: `torch.load(path, map_location=device)`.",
        rules=("load-without-map-location",),
    ),
    Family(
        "checkpoint-storage",
        "map-location",
        r"don't know how to restore data location of \S+ \(tagged with (?P<backend>\w+)",
        near="restore data location",
        operator="torch.load",
        says="The checkpoint was saved from a device that this PyTorch does not know ({backend}).",
        advice='Use `torch.load(path, map_location="cpu")`.',
        rules=("load-without-map-location",),
    ),
    Family(
        "legacy-constructor",
        "legacy-constructor",
        r"legacy constructor expects device type: <d:wanted_device> but device type: <d:found_device> was passed",
        near="legacy constructor",
        says="A legacy constructor such as `torch.FloatTensor` makes tensors on {wanted_device} only and was given `device={found_device}`.",
        advice="Use `torch.tensor(data, dtype=torch.float32, device=device)`.",
        rules=("legacy-tensor-type",),
        versions="since 1.5",
    ),
    Family(
        "legacy-constructor-1.4",
        "legacy-constructor",
        r"legacy constructor for device type: <d:wanted_device> was passed device type: <d:found_device>",
        near="legacy constructor",
        says="A legacy constructor such as `torch.FloatTensor` makes tensors on {wanted_device} only and was given `device={found_device}`.",
        advice="Use `torch.tensor(data, dtype=torch.float32, device=device)`.",
        rules=("legacy-tensor-type",),
        versions="0.4 to 1.4",
    ),
)
