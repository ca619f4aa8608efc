"""The texts of MPS and XPU, and those of a device that this machine (or this PyTorch) does not have."""

from __future__ import annotations

from devfix.tracebacks.readings import Family

_CHOOSE = 'Choose the device once, by what is there: `device = torch.device("cuda" if torch.cuda.is_available() else "cpu")`, and use `device` everywhere.'

BACKENDS: tuple[Family, ...] = (
    Family(
        "mps-placeholder",
        "device",
        r"Placeholder (?:storage|tensor).{0,40}(?:has not been allocated|is empty).{0,20}MPS",
        near="Placeholder",
        says="An operation on MPS got a tensor that is still on the CPU. MPS does not say which operand.",
        advice="Move the inputs (and the module) to the same `mps` device before they meet.",
        versions="since 1.12",
        rules=("operand-not-moved", "model-not-moved"),
    ),
    Family(
        "mps-float64",
        "float64-on-mps",
        r"(?:Cannot convert a (?:MPS Tensor|tensor) to float64 dtype|doesn't support float64|does not support float64)",
        near="float64",
        says="A float64 tensor was sent to MPS, which has no float64. NumPy computes in float64, so it usually came from there.",
        advice="Cast before the move: `x.float().to(device)`, or `dtype=torch.float32` where it is made.",
        rules=("float64-on-mps",),
    ),
    Family(
        "mps-bfloat16",
        "",
        r"BFloat16 is not supported on MPS",
        near="BFloat16",
        says="MPS on this version of macOS or PyTorch has no bfloat16. This is no mismatch of operands.",
        advice="Use float16 or float32 there, or a newer macOS (14 and later) and PyTorch.",
    ),
    Family(
        "mps-operator",
        "",
        r"The operator 'aten::(?P<operator>[\w.]{1,60})' is not (?:currently )?implemented for the (?P<backend>\w+) device",
        near="The operator 'aten::",
        says="`{operator}` has no {backend} implementation in this version of PyTorch. This is no mismatch of operands.",
        advice="Set the environment variable PYTORCH_ENABLE_MPS_FALLBACK=1 to compute it on the CPU, or do that step on the CPU yourself.",
    ),
    Family(
        "mps-argument",
        "device",
        r"Tensor for argument '?<n:argument>'? is on (?P<on>CPU|CUDA)\b.{0,10}but expected (?:it|them) to be on (?P<others>MPS|XPU|GPU)(?: \(while checking arguments for <n:operator>)?",
        near="but expected",
        versions="since 2.4, MPS",
    ),
    Family(
        "xpu-fp64",
        "float64-on-mps",
        r"(?:Required aspect fp64 is not supported on the device|Double(?: type)? is not supported on this device|fp64 is not supported)",
        near="supported on th",
        says="A float64 tensor was used on an XPU that has no float64 (client GPUs do not).",
        advice="Cast before the move: `x.float().to(device)`.",
        rules=("float64-on-mps", "float64-meets-float32"),
    ),
    Family(
        "type-not-available",
        "absent-device",
        r"type (?P<type>torch\.\w+\.\w+Tensor) not available",
        near="not available",
        says="The code asks for {type}, and this PyTorch was built without CUDA (or sees no GPU).",
        advice=_CHOOSE,
        rules=("legacy-tensor-type", "device-scattered"),
    ),
    Family(
        "not-compiled",
        "absent-device",
        r"Torch not compiled with (?P<backend>\w+) enabled",
        near="not compiled with",
        says="The code asks for {backend}, and this PyTorch was built without it.",
        advice=_CHOOSE,
        rules=("device-scattered",),
    ),
    Family(
        "not-linked",
        "absent-device",
        r"PyTorch is not linked with support for (?P<backend>\w+) devices",
        near="not linked with support",
        says="The code asks for {backend}, and this PyTorch was built without it.",
        advice=_CHOOSE,
        rules=("device-scattered",),
    ),
    Family(
        "no-such-library",
        "absent-device",
        r"Cannot get (?P<backend>CUDA|XPU|MPS) generator without ATen_\w+ library",
        near="without ATen_",
        says="A generator for {backend} was made, and this PyTorch was built without it.",
        advice=_CHOOSE,
        rules=("generator-device",),
    ),
    Family(
        "no-driver",
        "absent-device",
        r"Found no NVIDIA driver on your system",
        near="NVIDIA driver",
        says="The code asks for CUDA, and this machine has no NVIDIA driver. This is no mismatch of operands.",
        advice="Install the driver (`nvidia-smi` shows whether it works), start the container with the GPU, or run on the CPU. "
        + _CHOOSE,
        rules=("device-scattered",),
    ),
    Family(
        "no-gpu",
        "absent-device",
        r"No (?P<backend>CUDA|XPU|HIP) (?:GPUs|devices) are available",
        near="are available",
        says="The code asks for {backend}, and no such GPU can be seen. This is no mismatch of operands.",
        advice="Look at `nvidia-smi` and at the variable CUDA_VISIBLE_DEVICES, or run on the CPU. " + _CHOOSE,
        rules=("device-scattered",),
    ),
    Family(
        "device-ordinal",
        "absent-device",
        r"invalid device ordinal|Invalid device id|CUDA error: invalid device ordinal",
        near="nvalid device",
        says="The code names a GPU by a number that this machine does not have, such as `cuda:1` where there is one GPU.",
        advice="Do not write GPU numbers into the code: take `cuda`, and choose the GPU with CUDA_VISIBLE_DEVICES. "
        + _CHOOSE,
        rules=("device-scattered",),
    ),
    Family(
        "unexpected-device",
        "device-string",
        r"(?:Invalid device string: '?(?P<backend>[^']{1,40})'?|Expected one of cpu, cuda,.{0,200}device type at start of device string: (?P<name>\w{1,40}))",
        near="device",
        says="A device string is none: PyTorch wants a type in lower case, and perhaps a colon and a number, such as `cpu`, `cuda`, `cuda:0` or `mps`.",
        advice="Mend the text where it is spelt out: `cuda:0` for `cuda: 0` and `cuda0`, `cuda` for `gpu` and `CUDA`. "
        + _CHOOSE,
        rules=("invalid-device-string",),
    ),
)
